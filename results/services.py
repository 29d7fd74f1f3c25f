"""Sealing a result: it is counted once, from the ballots, and recorded in the log."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import NamedTuple

import orjson

from ballots import repository as ballots
from ballots.sealing import CannotSeal, seal_closed
from elections import repository as elections
from elections import sharding
from elections.lifecycle.closing import close_if_over
from elections.repository import candidates_of
from elections.rules import Election, State
from elections.turnout.counts import GroupTurnout, Turnout, final_turnout, group_turnouts, votes_of
from elections.turnout.counts import turnout as whole_turnout
from foundation.acts.caches import Cacheable
from foundation.acts.hooks import Hooks
from foundation.acts.storage import now_text, table, try_record
from foundation.acts.wakeups import SEALING_JOB, wake_worker
from foundation.store import keys, round_trips
from foundation.store.log import Event
from foundation.store.sharded_reads import ordered_values
from foundation.store.table import Check, Delete, Exists, Item, StoreError, Write
from foundation.tally import lots
from foundation.tally.ballots import Ballots
from foundation.tally.cost import Size
from foundation.tally.count_job import CountJob
from foundation.tally.pairwise import PairwiseSummary
from results import repository, running_count

from .repository import Found, Seal, report_on, settings_of

# ballots that are counted within a request; more are left to the worker,
MAX_BALLOTS_COUNTED_IN_REQUEST = 1_000
MAX_STEPS_IN_REQUEST = 1_000_000  # and so is what takes longer than about a second
WAIT_SECONDS = 1.0  # how long the person who closed an election waits for the worker
CHECK_INTERVAL_SECONDS = 0.01  # seconds between checks
BATCH_ROLL_ENTRIES = 1_000  # entries of the roll
BETWEEN = b"],["  # two entries in JSON

RollEntry = tuple[str, bool] | tuple[str, bool, int]  # name, whether they have voted, and the weight if not 1


SEALING = Hooks[[Election], list[Write]]("in the transaction that seals a result")


class Disagreement(CannotSeal):
    """The ballots do not match the turnout or the running count: something was lost or added, or an index is late and
    the next attempt succeeds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedElection:
    """All that the result of a closed election, or of one of its questions, is made of, as it was read."""

    election: Election
    counted: Ballots
    turnout: Turnout
    by_time: PairwiseSummary | None  # the running count, where there is one
    lots_secret: str  # to which it is committed; empty if it is gone
    roll_secret: str
    roll: CommittedRoll
    groups: tuple[GroupTurnout, ...]
    people: int  # who voted on any of several questions; with the first of them

    @property
    def lots(self) -> Item:
        """The secret, and the seed that it and the ballots make. If the secret is gone there is no seed, and nothing
        that needs one can be sealed."""
        secret, number = self.lots_secret, self.election.number
        return {"lots_secret": secret, "seed": lots.seed_of(secret, self.counted.digest, number) if secret else ""}


def read_closed(election: Election, counts: Mapping[str, int] | None = None) -> ClosedElection | None:
    """None if the result is sealed. `counts` saves reading the ballots again."""
    if repository.is_sealed(election.name, election.number):
        return None
    counted, turnout = ballots.read_ballots(election, counts).normal, final_turnout(election)
    is_live = election.results_visible == "live" and not election.secret_ballot
    roll_secret = secrets.token_hex(32)
    return ClosedElection(
        election=election,
        counted=counted,
        turnout=turnout,
        by_time=running_count.summary_by_time(election) if is_live else None,
        lots_secret=elections.lots_secret(election.name),
        roll_secret=roll_secret,
        roll=roll_commitment(election, roll_secret),
        groups=tuple(group_turnouts(election, turnout.voted)),
        people=whole_turnout(election).voted if election.more and election.number == 1 else 0,
    )


def check_agreement(closed: ClosedElection) -> None:
    """That the ballots are as many as the gates have counted, as the running count says, and as the roll has voters;
    and that the lots are those to which the election is committed."""
    counted, turnout, roll = closed.counted, closed.turnout, closed.roll
    if counted.total != turnout.votes:
        raise Disagreement(f"There are {counted.total} votes, but the gates have counted {turnout.votes}.")
    if closed.by_time is not None and closed.by_time != counted.summary:
        raise Disagreement("The ballots, and the ballots by the time they were cast, do not add up to the same.")
    if closed.lots_secret and lots.commitment(closed.lots_secret) != closed.election.lots_commitment:
        raise Disagreement("The secret of the lots is not the one to which the election is committed.")
    if roll.voted != turnout.voted + turnout.withdrawn or roll.votes < turnout.votes + turnout.withdrawn:
        raise Disagreement(
            f"By the roll {roll.voted} have voted, with {roll.votes} votes; there are {turnout.voted} ballots with "
            f"{turnout.votes} votes, and {turnout.withdrawn} ballots withdrawn."
        )


def seal_result(election: Election, counts: Mapping[str, int] | None = None) -> None:
    """Count a closed election, or one of its questions, and seal the result. Any number of workers may do this at once;
    it happens once. With the first question, which is sealed last, the whole election is sealed."""
    if (closed := read_closed(election, counts)) is None:
        return
    is_sealed = partial(repository.is_sealed, election.name, election.number)
    if not closed.lots_secret and is_sealed():
        return  # by another worker, who has disclosed and deleted the secret
    try:
        check_agreement(closed)
    except Disagreement:
        if is_sealed():
            return  # by another worker, who empties its box
        raise
    seed = closed.lots["seed"]
    report = report_on(closed.counted, election.method, **settings_of(election, seed, closed.roll.entitled))
    if report.result.lots and not seed:
        raise CannotSeal("A lot must be drawn, and the secret to which the election is committed is gone.")
    text, turnout = report.as_json(), closed.turnout
    seal = Seal(
        ballots=turnout.voted,
        digest=closed.counted.digest,
        report_digest=hashlib.sha256(text.encode()).hexdigest(),
        sealed_at=now_text(),
        parts=repository.write_parts(election, text, closed.counted),
        candidates=closed.counted.candidates,
        turnout=turnout,
        roll_secret=closed.roll_secret,
        equals=closed.counted.has_equals,
        groups=closed.groups,
        brief=repository.brief_of(report.result) if election.more else None,
        people=closed.people,
        **closed.lots,
    )
    event_data = {
        **election.event_subject,
        **{name: getattr(seal, name) for name in ("ballots", "digest", "report_digest", "sealed_at")},
        "roll_commitment": closed.roll.commitment,
        **({"withdrawn": turnout.withdrawn} if turnout.withdrawn else {}),
        **({"summary": "agrees"} if closed.by_time is not None else {}),
        **closed.lots,
        "winners": list(report.result.winners),
    }
    writes: list[Write] = [repository.head(election, seal), Check(keys.election(election.name), Exists())]
    if election.number == 1:
        writes += [Delete(keys.lots(election.name)), *repository.outcome(election, seal, report.result)]
        writes += [write for step in SEALING for write in step(election)]
    try_record(Event("plenum", "ResultSealed", event_data), *writes)  # unless another worker has sealed it, identically


def _is_quick_to_count(election: Election) -> bool:
    """Whether a request may wait for it, assuming that every ballot is different and complete."""
    voted, steps = votes_of(election), 0
    if voted * len(election.questions) > MAX_BALLOTS_COUNTED_IN_REQUEST:
        return False
    for each in election.questions:
        candidates = len(candidates_of(each))
        size = Size(candidates, voted, voted * candidates, seats=each.seats)
        steps += CountJob(Ballots((), {}), each.method, settings_of(each, "")).cost(size)
    return steps <= MAX_STEPS_IN_REQUEST


def find(
    election_name: str, question: int = 1, *, with_report: bool = True, recently: Cacheable | None = None
) -> Found | None:
    """The election with its result. One that is over but not sealed is sealed now if that is quick."""
    found = repository.find(election_name, question, with_report=with_report, recently=recently)
    if found is None or found.seal or found.election.state(now_text()) != State.CLOSED:
        return found
    is_closed_now = found.election.stored_state != State.CLOSED and close_if_over(election_name)
    if _is_quick_to_count(found.election):
        seal_closed(election_name)
    elif is_closed_now:
        wait_for_worker(found.election)
    else:
        return found
    return repository.find(election_name, question)


def wait_for_worker(election: Election) -> None:
    """Wake the worker and wait briefly, for the person who closed the election and is about to look.

    No wait if no worker is running, or on a distant store. Only the person who closed it waits: there may be thousands
    of others.
    """
    if not wake_worker(SEALING_JOB) or table().is_distant:
        return
    until = time.monotonic() + WAIT_SECONDS
    with round_trips.uncounted(), suppress(StoreError):  # the next page meets and reports it too
        while not repository.is_sealed(election.name) and time.monotonic() < until:
            time.sleep(CHECK_INTERVAL_SECONDS)


# --- the commitment to the roll ---


class RollCommitment:
    """The commitment to the whole roll, made as the roll is read: who may vote and whether they have.

    Each entry has its own nonce, the HMAC-SHA-256 of the folded name under a secret of the result that is never
    published, and a commitment: the SHA-256 of the nonce and of the entry as a line of JSON (`roll_entry`). The
    commitment to the roll is the SHA-256 of all of these, in the order in which the roll is read, that of the folded
    names. So an entry can be disclosed by its nonce without the others, and an undisclosed one cannot be found by
    trying names and addresses.
    """

    def __init__(self, secret: str):
        self._secret, self._hash = bytes.fromhex(secret), hashlib.sha256()

    def add(self, entry: RollEntry) -> tuple[bytes, bytes]:
        """Returns the nonce and the commitment of this entry."""
        (nonce,), (commitment,) = self.add_all([entry])
        return nonce, commitment

    def add_all(self, entries: list[RollEntry]) -> tuple[list[bytes], list[bytes]]:
        """The nonces and the commitments of these. The lines of JSON are made in one go, which takes a tenth of the
        time, and split, unless a name contains the separator."""
        nonces = [hmac.digest(self._secret, keys.fold(name).encode(), "sha256") for name, *_ in entries]
        apart = orjson.dumps(entries)[2:-2].split(BETWEEN)
        lines = [b"[%b]" % each for each in apart] if len(apart) == len(entries) else map(orjson.dumps, entries)
        commitments = [hashlib.sha256(nonce + line).digest() for nonce, line in zip(nonces, lines, strict=True)]
        self._hash.update(b"".join(commitments))
        return nonces, commitments

    @property
    def text(self) -> str:
        return self._hash.hexdigest()


def roll_entry(name: str, voted: bool, weight: int) -> RollEntry:
    return (name, voted) if weight == 1 else (name, voted, weight)


class CommittedRoll(NamedTuple):
    commitment: str
    voted: int
    votes: int  # of those who have voted
    entitled: int  # votes of all who may vote


def roll_commitment(election: Election, secret: str) -> CommittedRoll:
    """The commitment to the roll, how many have voted, how many votes they have, and how many there are in all."""
    commitment, voted, votes, entitled = RollCommitment(secret), 0, 0, 0
    entries = ordered_values(table(), sharding.roll_spans(election), "voter_name", "voted", "weight", "groups")
    if election.for_groups:
        entries = (entry for entry in entries if election.is_for(entry[3] or ()))
    while some := list(islice(entries, BATCH_ROLL_ENTRIES)):
        commitment.add_all([roll_entry(name, has_voted, weight or 1) for name, has_voted, weight, _groups in some])
        weights = [weight or 1 for _name, has_voted, weight, _groups in some if has_voted]
        voted, votes = voted + len(weights), votes + sum(weights)
        entitled += sum(weight or 1 for _name, _has_voted, weight, _groups in some)
    return CommittedRoll(commitment.text, voted, votes, entitled)
