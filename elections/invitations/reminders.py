"""Automatic reminders at chosen times before the end, each sent once by the worker."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from elections import actions, repository
from elections.rules import Action, Election, State
from foundation.acts.queues import process_each
from foundation.acts.storage import now_text, table, try_record
from foundation.store import keys
from foundation.store.log import Event, as_text
from foundation.store.table import Check, Equals, Item, Missing, Update

from . import mailing
from .mailing import TIMED

REMINDER_TIMES = {72: _("3 days before the end"), 24: _("1 day before the end"), 3: _("3 hours before the end")}
MIN_REMINDER_GAP = timedelta(hours=12)  # minimum time between any reminder and a scheduled one


def choose(actor: User, election: Election, hours: Iterable[int]) -> Election:
    """Set when those who have not voted are reminded. Moments already past are skipped."""
    chosen = tuple(sorted(set(hours), reverse=True))
    from_now = repository.reminders_from_now(election)
    return actions.change(actor, election, Action.SET_REMINDERS, from_now, remind_before=chosen)


def due(hours: Iterable[int], end: str | None, now: str, since: str = "", last: str = "") -> int | None:
    """The reminder time (hours before the end) that has come, if any: the latest that has passed.

    Not one that had passed when reminders were chosen, nor one too soon after the last reminder.
    """
    if end is None or not (passed := [each for each in hours if moment(end, each) <= now < end]):
        return None
    nearest = min(passed)
    earliest = max(since, _later(last, MIN_REMINDER_GAP) if last else "")
    return nearest if moment(end, nearest) >= earliest else None


def moment(end: str, hours: int) -> str:
    return _later(end, -timedelta(hours=hours))


def _later(stored: str, by: timedelta) -> str:
    return as_text(datetime.fromisoformat(stored) + by)


def send_due_reminders() -> int:
    """Start the reminders that are due (idempotent); returns how many. They use the owner's budget, unreserved."""
    now = now_text()
    listed = table().each(repository.list_of(State.OPEN))
    return process_each(listed, lambda each: _remind(each, now))


def _remind(listed: Item, now: str) -> int:
    if not due(listed.get("remind_before", ()), listed["no_voting_after"], now):
        return 0
    places = keys.election(listed["name"]), keys.reminders(listed["name"])
    found = table().get_many(places)
    if places[0] not in found:
        return 0
    election, stored = repository.election_of(found[places[0]]), found.get(places[1], {})
    hours = due(
        election.remind_before, election.no_voting_after, now, stored.get("from", ""), stored.get("last_sent", "")
    )
    if hours is None or election.no_voting_after is None or not election.takes_votes(now):
        return 0
    when = moment(election.no_voting_after, hours)
    task = mailing.mailing_task(election, TIMED, election.owner_name, moment=when, reserved=0)
    event = Event("plenum", "VotersReminded", {"election_name": election.name, "hours_before": hours})
    last = Equals("last_sent", stored["last_sent"]) if "last_sent" in stored else Missing("last_sent")
    mark = Update(places[1], set={"last_sent": now}, when=last)
    is_open = Equals("allow_vote", True) & Equals("no_voting_after", election.no_voting_after)
    check = Check(places[0], is_open & Equals("remind_before", list(election.remind_before)))
    # else another worker has started it, or its end was moved at this moment
    return int(try_record(event, task, mark, check, *mailing.reminder_steps(election)))
