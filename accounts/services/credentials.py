"""Changing a person's credentials: the password, the email address, and the open sessions."""

from __future__ import annotations

from django.contrib.auth.hashers import make_password
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from accounts import emails, repository, rules, throttle
from accounts.emails import LINK_SPENT, LinkSpent
from accounts.models import User
from accounts.sessions import sessions_of
from accounts.visitors import Visitor
from foundation.acts.rate_limits import count, try_count
from foundation.acts.refusals import LostRace, NotAllowed, TryLater
from foundation.acts.storage import record, table
from foundation.mail import outbox
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.table import Check, Delete

from .people import name_and_role, reloaded, role_unchanged
from .registration import ADDRESS_FREED

HAS_SECOND_STEP = _("You have a second step. Please use that.")
BY_PROVIDER = _("On this site everyone but the owner signs in with a provider, and needs no password.")


def ask_for_reset(name_or_email: str, visitor: Visitor) -> None:
    """Mail a link if the person exists; the response and its cost are the same either way.

    After a recent mail no other is sent, as its link is still valid. So repeated requests by a stranger neither flood
    the mailbox nor keep its owner from a link.
    """
    user = repository.find_by_either(name_or_email)
    throttle.count_try(throttle.RESET, name_or_email, visitor, user)
    # A used or void link changes the state of the account, so that the next one is mailed at once.
    made_up = throttle.number_of(name_or_email)
    state = f"{user.name} {user.email} {user.session_salt} {user.last_login}" if user else made_up
    if try_count(throttle.RESET_MAILED, state) and user and user.may_use_password:
        table().write(outbox.queued("reset_password", user.email, name=user.name))
    else:
        table().write(outbox.queued_nothing())


def send_reset_link(actor: User, target: User) -> None:
    """Mail a person below the actor a link, naming the actor: admins cannot set another's password."""
    rules.check_manages(name_and_role(actor), name_and_role(target))
    if not target.may_use_password:
        raise NotAllowed(BY_PROVIDER)
    event = Event(actor.name, "ResetLinkSent", {"name": target.name})
    email = outbox.queued("reset_link", target.email, name=target.name, asked_by=actor.name)
    record(event, email, role_unchanged(actor), role_unchanged(target))


def reset_link_of_owner(owner: User) -> str:
    """The path of a reset link for an owner who has also lost their mailbox, as no other role can help them.

    For operators with shell access. The log records it, and the owner is mailed in case the mailbox is read after all.
    """
    email = outbox.queued("reset_link", owner.email, name=owner.name, asked_by="operator")
    record(Event("operator", "ResetLinkSent", {"name": owner.name}), email, role_unchanged(owner))
    return reverse("reset", args=[owner.name, emails.reset_token.make_token(owner)])


def reset_password(name: str, token: str, password: str) -> User:
    """The link may have been used by someone else, so private ballots are no longer shown."""
    user = reset_link_holder(name, token)
    _record_password(user, password, breaks=True)
    return user


def reset_link_holder(name: str, token: str) -> User:
    user = repository.find(name)
    if user is None or not emails.reset_token.check_token(user, token):
        raise LinkSpent(LINK_SPENT)
    if not user.may_use_password:
        raise LinkSpent(BY_PROVIDER)
    return user


def change_password(user: User, password: str) -> User:
    """Ends all other sessions; returns the updated person, so that the current session can continue."""
    _record_password(user, password, breaks=False)
    return reloaded(user)


def _record_password(user: User, password: str, *, breaks: bool) -> None:
    event = Event(user.name, "UserPasswordChanged", {"name": user.name})
    email = outbox.queued("password_changed", user.email, name=user.name)
    record(event, repository.password_change(user, make_password(password), breaks=breaks), email)


def sign_out_everywhere(user: User) -> None:
    table().write(repository.ending_sessions(user))


def end_sessions(user: User, *, except_for: str, only: str | None = None) -> None:
    """End one session of a person, or all but the current one."""
    for session in sessions_of(user.name):
        if session["SK"] != except_for and only in (None, session["SK"]):
            table().write(Delete(keys.session(user.name, session["SK"])))


def ask_for_proof(user: User, browser: str, then: str) -> None:
    """Mail a link with which they prove who they are, in the browser whose session this is. Not to somebody who has a
    second step: whoever finds a browser open may find a mailbox open, too."""
    if user.factors:
        raise NotAllowed(HAS_SECOND_STEP)
    count(throttle.PROOF_MAILED, user.name)
    table().write(outbox.queued("prove_identity", user.email, name=user.name, browser=browser, next=then))


# --- the email address ---


def ask_for_new_email(user: User, email: str) -> None:
    """Mail a link to the new address; if it is taken, notify its owner instead, without telling the asker."""
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
    notice = outbox.queued("email_changed", user.email, name=user.name)
    writes = repository.email_change(user, email)
    try:
        record(event, *writes, notice)
    except LostRace as refused:
        is_leaving = any(isinstance(writes[part], Check) for part in refused.parts if part < len(writes))
        raise (TryLater(ADDRESS_FREED) if is_leaving else LinkSpent(LINK_SPENT)) from None
    return reloaded(user)


def read_email_link(name: str, token: str) -> tuple[User, str]:
    """The person whose address the link changes, and the new address."""
    user = repository.find(name)
    email = emails.read_email_token(user, token) if user else None
    if user is None or email is None:
        raise LinkSpent(LINK_SPENT)
    return user, email
