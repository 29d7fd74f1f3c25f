"""Removing accounts. config/hooks.py registers what other apps do then."""

from __future__ import annotations

from datetime import UTC, datetime

from django.utils.translation import gettext_lazy as _

from accounts import repository, rules
from accounts.models import User
from accounts.repository import REMOVAL
from accounts.rules import Role
from foundation.acts.background import Batch, Task, finished, wait
from foundation.acts.hooks import Hooks
from foundation.acts.queues import process_each
from foundation.acts.refusals import NotAllowed
from foundation.acts.storage import SITE, delete_all, now_text, record, table
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.schema import SCHEMA
from foundation.store.table import Condition, Write

from .roles import name_and_role, role_unchanged

ON_REMOVAL = Hooks[[User], None]("when a person has been removed; each step is repeated until it is done", always=True)
ON_ERASURE = Hooks[[str], None]("when the log is asked to forget a name or address that no account has", always=True)


def removal_effects(user: User) -> list[str]:
    """What a removal would hand over, in sentences. It must not reveal where the person has voted."""
    counted = (pair for each in SCHEMA.partings for pair in zip(each.sentences, each.counts(user), strict=True))
    return [str(sentence % {"count": count}) for sentence, count in counted if count]


def remove(actor: User, target: User) -> None:
    """Remove a person below the actor."""
    rules.check_manages(name_and_role(actor), name_and_role(target))
    _record_removal(target, actor.name, role_unchanged(actor))


def remove_self(user: User) -> None:
    """Remove one's own account. The owner must transfer the ownership first: a site has exactly one owner."""
    if user.role == Role.OWNER:
        raise NotAllowed(_("You own this site, so you cannot leave yet. Transfer the ownership first."))
    _record_removal(user, user.name)


def remove_again(name: str, removed_at: str) -> bool:
    """The site removes a person who was already removed before; false if that account does not exist."""
    user = repository.find(name)
    if user is None or user.created_at > removed_at or user.role == Role.OWNER:
        return False
    _record_removal(user, SITE)
    return True


def _record_removal(user: User, actor: str, *also: Write, only_if: Condition | None = None) -> None:
    event = Event(actor, "UserRemoved", {"name": user.name, "role": user.role_name})
    record(event, *repository.removal(user, only_if), *repository.reserving_names(user, now_text()), *also)
    REMOVAL.start(user.name)


@REMOVAL.step
def finish_removal(task: Task) -> Batch:
    """Finish the removal of everything of theirs, with a second pass for what the index did not have yet."""
    gone, removed_at = User(name=task.subject, email=task.data["email"]), task.data["removed_at"]
    age = (datetime.now(UTC) - datetime.fromisoformat(removed_at)).total_seconds()
    process_each(ON_REMOVAL, lambda step: step(gone))
    if age < table().index_lag:
        return wait(table().index_lag - age)
    upto = (table().get(keys.EVENT_NUMBER) or {"last": 0})["last"]
    return finished(*repository.releasing_names(gone), repository.forgetting_in_log(gone, removed_at, upto))


def delete_sessions(gone: User) -> None:
    """Forget where they were signed in, and on which devices."""
    delete_all(keys.sessions(gone.name))
