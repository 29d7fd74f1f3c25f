"""Results while they come in: the count of a public election, kept up to date in the process ballot by ballot.

A look reads the election with its gates, and the ballots cast since the last look, found by the time they were cast.
As the index may lag, every look begins a little before the newest ballot seen. A withdrawn ballot is in no list of what
is new: it is noticed because then more ballots are known than the gates have let through, and all of them are read
again. Nothing of this exists for a secret election.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

from elections import repository as elections
from elections import sharding
from elections.repository import candidates_of
from elections.rules import Election
from elections.turnout.counts import counted_in
from foundation.acts.storage import now_text, table
from foundation.store import keys, sharded_reads
from foundation.tally.count_job import CountJob
from foundation.tally.provisional import MAX_OTHER_LOTS, Draws
from foundation.tally.result import Result
from results import bounded_counting
from results.report import settings_of

from .count_cache import BallotSource, CountCache, WatchedCount

MAX_BALLOTS = 50_000  # of one election


@dataclass(frozen=True, slots=True)
class LiveResult:
    """An election as of a moment ago, with a result if it may be watched."""

    election: Election
    result: Result | None = None
    ballots: int = 0
    too_many: bool = False  # to be counted again and again
    draws: Draws = ()  # what other lots would make of it, as long as the true ones cannot be known


class ElectionCountCache(CountCache):
    """The elections that are being watched."""

    def load(self, name: str, watched: WatchedCount) -> LiveResult | None:
        found = _with_gates(name, watched.question)
        if found is None:
            return None
        election, voted = found
        if not election.shows_live(now_text()):
            return LiveResult(election)
        if voted > MAX_BALLOTS:
            return LiveResult(election, too_many=True)
        self.bring_up_to_date(watched, _box(election, voted))
        try:
            return _counted(election, watched)
        except (bounded_counting.TooExpensive, bounded_counting.Busy):
            return LiveResult(election, too_many=True)


def _box(election: Election, voted: int) -> BallotSource:
    name, shards = election.name, election.shards
    return BallotSource(
        election.created_at,
        candidates_of(election),
        every=lambda: sharded_reads.each(table(), sharding.ballot_spans(election)),
        since=lambda moment: sharded_reads.each(table(), keys.ballots_by_time(name, moment, shards, election.number)),
        can_hold=lambda total: total == voted or _fits_gates(election, total, voted),
        kind=election.kind,
    )


def _fits_gates(election: Election, total: int, voted: int) -> bool:
    """Whether so many ballots fit the gates because some were cast between reading the one and the other."""
    found = _with_gates(election.name, election.number)
    after = found[1] if found else 0
    return min(voted, after) <= total <= max(voted, after)


def _with_gates(name: str, question: int) -> tuple[Election, int] | None:
    """The election as it asks the question, and how many have voted on it, in one round trip."""
    item, gates = sharding.read_each_gate(keys.election(name))
    election = elections.election_of(item) if item else None
    if election is None or not election.has_question(question):
        return None
    counted = "voted" if not election.more else counted_in("voted", question)
    return election.at(question), sum(gate.get(counted, 0) for gate in gates)


def _counted(election: Election, watched: WatchedCount) -> LiveResult:
    """Recounted only if something is new.

    Lots are not drawn from the election's own seed: that is made at the close and must not be guessable from a page.
    """
    ballots, before = watched.running.ballots, watched.latest
    if before and before.result and before.election == election and before.result.digest == ballots.digest:
        return before
    job = CountJob(ballots, election.method, settings_of(election, election.lots_commitment), in_full=False)
    result = bounded_counting.run_job(job, waits=False).result
    return LiveResult(election, result, watched.running.total, draws=_other_draws(job) if result.lots else ())


def _other_draws(job: CountJob) -> Draws:
    """None if that takes too long."""
    with suppress(bounded_counting.TooExpensive, bounded_counting.Busy):
        return bounded_counting.run_job(replace(job, draws=MAX_OTHER_LOTS), waits=False).draws
    return ()


cache = ElectionCountCache()
