"""Whom the site lets mail others: how many mails a day, and who may write words of their own to many."""

from __future__ import annotations

from accounts import repository, rules
from accounts.models import User
from acts.storage import record
from store.log import Event
from store.table import Write

from .roles import still, who


def change_mail_limit(actor: User, target: User, most: int | None) -> None:
    """How many mails somebody below the actor may have sent to others in a day; none, as many as is usual here."""
    rules.check_manages(who(actor), who(target))
    if most == target.mails_a_day:
        return
    said = {"name": target.name, "old_mails_a_day": target.mails_a_day, "mails_a_day": most}
    _record(actor, Event(actor.name, "MailLimitChanged", said), repository.mail_limit_change(target, most))


def confirm_organiser(actor: User, target: User) -> None:
    """Let somebody below the actor write words of their own to all voters of an election."""
    rules.check_manages(who(actor), who(target))
    if not target.confirmed:
        event = Event(actor.name, "OrganiserConfirmed", {"name": target.name})
        _record(actor, event, repository.confirmation(target))


def unconfirm_organiser(actor: User, target: User) -> None:
    rules.check_manages(who(actor), who(target))
    if target.confirmed:
        event = Event(actor.name, "OrganiserUnconfirmed", {"name": target.name})
        _record(actor, event, repository.unconfirmation(target))


def _record(actor: User, event: Event, change: Write) -> None:
    """On condition that both still have the roles by which one may do this to the other."""
    record(event, change, still(actor))
