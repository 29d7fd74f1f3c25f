"""Making an account: the name and the address become somebody's, both or neither."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from django.utils.translation import gettext_lazy as _

from accounts import repository
from accounts.models import User
from accounts.rules import Role
from acts.again import TRIES
from acts.recording import record
from acts.refusals import LostRace, NameTaken, TryLater
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
    """Make the account; `NameTaken`, `TryLater`, or `LostRace` with the part of `also` or of the address.

    The first account that is made under the rule about names on rolls says since when there is one.
    """
    for _attempt in range(TRIES):
        is_first = repository.names_rule() is None
        try:
            _record_account(user, [repository.names_rule_from(user)] if is_first else [], also)
        except LostRace:
            if not is_first or repository.names_rule() is None:
                raise
            user.created_at = as_text(datetime.now(UTC))  # another account was the first, and this is a later one
        else:
            return
    raise LostRace


def _record_account(user: User, rule: Sequence[Write], also: Sequence[Write]) -> None:
    said = {"name": user.name, "email": user.email, "role": user.role_name, "created_at": user.created_at}
    said |= {"names_rule": True} if rule else {}
    refusals = {
        repository.TAKEN: NameTaken(NAME_TAKEN),
        repository.NAME_LEAVES: NameTaken(NAME_FREED),
        repository.LOOKALIKE: NameTaken(LOOKS_TAKEN),
        repository.ADDRESS_LEAVES: TryLater(ADDRESS_FREED),
    }
    event = Event(user.name, "UserRegistered", said)
    record(event, *repository.creation(user), *also, *rule, refusals=refusals)
