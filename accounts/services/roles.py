"""What admins decide about people: their roles, their mail limits, and who may write to many."""

from __future__ import annotations

from datetime import UTC, datetime

from accounts import repository, rules
from accounts.models import User
from accounts.rules import Role
from acts.storage import record
from store import keys
from store.log import Event, as_text
from store.table import Check, Equals


def change_role(actor: User, target: User, new: Role) -> None:
    """Change a person's role; OWNER transfers the ownership."""
    rules.check_role_change(name_and_role(actor), name_and_role(target), new)
    if new == target.role:
        return
    if new == Role.OWNER:
        _transfer_ownership(actor, target)
        return
    now = datetime.now(UTC)
    since = _gained_vote(target, new, now)
    event_data = {"name": target.name, "old_role": target.role_name, "new_role": new.name, **since}
    changed = repository.role_change(target, new, **since)
    record(Event(actor.name, "UserRoleChanged", event_data), *changed, role_unchanged(actor), at=now)


def _gained_vote(person: User, new: Role, now: datetime) -> dict[str, str]:
    """Since when they may vote, if the new role is what allows it."""
    gains = rules.has(new, rules.Permission.VOTE) and not person.can(rules.Permission.VOTE)
    return {"voter_since": as_text(now)} if gains else {}


def _transfer_ownership(owner: User, target: User) -> None:
    """One event, one transaction: at no time are there two owners or none."""
    now = datetime.now(UTC)
    since = _gained_vote(target, Role.OWNER, now)
    event_data = {"old_owner": owner.name, "new_owner": target.name, "old_role": target.role_name, **since}
    record(
        Event(owner.name, "OwnershipTransferred", event_data),
        *repository.role_change(owner, Role.AUDITOR),
        *repository.role_change(target, Role.OWNER, **since),
        repository.owner_change(owner, target),
        at=now,
    )


def name_and_role(user: User) -> tuple[str, Role]:
    return keys.fold(user.name), user.role


def role_unchanged(actor: User) -> Check:
    """Check that the person still has the role that allows the act."""
    return Check(keys.user(actor.name), Equals("role", actor.role_name))


def change_mail_limit(actor: User, target: User, most: int | None) -> None:
    """Set how many mails a person below the actor may send to others per day; `None` is the site's default."""
    rules.check_manages(name_and_role(actor), name_and_role(target))
    if most == target.mails_a_day:
        return
    event_data = {"name": target.name, "old_mails_a_day": target.mails_a_day, "mails_a_day": most}
    record(
        Event(actor.name, "MailLimitChanged", event_data),
        repository.mail_limit_change(target, most),
        role_unchanged(actor),
    )


def confirm_organiser(actor: User, target: User) -> None:
    """Let a person below the actor send their own text to all voters of an election."""
    rules.check_manages(name_and_role(actor), name_and_role(target))
    if not target.confirmed:
        event = Event(actor.name, "OrganiserConfirmed", {"name": target.name})
        record(event, repository.confirmation(target), role_unchanged(actor))


def unconfirm_organiser(actor: User, target: User) -> None:
    rules.check_manages(name_and_role(actor), name_and_role(target))
    if target.confirmed:
        event = Event(actor.name, "OrganiserUnconfirmed", {"name": target.name})
        record(event, repository.unconfirmation(target), role_unchanged(actor))
