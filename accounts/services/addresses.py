"""Another email address."""

from __future__ import annotations

from accounts import repository, tokens
from accounts.models import User
from acts.refusals import LostRace, TryLater
from acts.storage import record, table
from mail import outbox
from store import keys
from store.log import Event
from store.table import Check

from .links import LINK_SPENT, LinkSpent
from .making import ADDRESS_FREED
from .profile import as_now


def ask_for_new_email(user: User, email: str) -> None:
    """Mail a link to the new address; if somebody has it, they are told instead, and the asker is not."""
    known = repository.find_by_email(email)
    if known is None or keys.fold(known.name) == keys.fold(user.name):
        table().write(outbox.queued("confirm_email", email, name=user.name, email=email))
    else:
        table().write(outbox.queued("already_registered", known.email, name=known.name))


def confirm_email(name: str, token: str) -> User:
    user, email = read_email_link(name, token)
    if email == user.email:
        return user
    event = Event(user.name, "UserEmailChanged", {"name": user.name, "email": email})
    told = outbox.queued("email_changed", user.email, name=user.name)
    writes = repository.email_change(user, email)
    try:
        record(event, *writes, told)
    except LostRace as refused:
        is_leaving = any(isinstance(writes[part], Check) for part in refused.parts if part < len(writes))
        raise (TryLater(ADDRESS_FREED) if is_leaving else LinkSpent(LINK_SPENT)) from None
    return as_now(user)


def read_email_link(name: str, token: str) -> tuple[User, str]:
    """Whose address the link changes, and to which."""
    user = repository.find(name)
    email = tokens.read_email_token(user, token) if user else None
    if user is None or email is None:
        raise LinkSpent(LINK_SPENT)
    return user, email
