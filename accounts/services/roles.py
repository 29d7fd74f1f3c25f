"""Who may do what here."""

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
    """Give somebody another role; OWNER hands the ownership over."""
    rules.check_role_change(who(actor), who(target), new)
    if new == target.role:
        return
    if new == Role.OWNER:
        _hand_over(actor, target)
        return
    now = datetime.now(UTC)
    since = _gained_vote(target, new, now)
    said = {"name": target.name, "old_role": target.role_name, "new_role": new.name, **since}
    changed = repository.role_change(target, new, **since)
    record(Event(actor.name, "UserRoleChanged", said), *changed, still(actor), at=now)


def _gained_vote(person: User, new: Role, now: datetime) -> dict[str, str]:
    """From when they may vote, if the new role is what lets them."""
    gains = rules.has(new, rules.Permission.VOTE) and not person.can(rules.Permission.VOTE)
    return {"voter_since": as_text(now)} if gains else {}


def _hand_over(owner: User, target: User) -> None:
    """One event, one transaction: at no moment are there two owners or none."""
    now = datetime.now(UTC)
    since = _gained_vote(target, Role.OWNER, now)
    said = {"old_owner": owner.name, "new_owner": target.name, "old_role": target.role_name, **since}
    record(
        Event(owner.name, "OwnershipTransferred", said),
        *repository.role_change(owner, Role.AUDITOR),
        *repository.role_change(target, Role.OWNER, **since),
        repository.owner_change(owner, target),
        at=now,
    )


def who(user: User) -> tuple[str, Role]:
    return keys.fold(user.name), user.role


def still(actor: User) -> Check:
    """That the actor has not lost the role meanwhile which allows the act."""
    return Check(keys.user(actor.name), Equals("role", actor.role_name))
