"""The live count of a poll, cached in each process, which reads only new votes.

Each look reads the poll, its gates and its sealed result; while it is open, also the votes since the last look, by
time. Votes are never withdrawn, so there must be as many as the gates have counted; if the index lags behind, all are
read again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from foundation.acts.storage import now_text
from foundation.store.table import Item
from foundation.tally.ballots import Ballots
from results.running_count import BallotSource, CountCache, KnownBallot, WatchedCount

from . import repository
from .counting import MethodComparison
from .rules import Poll
from .sealing import try_seal

# votes that are counted and sealed within a request; more are left to the worker
MAX_VOTES_COUNTED_IN_REQUEST = 1_000
CACHE_BYTES = 60_000_000  # of all polls that are being watched


@dataclass(frozen=True, slots=True)
class PollSnapshot:
    """A poll as of a moment ago. Without a result, it is over and being counted."""

    poll: Poll
    result: MethodComparison | None
    ballots: Ballots | None = None  # how often each vote was given, while it is open
    is_sealed: bool = False

    @property
    def stamp(self) -> str:
        """Lets a page know whether it already shows this."""
        return f"{self.result.digest[:16]}{self.poll.version}{'s' * self.is_sealed}" if self.result else ""


class PollWatch(CountCache):
    def load(self, name: str, watched: WatchedCount) -> PollSnapshot | None:
        found = repository.with_gates(name)
        if found is None:
            return None
        poll, voted, head = found
        if not poll.is_open(now_text()):
            watched.forget()
            return _closed_snapshot(poll, voted, head)
        self.bring_up_to_date(watched, _votes_of(poll, voted))
        return _counted_snapshot(poll, watched)


def _votes_of(poll: Poll, voted: int) -> BallotSource:
    return BallotSource(
        poll.created_at,
        poll.candidates,
        every=lambda: repository.each_vote(poll),
        since=lambda moment: repository.votes_since(poll, moment),
        can_hold=lambda total: total >= voted,
        ballot_from=_counted_vote,
        kind=poll.kind,
    )


def _counted_vote(vote: Item) -> KnownBallot:
    """The number of acts distinguishes a changed vote from the one before."""
    return KnownBallot(vote["votedAt"], str(vote["acts"]), vote["rankings"])


def _counted_snapshot(poll: Poll, watched: WatchedCount) -> PollSnapshot:
    """Recounts only if something is new; most looks find nothing."""
    before = watched.latest
    if before and before.ballots is not None and before.ballots.normal.summary is watched.running.summary:
        return replace(before, poll=poll)
    ballots = watched.running.ballots
    if before and before.result and before.ballots and before.result.digest == ballots.digest:
        return replace(before, poll=poll)
    return PollSnapshot(poll, MethodComparison.of(ballots, poll.seed, poll.kind), ballots)


def _closed_snapshot(poll: Poll, voted: int, head: Item | None) -> PollSnapshot:
    """The sealed result; a small poll is sealed now."""
    if head is None and voted <= MAX_VOTES_COUNTED_IN_REQUEST and try_seal(poll.id):
        poll, _voted, head = repository.with_gates(poll.id) or (poll, voted, None)
    if head is None:
        return PollSnapshot(poll, None)
    return PollSnapshot(poll, MethodComparison.from_bytes(head["report"]), is_sealed=True)


watched_polls = PollWatch(most=CACHE_BYTES)
