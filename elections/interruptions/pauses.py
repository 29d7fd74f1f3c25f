"""Pauses of the site, which are interruptions of every open election."""

from __future__ import annotations

from datetime import datetime

from acts.storage import table
from elections.rules import Election
from store.log.search import Query, search


def last_pause(election: Election) -> tuple[datetime, datetime] | None:
    """The latest pause of the site while people could vote, if it is over and not on record."""
    since = election.opened_at or election.created_at
    resumed, paused = (_latest(kind, since, election.closed_at or "") for kind in ("SiteResumed", "SitePaused"))
    if resumed is None or paused is None or resumed <= paused:
        return None
    is_recorded = any(each.from_ <= resumed and each.to >= paused for each in election.interruptions)
    return None if is_recorded else (paused, resumed)


def _latest(kind: str, since: str, until: str) -> datetime | None:
    found = search(table(), Query(event_type=kind, since=since, until=until), limit=1).events
    return datetime.fromisoformat(found[0]["when_occurred"]) if found else None
