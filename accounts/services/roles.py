"""What admins decide about people: their roles, their mail limits, and who may write to many."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from accounts import password_policy, repository, rules
from accounts.models import User
from accounts.rules import Permission, Role
from foundation.acts.refusals import NotNow
from foundation.acts.retry import retried
from foundation.acts.storage import SITE, record
from foundation.store import keys
from foundation.store.log import Event, as_text, utc_now
from foundation.store.table import Check, Equals, Write


def change_role(actor: User, target: User, new: Role) -> None:
    """Change a person's role; OWNER transfers the ownership."""
    rules.check_role_change(name_and_role(actor), name_and_role(target), new)
    if new == target.role:
        return
    now = utc_now()
    since = _voter_since(target, new, now)
    changed = repository.role_change(target, new, since.get("voter_since"))
    if new == Role.OWNER:
        _transfer_ownership(actor, target, since, changed, now)
        return
    event_data = {"name": target.name, "old_role": target.role_name, "new_role": new.name, **since}
    record(Event(actor.name, "UserRoleChanged", event_data), *changed, role_unchanged(actor), at=now)


def _voter_since(target: User, new: Role, now: datetime) -> dict[str, str]:
    gains_vote = rules.has(new, Permission.VOTE) and not target.can(Permission.VOTE)
    return {"voter_since": as_text(now)} if gains_vote else {}


@retried
def follow_groups(user: User, provider_id: str, granted: Role | None) -> User:
    """Give a person the role that their groups at a provider grant, and take back what groups gave before."""
    user, now = repository.find(user.name) or user, utc_now()
    mark = user.group_role or {}
    before = Role[mark["before"]] if mark.get("provider") == provider_id else None
    new = rules.role_by_groups(user.role, before, granted)
    if new == user.role:
        return user
    own = mark.get("before", user.role_name)
    is_granted = new > Role[own]
    data: dict[str, Any] = {"name": user.name, "old_role": user.role_name, "new_role": new.name}
    data |= _voter_since(user, new, now)
    data |= {"group_role": {"provider": provider_id, "before": own}} if is_granted else {}
    writes = repository.role_change(user, new, data.get("voter_since"), data.get("group_role"))
    record(Event(SITE, "UserRoleChanged", data), *writes, at=now)
    return repository.find(user.name) or user


def _transfer_ownership(owner: User, target: User, since: dict[str, str], changed: list[Write], now: datetime) -> None:
    """One event, one transaction: at no time are there two owners or none."""
    if password_policy.requires_provider() and not target.has_usable_password():
        raise NotNow(password_policy.NO_PASSWORD_OF_NEW_OWNER)
    event_data = {"old_owner": owner.name, "new_owner": target.name, "old_role": target.role_name, **since}
    writes = [*repository.role_change(owner, Role.AUDITOR), *changed, repository.owner_change(owner, target)]
    record(Event(owner.name, "OwnershipTransferred", event_data), *writes, at=now)


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


def confirm_organiser(actor: User, target: User, confirmed: bool = True) -> None:
    """Let a person below the actor send their own text to all voters of an election, or no longer."""
    rules.check_manages(name_and_role(actor), name_and_role(target))
    if target.confirmed != confirmed:
        event = Event(actor.name, "OrganiserConfirmed" if confirmed else "OrganiserUnconfirmed", {"name": target.name})
        record(event, repository.confirmation(target, confirmed), role_unchanged(actor))
