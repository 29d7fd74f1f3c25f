"""Passwords and sessions."""

from __future__ import annotations

from django.contrib.auth.hashers import make_password
from django.urls import reverse

from accounts import repository, rules, throttle, tokens
from accounts.models import User
from accounts.sessions import sessions_of
from accounts.visitors import Visitor
from acts.rate_limits import try_count
from acts.storage import record, table
from mail import outbox
from store import keys
from store.log import Event
from store.table import Delete

from .links import LINK_SPENT, LinkSpent
from .profile import as_now
from .roles import still, who


def ask_for_reset(name_or_email: str, visitor: Visitor) -> None:
    """Mail a link, if there is such a person; what is answered is the same either way, and costs the same.

    Who was mailed one just now gets no other: that one is still good. So somebody else who asks again and again neither
    fills a mailbox nor keeps its owner from a link.
    """
    user = repository.find_by_either(name_or_email)
    throttle.count_try(throttle.RESET, name_or_email, visitor, user)
    is_first = try_count(throttle.RESET_MAILED, _link_at_hand(user) if user else name_or_email)
    email = outbox.queued("reset_password", user.email, name=user.name) if user and is_first else outbox.nothing()
    table().write(email)


def _link_at_hand(user: User) -> str:
    """Changes when a link that was mailed is used or loses its worth: then another is mailed at once."""
    return f"{user.name} {user.email} {user.session_salt} {user.last_login}"


def send_reset_link(actor: User, target: User) -> None:
    """An admin's help for somebody below. Nobody sets another's password: the link goes to the person's own mailbox,
    and the mail says who asked for it."""
    rules.check_manages(who(actor), who(target))
    event = Event(actor.name, "ResetLinkSent", {"name": target.name})
    email = outbox.queued("reset_link", target.email, name=target.name, asked_by=actor.name)
    record(event, email, still(actor), still(target))


def reset_link_of_owner(owner: User) -> str:
    """The path of a link for an owner whose mailbox is gone, too: nobody is above them to help from a page. For whoever
    runs commands on the machine; the log says so, and a mail to the owner, should somebody read it after all."""
    email = outbox.queued("reset_link", owner.email, name=owner.name, asked_by="operator")
    record(Event("operator", "ResetLinkSent", {"name": owner.name}), email, still(owner))
    return reverse("reset", args=[owner.name, tokens.reset_token.make_token(owner)])


def reset_password(name: str, token: str, password: str) -> User:
    """Whoever has the link need not be whoever had the password: what was theirs alone to see is no longer shown."""
    user = reset_link_holder(name, token)
    _record_password(user, password, breaks=True)
    return user


def reset_link_holder(name: str, token: str) -> User:
    user = repository.find(name)
    if user is None or not tokens.reset_token.check_token(user, token):
        raise LinkSpent(LINK_SPENT)
    return user


def change_password(user: User, password: str) -> User:
    """Ends all other sessions; answers the person as they are now, for the session at hand to go on."""
    _record_password(user, password, breaks=False)
    return as_now(user)


def _record_password(user: User, password: str, *, breaks: bool) -> None:
    event = Event(user.name, "UserPasswordChanged", {"name": user.name})
    told = outbox.queued("password_changed", user.email, name=user.name)
    record(event, repository.password_change(user, make_password(password), breaks=breaks), told)


def sign_out_everywhere(user: User) -> None:
    table().write(repository.sessions_end(user))


def end_sessions(user: User, *, except_for: str, only: str | None = None) -> None:
    """End one session of a person, or all but the one at hand."""
    for session in sessions_of(user.name):
        if session["SK"] != except_for and only in (None, session["SK"]):
            table().write(Delete(keys.session(user.name, session["SK"])))
