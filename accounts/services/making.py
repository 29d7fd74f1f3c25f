"""Making an account: the name and the address become somebody's, both or neither."""

from __future__ import annotations

from datetime import UTC, datetime

from django.utils.translation import gettext_lazy as _

from accounts import repository
from accounts.models import User
from accounts.rules import Role
from acts.refusals import NameTaken, TryLater
from acts.storage import record
from store.log import Event, as_text
from store.table import Write

NAME_TAKEN = _("Somebody here already has that name. Please choose another one.")


LOOKS_TAKEN = _("Somebody here has a name that looks just like this one. Please choose another one.")


NAME_FREED = _("This name was freed a moment ago. Please choose another one, or try again in a minute.")


ADDRESS_FREED = _("The account that had this address was removed a moment ago. Please try again in a minute.")


def new_user(name: str, email: str, password: str, role: Role) -> User:
    return User(
        name=name,
        email=email,
        password=password,
        role_name=role.name,
        created_at=as_text(datetime.now(UTC)),
        session_salt=repository.new_session_salt(),
        lineage=repository.new_lineage(),
    )


def create_account(user: User, *also: Write) -> None:
    """Make the account; `NameTaken`, `TryLater`, or `LostRace` with the part of `also` or of the address."""
    refusals = {
        repository.TAKEN: NameTaken(NAME_TAKEN),
        repository.NAME_LEAVES: NameTaken(NAME_FREED),
        repository.LOOKALIKE: NameTaken(LOOKS_TAKEN),
        repository.ADDRESS_LEAVES: TryLater(ADDRESS_FREED),
    }
    said = {"name": user.name, "email": user.email, "role": user.role_name, "created_at": user.created_at}
    event = Event(user.name, "UserRegistered", said)
    record(event, *repository.creation(user), *also, refusals=refusals)
