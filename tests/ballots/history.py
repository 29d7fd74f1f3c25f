"""Histories of votes: what everybody did and was told, what was left behind, and what no serial order explains.

A history is linearizable if every act can be thought to have happened at one moment between its call and its answer, so
that all answers, and all that is left behind, are those of acts done one after the other. Voters have nothing in common
but the close. It has two moments: from the first on, nobody who comes is let in; at the second nobody is in the way in
any more. In between, whoever came before the first may be let in or be told that it is closed. Both are put at the
latest moments that all who met them allow, because a later close explains more; then the acts of each voter are judged
by themselves, by an exact search.

In a secret election a voter casts once, by name; whoever has the secret then changes, withdraws and looks. Here every
voter has one secret, as if the browser always drew the same half.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from math import inf
from typing import Any

from accounts.models import User
from ballots import repository, services
from ballots.sealing import seal_closed
from elections import repository as elections
from elections import rolls
from elections.rules import Election, State
from elections.turnout.counts import final_turnout
from foundation.store.log import layout, utc_now
from foundation.store.log.seal import GRACE_PERIOD, verify
from foundation.store.table import Item, Table
from operations.upkeep.figures import COUNTED, SiteSealer

# What an answer can say.
DONE = "done"
REPEATED = "repeated"  # the same form was carried out before
CARRIED_OUT = "carried out"  # one of the two; the answer does not say which
CLOSED = "closed"
NOTHING = "nothing"  # there is no ballot to withdraw
OVERTAKEN = "overtaken"  # refused without a statement about the ballot box
UNKNOWN = "unknown"  # an error, after which it may have happened, may happen yet, or not

NEVER_AFTER_THE_CLOSE = (
    "BallotCast",
    "BallotChanged",
    "BallotWithdrawn",
    "ElectionUpdated",
    "VotersAdded",
    "ElectionClosed",
)
MAX_SEARCH_STEPS = 50_000  # steps of a search; most take fewer than a hundred


@dataclass(frozen=True, slots=True)
class Act:
    """What somebody did, from the call to the answer; times are those of a clock all processes share."""

    actor: str
    kind: str  # cast, change, withdraw, look; of organisers: extend, add, close
    called: float
    answered: float
    answer: str
    form: str = ""  # of an organiser's act, what it would change
    rankings: str | None = None  # what was cast, or seen
    code: str | None = None
    acts: int | None = None  # how often the voter had acted before, if the answer says
    receipt: Sequence[str] | None = None  # the ranking and the code of a ballot cast before, if the answer shows it


@dataclass(frozen=True, slots=True)
class Box:
    """What the ballot box knows of one voter."""

    ballot: tuple[str, str | None] | None = None  # the ranking, and the code once somebody was told it
    acts: int = 0
    spent: frozenset[str] = frozenset()
    said: float = inf  # when it was said that it is being closed, once it is
    shut: bool = False
    secret: bool = False  # whether the election is
    cast: bool = False  # ever


# --- one voter ---


def after(box: Box, act: Act) -> Box | None:
    """The box after the act; `None` if nobody can have got this answer at this moment."""
    if act.kind in ("said", "shut"):
        return replace(box, said=min(box.said, act.called), shut=box.shut or act.kind == "shut")
    if act.kind == "look":
        return _seen(box, act)
    if box.secret and not box.cast and act.kind in ("change", "withdraw"):
        return box if act.answer == NOTHING else None  # whether it is closed is said only of a ballot that was cast
    if act.answer == CLOSED:
        return box if box.said < inf and act.form not in box.spent else None
    if act.form in box.spent or (box.secret and box.cast and act.kind == "cast"):
        is_shown = act.receipt is None or (
            box.ballot is not None and _same(box.ballot, (act.receipt[0], act.receipt[1]))
        )
        return box if act.answer in (REPEATED, CARRIED_OUT) and is_shown else None
    if act.answer == REPEATED or box.shut or act.called > box.said:
        return None
    is_missing = act.kind == "withdraw" and box.ballot is None
    if act.answer == NOTHING or is_missing:
        return box if act.answer == NOTHING and is_missing else None
    return _acted(box, act)


def _seen(box: Box, act: Act) -> Box | None:
    if box.ballot is None or act.rankings is None:
        return box if box.ballot is None and act.rankings is None else None
    return replace(box, ballot=(act.rankings, act.code)) if _same(box.ballot, (act.rankings, act.code)) else None


def _same(ballot: tuple[str, str | None], other: tuple[str, str | None]) -> bool:
    return ballot[0] == other[0] and (None in (ballot[1], other[1]) or ballot[1] == other[1])


def _acted(box: Box, act: Act) -> Box | None:
    if act.acts not in (None, box.acts):
        return None
    ballot = None if act.kind == "withdraw" else (act.rankings or "", act.code)
    return replace(box, ballot=ballot, acts=box.acts + 1, spent=box.spent | {act.form}, cast=True)


def explained(acts: Sequence[Act], left: Box) -> bool:
    """Whether some order of one voter's acts gives all these answers and leaves this behind.

    Whatever was answered before another act was called comes before it. An act without an answer happened or not.
    """
    waiting = [(frozenset(range(len(acts))), Box(secret=left.secret))]
    seen = set(waiting)
    while waiting:
        assert len(seen) < MAX_SEARCH_STEPS, (
            "too many acts without an answer: nobody can try out all they may have done"
        )
        pending, box = waiting.pop()
        pending, soonest = _without_onlookers(acts, pending, box)
        if soonest == inf and _agree(box, left):
            return True
        for each in pending:
            following = after(box, acts[each]) if acts[each].called <= soonest else None
            if following is not None and (step := (pending - {each}, following)) not in seen:
                seen.add(step)
                waiting.append(step)
    return False


def _without_onlookers(acts: Sequence[Act], pending: frozenset[int], box: Box) -> tuple[frozenset[int], float]:
    """The acts that are left when those that can happen now and change nothing have happened, and by when one must.

    No explanation needs such an act to wait; without this the search would try them in every order.
    """
    while True:
        soonest = min((acts[each].answered for each in pending if acts[each].answer != UNKNOWN), default=inf)
        idle = {each for each in pending if acts[each].called <= soonest and after(box, acts[each]) == box}
        if not idle:
            return pending, soonest
        pending -= idle


def _agree(box: Box, left: Box) -> bool:
    """The roll counts the acts of a public election; of a secret one it says whether there was any."""
    if (box.cast != left.cast) if left.secret else (box.acts != left.acts):
        return False
    if box.ballot is None or left.ballot is None:
        return box.ballot is left.ballot
    return _same(box.ballot, left.ballot)


# --- what is left behind ---


@dataclass(frozen=True)
class Left:
    """What there was when everybody had gone."""

    roll: dict[str, Box]  # every voter's own ballot, and how often the roll says they acted
    voted: set[str]  # who voted, as the roll has it
    ballots: list[tuple[str, str]]  # rankings and codes of all ballots there are
    turnout: int
    curve: int  # where it ends that tells when they voted
    end: str | None
    closed: bool
    secret: bool
    events: list[Item] = field(default_factory=list)  # of this election, in the order of their numbers
    log: str | None = None  # the first flaw in the log
    torn: list[str] = field(default_factory=list)  # flaws of ballots that answer several questions


def secret_of(voter: str, election_name: str) -> str:
    return hashlib.sha256(f"{voter} in {election_name}".encode()).hexdigest()[:32]


def left_behind(table: Table, election_name: str, voters: Iterable[User]) -> Left:
    election = elections.find(election_name)
    assert election is not None
    if election.secret_ballot and election.stored_state == State.CLOSED:
        seal_closed(election_name)  # which leaves the box as it was
    roll = dict(_boxes(election, voters))
    counted = final_turnout(election)
    return Left(
        roll=roll,
        voted={voter.name for voter in rolls.every_voter(election_name) if voter.voted},
        ballots=sorted((each.rankings, each.confirmation) for each in repository.every_ballot(election_name)),
        turnout=counted.voted,
        curve=counted.steps[-1][1] if counted.steps else 0,
        end=election.no_voting_after,
        closed=election.stored_state == State.CLOSED,
        secret=election.secret_ballot,
        events=[each for each in layout.each(table) if each["event_data"].get("election_name") == election.name],
        log=_flaw_in_log(table),
        torn=[*_torn(election, voters)] if election.more else [],
    )


def _boxes(election: Election, voters: Iterable[User]) -> Iterator[tuple[str, Box]]:
    for voter in voters:
        secret = secret_of(voter.name, election.name) if election.secret_ballot else ""
        context = services.voter_context(voter, election.name, secret=secret)
        assert context is not None
        ballot, is_cast = repository.ballots_of(context).get(1), bool(context.found)
        own = (ballot.rankings, ballot.confirmation) if ballot else None
        yield voter.name, Box(own, context.revision, secret=election.secret_ballot, cast=is_cast)


def _torn(election: Election, voters: Iterable[User]) -> Iterator[str]:
    """Every form says the same in each question, so that what a voter has there is the same if it is of one ballot."""
    every: list[str] = []
    for voter in voters:
        said = {number: ballot.rankings for number, ballot in _own(election, voter).items()}
        if said and (len(said) != len(election.questions) or len({*said.values()}) > 1):
            yield f"What {voter.name} says in the questions is not of one ballot: {said}."
        every += [said[1]] if said else []
    for each in election.questions:
        there = [ballot.rankings for ballot in repository.every_ballot(each)]
        if sorted(there) != sorted(every):
            yield f"In question {each.number} there are ballots that voters do not have."
        if final_turnout(each).voted != len(every):
            yield f"The turnout of question {each.number} is {final_turnout(each).voted}, not {len(every)}."


def _own(election: Election, voter: User) -> repository.Ballots:
    secret = secret_of(voter.name, election.name) if election.secret_ballot else ""
    context = services.voter_context(voter, election.name, secret=secret)
    assert context is not None
    return repository.ballots_of(context)


def _flaw_in_log(table: Table) -> str | None:
    """Sealed as it will be when nobody can come late any more."""
    SiteSealer(table, COUNTED, lambda: utc_now() + 2 * GRACE_PERIOD + timedelta(seconds=1)).seal()
    verdict = verify(table)
    return verdict.flaw or (f"{verdict.unsealed} events could not be sealed." if verdict.unsealed else None)


# --- all of it ---


def flaws(acts: Sequence[Act], left: Left) -> list[str]:
    """What no serial order explains, in sentences."""
    said = said_at(acts)
    return [
        *_of_the_close(acts, left, said),
        *_of_voters(acts, left, said),
        *_of_counts(left),
        *_of_the_log(acts, left),
        *left.torn,
        *_of_organisers(acts, left, said),
    ]


def said_at(acts: Sequence[Act]) -> float:
    """The latest moment at which it can have been said that it is being closed."""
    return min([shut_at(acts), *(act.answered for act in acts if act.answer == CLOSED)])


def shut_at(acts: Iterable[Act]) -> float:
    """The latest moment at which the last gate can have been shut."""
    return min((act.answered for act in acts if act.kind == "close" and act.answer == DONE), default=inf)


def _of_the_close(acts: Sequence[Act], left: Left, said: float) -> Iterator[str]:
    closes = [act for act in acts if act.kind == "close" and act.answer in (DONE, UNKNOWN)]
    recorded = [event for event in left.events if event["event_type"] == "ElectionClosed"]
    if said < inf and not any(act.called <= said for act in closes):
        yield "Somebody was told that it is closed before anybody closed it."
    if sum(act.answer == DONE for act in closes) > 1:
        yield "Two were told that they closed it."
    if len(recorded) != int(left.closed):
        yield f"The log says {len(recorded)} times that it was closed."
    for event in recorded:
        if not any(act.actor == event["actor"] for act in closes):
            yield f"{event['actor']} closed it, but was told otherwise."
        late = [each for each in left.events if each["event_id"] > event["event_id"]]
        if any(each["event_type"] in NEVER_AFTER_THE_CLOSE for each in late):
            yield "Something happened after the close."


def _of_voters(acts: Sequence[Act], left: Left, said: float) -> Iterator[str]:
    moments = {"said": said, "shut": shut_at(acts)}
    close = [Act("", kind, moment, moment, DONE) for kind, moment in moments.items() if moment < inf]
    for voter, box in left.roll.items():
        own = [act for act in acts if act.actor == voter and act.answer != OVERTAKEN]
        if not explained([*own, *close], box):
            yield f"No order explains what {voter} was told, and what was left."
        late = [act for act in own if act.answer == DONE and act.kind == "cast" and act.called > said]
        if late:
            yield f"{voter} cast a ballot after the close."


def _of_counts(left: Left) -> Iterator[str]:
    own = sorted(box.ballot for box in left.roll.values() if box.ballot)
    if own != left.ballots:
        yield f"There are {len(left.ballots)} ballots, and voters have {len(own)}."
    if left.voted != {voter for voter, box in left.roll.items() if (box.cast if left.secret else box.ballot)}:
        yield "The roll does not say of everybody what they did."
    if left.turnout != len(left.ballots):
        yield f"The turnout says {left.turnout}, and there are {len(left.ballots)} ballots."
    kinds = Counter(event["event_type"] for event in left.events if _counts(event))
    if kinds["BallotCast"] + kinds["BallotChanged"] - kinds["BallotWithdrawn"] != left.turnout:
        yield f"The turnout says {left.turnout}, and the log counts otherwise."
    if left.curve != left.turnout:
        yield f"The curve ends at {left.curve}, and the turnout says {left.turnout}."


def _counts(event: Item) -> bool:
    """Whether it makes a ballot more or less."""
    return (
        not event["event_data"].get("changed", event["event_type"] == "BallotChanged") or "again" in event["event_data"]
    )


# --- the log ---


def _of_the_log(acts: Sequence[Act], left: Left) -> Iterator[str]:
    if left.log:
        yield left.log
    numbers: list[tuple[Act, int]] = []
    for voter, box in left.roll.items():
        events = [event for event in left.events if event["event_data"].get("voter_name") == voter]
        yield from _of_events(voter, events, box, secret=left.secret)
        told = [act for act in acts if act.actor == voter and act.kind == "cast" and act.acts is not None]
        for act in told:
            if not _tells_of(events, act, secret=left.secret):
                yield f"The log does not tell of the ballot {act.code} of {voter}."
            else:
                numbers.append((act, events[act.acts or 0]["event_id"]))
    if _is_out_of_order(numbers):
        yield "An act that was answered has a higher number than one that was called later."
    if left.secret and left.closed and _sealed(left.events) != left.ballots:
        yield "The sealed ballots are not those in the box."


def _of_events(voter: str, events: Sequence[Item], box: Box, *, secret: bool) -> Iterator[str]:
    """Told again in the order of their numbers, the events give what is left. Those of a secret election name a voter
    once."""
    if secret:
        if [event["event_type"] for event in events] != ["BallotCast"] * box.cast:
            yield f"The log does not say whether {voter} has voted."
        return
    if len(events) != box.acts:
        yield f"The log tells of {len(events)} acts of {voter}, the roll of {box.acts}."
    voted, said = False, {}
    for event in events:
        said = event["event_data"]
        if said.get("changed", True) != voted:
            yield f"Event {event['event_id']} of {voter} does not fit those before."
        voted = event["event_type"] == "BallotCast"
    if voted != (box.ballot is not None):
        yield f"The log does not say whether {voter} has voted."
    elif voted and box.ballot != (_rankings(said), said["confirmation"]):
        yield f"The last ballot of {voter} in the log is not the one in the box."


def _rankings(said: Item) -> str | None:
    """Of the first question."""
    return dict(said["answers"])[1] if "answers" in said else said.get("rankings")


def _tells_of(events: Sequence[Item], act: Act, *, secret: bool) -> bool:
    if (act.acts or 0) >= len(events):
        return False
    event = events[act.acts or 0]
    said = event["event_data"]
    told = secret or (_rankings(said), said.get("confirmation")) == (act.rankings, act.code)
    return event["event_type"] == "BallotCast" and told


def _is_out_of_order(numbers: Sequence[tuple[Act, int]]) -> bool:
    answered = sorted((act.answered, number) for act, number in numbers)
    highest, position = 0, 0
    for act, number in sorted(numbers, key=lambda pair: pair[0].called):
        while answered[position][0] < act.called:
            highest = max(highest, answered[position][1])
            position += 1
        if highest > number:
            return True
    return False


def _sealed(events: Sequence[Item]) -> list[tuple[str, str]]:
    sealed = [event["event_data"] for event in events if event["event_type"] == "BallotsSealed"]
    parts = [each["ballots"] for each in sealed if each.get("question", 1) == 1]
    return sorted((each["rankings"], each["confirmation"]) for part in parts for each in part)


# --- organisers ---


def _of_organisers(acts: Sequence[Act], left: Left, said: float) -> Iterator[str]:
    ends = list(_said(left.events, "ElectionUpdated", "no_voting_after"))
    added = [name for names in _said(left.events, "VotersAdded", "voters") for name in names]
    yield from _of_changes("end", [act for act in acts if act.kind == "extend"], ends)
    yield from _of_changes("voter", [act for act in acts if act.kind == "add"], added)
    if ends and ends[-1] != left.end:
        yield "The end is not the one that was set last."
    if any(act.kind in ("extend", "add") and act.answer == DONE and act.called > said for act in acts):
        yield "An organiser changed it after the close."


def _said(events: Iterable[Item], kind: str, name: str) -> Iterator[Any]:
    return (each["event_data"][name] for each in events if each["event_type"] == kind and name in each["event_data"])


def _of_changes(noun: str, acts: Sequence[Act], recorded: Sequence[str]) -> Iterator[str]:
    """Every change that was acknowledged is in the log once, and none that was refused."""
    times = Counter(recorded)
    for act in acts:
        fits = {DONE: (1,), UNKNOWN: (0, 1)}.get(act.answer, (0,))
        if times[act.form] not in fits:
            yield f"The {noun} {act.form} was answered with “{act.answer}” and is {times[act.form]} times in the log."
