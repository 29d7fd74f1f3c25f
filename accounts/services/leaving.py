"""Leaving for good. What other apps do then is arranged in config/steps.py."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime

from django.utils.translation import gettext_lazy as _

from accounts import repository, rules
from accounts.models import User
from accounts.rules import Role
from acts.handfuls import sweep
from acts.queues import complain, take_each
from acts.refusals import OVERTAKEN, NotAllowed, Overtaken
from acts.site import log, table
from acts.steps import Steps
from store import keys
from store.log import Event, as_text
from store.schema import SCHEMA
from store.table import Condition, Item, Refused, Write

from .roles import still, who

SITE = "plenum"
LONG_AGO = datetime.min.replace(tzinfo=UTC)


LEAVING = Steps[[User], None]("when somebody was removed; each until it is done")


def foreseen(user: User) -> list[str]:
    """What a removal would pass on, for whoever is about to decide it. It must not tell where they have voted."""
    counted = (pair for each in SCHEMA.partings for pair in zip(each.sentences, each.counts(user), strict=True))
    return [str(sentence % {"count": count}) for sentence, count in counted if count]


def remove(actor: User, target: User) -> None:
    """Remove somebody below the actor."""
    rules.check_manages(who(actor), who(target))
    _record_removal(target, actor.name, still(actor))


def remove_self(user: User) -> None:
    """Leave for good. The owner has to hand the ownership over first: a site has exactly one owner."""
    if user.role == Role.OWNER:
        raise NotAllowed(_("The owner cannot leave. Hand the ownership over first."))
    _record_removal(user, user.name)


def remove_unused(user: User, unused: Condition) -> None:
    """The site removes an account that nobody has used for long; not if somebody has signed in meanwhile."""
    _record_removal(user, SITE, only_if=unused)


def remove_again(name: str, removed_at: str) -> bool:
    """The site removes somebody who was removed once before; false if that account is not there."""
    user = repository.find(name)
    if user is None or user.created_at > removed_at or user.role == Role.OWNER:
        return False
    _record_removal(user, SITE)
    return True


def _record_removal(user: User, actor: str, *also: Write, only_if: Condition | None = None) -> None:
    event, now = Event(actor, "UserRemoved", {"name": user.name, "role": user.role_name}), datetime.now(UTC)
    try:
        log().record(event, *repository.removal(user, only_if), *repository.leaving(user, as_text(now)), *also)
    except Refused:
        raise Overtaken(OVERTAKEN) from None
    try:
        _see_off(user, now)
    except Exception as error:  # they are removed all the same, and the worker takes up what is left
        complain(error)


def _see_off(gone: User, removed: datetime) -> bool:
    """Whether everything of theirs is in order for good: what the index has not heard of is looked for once more."""
    began = datetime.now(UTC)
    take_each(LEAVING, lambda step: step(gone))
    if (began - removed).total_seconds() < table().index_lag:
        return False
    upto = (table().get(keys.event_number()) or {"last": 0})["last"]
    with suppress(Refused):  # then another worker has seen them off
        table().write(*repository.left(gone), repository.to_be_forgotten(gone, as_text(removed), upto))
    return True


def forget_sessions(gone: User) -> None:
    """Where they were signed in, and with what."""
    sweep(keys.sessions(gone.name), ())


def see_off_all() -> int:
    """Finish what removals have left undone; answers of how many nothing is left."""
    return take_each(list(table().each(keys.LEAVING)), _see_off_marked)


def _see_off_marked(mark: Item) -> bool:
    removed = datetime.fromisoformat(mark["removed_at"]) if "removed_at" in mark else LONG_AGO
    return _see_off(User(name=mark["name"], email=mark["email"]), removed)
