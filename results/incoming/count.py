"""Results while they come in: the count of a public election, kept up to date in the process ballot by ballot.

A look reads the election with its gates, and the ballots cast since the last look, found by the time they were cast.
What the index tells late is told again at the next looks, which all begin a little before the newest ballot seen. A
ballot that was withdrawn is in no list of what is new: it is noticed because then more ballots are known than the gates
have let through, and all of them are read again. Nothing of this exists for a secret election.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

from acts.storage import now_text, table
from ballots.repository import candidates_of
from elections import repository as elections
from elections import sharding
from elections.rules import Election
from results import apart
from results.report import settings_of
from store import keys, sharded_reads
from tally.job import Job
from tally.result import Result
from tally.undrawn import MAX_OTHER_LOTS, Draws

from .watching import Box, Shelf, Watched

MAX_BALLOTS = 50_000  # of one election


@dataclass(frozen=True, slots=True)
class Look:
    """An election as it was a moment ago; with a result where it may be watched."""

    election: Election
    result: Result | None = None
    too_many: bool = False  # to be counted again and again
    draws: Draws = ()  # what other lots would make of it, as long as the true ones cannot be known


class ElectionShelf(Shelf):
    """The elections that are being watched."""

    def see(self, name: str, watched: Watched) -> Look | None:
        found = _with_gates(name)
        if found is None:
            return None
        election, voted = found
        if not election.shows_live(now_text()):
            return Look(election)
        if voted > MAX_BALLOTS:
            return Look(election, too_many=True)
        self.bring_up_to_date(watched, _box(election, voted))
        try:
            return _counted(election, watched)
        except (apart.TooDear, apart.Busy):
            return Look(election, too_many=True)


def _box(election: Election, voted: int) -> Box:
    name, shards = election.name, election.shards
    return Box(
        election.created_at,
        candidates_of(election),
        every=lambda: sharded_reads.each(table(), sharding.ballot_spans(election)),
        since=lambda moment: sharded_reads.each(table(), keys.ballots_by_time(name, moment, shards)),
        can_hold=lambda total: total == voted or _is_on_the_way(name, total, voted),
    )


def _is_on_the_way(name: str, total: int, voted: int) -> bool:
    """Whether so many ballots fit the gates because some were cast between reading the one and the other."""
    found = _with_gates(name)
    after = found[1] if found else 0
    return min(voted, after) <= total <= max(voted, after)


def _with_gates(name: str) -> tuple[Election, int] | None:
    """The election, and how many have voted, in one round trip."""
    item, voted = sharding.read_with_gates(name)
    return (elections.election_of(item), voted) if item else None


def _counted(election: Election, watched: Watched) -> Look:
    """Counted again only if something is new. Its lots are not drawn from its own seed: that one is made at the close,
    and until then nobody may guess it from a page."""
    ballots, before = watched.running.ballots, watched.look
    if before and before.result and before.election == election and before.result.digest == ballots.digest:
        return before
    job = Job(ballots, election.method, settings_of(election, election.lots_commitment), others=False)
    result = apart.counted(job, waits=False).result
    return Look(election, result, draws=_other_draws(job) if result.lots else ())


def _other_draws(job: Job) -> Draws:
    """None if that takes too long."""
    with suppress(apart.TooDear, apart.Busy):
        return apart.counted(replace(job, draws=MAX_OTHER_LOTS), waits=False).draws
    return ()


shelf = ElectionShelf()
