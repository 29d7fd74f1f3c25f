"""Sealing a closed election: its ballots are published and counted, and those of a secret election deleted.

Each question is sealed by itself, the first one last: once that is sealed, all are. What tells people comes then.

Everything is streamed: ballots are read once, sorted on disk and counted meanwhile, and written in parts. The sealing
mark records the progress, so that another worker can resume and pages can show it. The close stores the mark, and a
background task in a lane of its own, of which each batch is one step: some ballots read, one part published, some
ballots deleted. What was read and sorted stays with the process between two steps."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import islice
from operator import itemgetter

from ballots import repository
from ballots.external_sort import STEP_LINES, Line, Sorter
from ballots.rules import Mismatch, PublishedBallot, compare, compare_remaining
from elections import repository as elections
from elections.repository import SEALING
from elections.rules import Election
from foundation.acts.background import GRACE_SECONDS, Batch, Task, finished, wait
from foundation.acts.hooks import Hooks
from foundation.acts.queues import ExplainedError, log_failure
from foundation.acts.retry import retry_on_conflict
from foundation.acts.storage import record, table, try_write
from foundation.store import keys
from foundation.store.limits import check_value
from foundation.store.log import Event
from foundation.store.splitting import by_count, in_parts
from foundation.store.table import Check, Conflict, Delete, Equals, Exists, Item, Refused, Unavailable, Update, Write

# of a ballot besides its text
BALLOT_BYTES = check_value([{"confirmation": "", "rankings": "", "weight": "", "voter_name": ""}])
RANKING_AND_WEIGHT = itemgetter(1, 2)  # of the row of a ballot
UNITS_PER_SECOND = 250  # a quarter of what one partition of a distant store takes; the log's is shared by everyone

BEFORE_COUNTING = Hooks[[Election], None]("when the ballots of a closed election are about to be counted", always=True)
COUNTING = Hooks[[Election, Mapping[str, int]], None]("once it is known how many votes each ranking got")
SEALED = Hooks[[Election], None]("once the result of an election is sealed")

Steps = Iterator[float]  # each yields the units it has written to one partition

_under_way: dict[tuple[str, str], Steps] = {}  # of the tasks that this process is at
_log = logging.getLogger("plenum.ballots")


@SEALING.step
def do_next_step(task: Task) -> Batch:
    """Any number of workers may do this at once: the mark decides which of them publishes a part."""
    this = task.subject, task.began_at
    steps = _under_way.pop(this, None) or _steps(task.subject)
    if (units := next(steps, None)) is None:
        is_left = table().get(keys.sealing(task.subject)) is not None  # another worker is at it, and may not finish
        return wait(GRACE_SECONDS) if is_left else finished()
    _under_way[this] = steps
    seconds = units / UNITS_PER_SECOND if table().is_distant else 0
    return Batch(wait_seconds=seconds * len(_under_way) if seconds >= 1 else 0)  # no small election has to wait


def seal_closed(only: str | None = None) -> int:
    """Seal all closed elections and empty the ballot boxes of secret ones, as the worker does; or `only` this one, for
    a page that waits for it: emptying its box is left to the worker."""
    if only is None:
        return sum(SEALING.advance(task.subject) for task in SEALING.unfinished())
    try:
        for _step in _steps(only, also_empty=False):
            pass
        return 1
    except (Conflict, Unavailable):
        raise
    except CannotSeal:
        return 0
    except Exception as error:  # the page says that counting is not over yet
        log_failure(error)
        return 0


def _steps(name: str, *, also_empty: bool = True) -> Steps:
    """If it cannot be sealed, the reason is logged for the operator."""
    election = elections.find(name)
    if election is None:
        return
    try:
        yield from _seal(election)
        if also_empty:
            yield from empty(election)
    except CannotSeal as error:
        _log.error("not sealed", extra={"words": str(error)})
        raise


def take_over() -> int:
    """Marks without a task: of the previous version, or of a store that was rebuilt from its log."""
    names = [mark["election_name"] for mark in table().each(keys.SEALING)]
    return sum(try_write(SEALING.begin(name)) for name in names)


def _first_last(election: Election) -> list[Election]:
    return sorted(election.questions, key=lambda each: -each.number)


def _seal(election: Election) -> Steps:
    marks = {each.number: keys.sealing(election.name, each.number) for each in election.questions}
    results = {number: keys.result(election.name, number) for number in marks}
    found = table().get_many([*marks.values(), *results.values()])
    if any(place not in found or found[place].get("removing") for place in marks.values()):
        return
    for question in _first_last(election):
        mark = found[marks[question.number]]
        if results[question.number] in found and mark["parts"] == mark.get("of"):
            continue
        with closing(BallotBox(question, mark)) as box:
            yield from box.read()
            if not (yield from _publish(box)):
                return  # another worker is at it
        votes = repository.votes_of(box.counts)
        for prepare in BEFORE_COUNTING:
            prepare(question)
        for count in COUNTING:
            count(question, votes)
    for follow_up in SEALED:
        follow_up(election)
    if not election.secret_ballot:  # unless another worker has finished it
        try_write(*(Delete(place, when=repository.is_mark_for(election)) for place in marks.values()))


def _publish(box: BallotBox) -> Generator[float, None, bool]:
    """Publish the remaining parts; false if another worker is publishing them. The ballots of a secret election enter
    the log here; those of a public one are in it already."""
    election = box.election
    try:
        for part in box.left():
            ballots = repository.as_published(part.ballots)
            writes = publishing(election, part.number, ballots, part.progress)
            if election.secret_ballot:
                event_data = election.event_subject | {"part": part.number + 1, "parts": part.parts, "ballots": ballots}
                still_there = Check(keys.election(election.name), Exists())
                retry_on_conflict(partial(record, Event("plenum", "BallotsSealed", event_data), *writes, still_there))
            else:
                retry_on_conflict(partial(table().write, *writes))
            yield part.units
    except Refused:
        return False
    return True


def publishing(
    election: Election, number: int, ballots: list[Item], progress: Mapping[str, int] | None = None
) -> list[Write]:
    """Refused if another worker has published this part."""
    is_next = Equals("parts", number) & repository.is_mark_for(election)
    place = keys.sealing(election.name, election.number)
    counted = Update(place, set={"parts": number + 1, **(progress or {})}, when=is_next)
    return [repository.publishing_part(election, number, ballots), counted]


# --- the parts ---


@dataclass(frozen=True, slots=True)
class Part:
    """Some ballots, and how far all of them are published with these."""

    number: int
    parts: int
    ballots: list[Line]
    sealed: int  # ballots, by then,
    of: int  # so many

    @property
    def progress(self) -> dict[str, int]:
        """What the mark of the sealing says beside the number of parts that are done."""
        return {"of": self.parts, "sealed": self.sealed, "ballots": self.of}

    @property
    def units(self) -> float:
        """Write units of the log: two for each kilobyte, because of the transaction."""
        return 2 * (check_value("".join(self.ballots)) + BALLOT_BYTES * len(self.ballots)) / 1024


def split_into_parts(ballots: Iterable[Line]) -> Iterator[list[Line]]:
    """Ballots that come sorted by confirmation, an order that says nothing of when they were cast; at least one part,
    even if there is nothing in it."""
    part: list[Line] = []
    for part in in_parts(ballots, _size):
        yield part
    if not part:
        yield part


def _size(line: Line) -> int:
    return (len(line) if line.isascii() else check_value(line)) + BALLOT_BYTES


class BallotBox:
    """The ballots of a closed election in one question, read once: how many have each ranking and weight, and the
    parts yet to be published. The progress mark has those that are.
    """

    def __init__(self, election: Election, mark: Item):
        self.election = election
        self.counts: Counter[tuple[str, str]] = Counter()
        self._done: int = mark["parts"]
        self._is_known = "of" in mark  # how many parts there are, once the first is published
        self._parts, self._sealed = mark.get("of", 0), mark.get("sealed", 0)
        self._ballots = self._passed = 0
        self._lengths: list[int] = []  # of all parts, where none was published before
        self._left = repository.sorter()

    def close(self) -> None:
        self._left.close()

    def read(self) -> Steps:
        """What comes before the last ballot published is counted, and not sorted again."""
        last = repository.last_published(self.election, self._done) if self._is_known else None
        for some in by_count(repository.ballot_rows(self.election), STEP_LINES):
            self.counts.update(map(RANKING_AND_WEIGHT, some))
            ballots = list(map(repository.as_line, some))
            left = ballots if last is None else [ballot for ballot in ballots if ballot >= last]
            self._ballots, self._passed = self._ballots + len(some), self._passed + len(some) - len(left)
            self._left.add(left)
            yield 0
        if not self._is_known:
            self._lengths = [len(part) for part in split_into_parts(self._left)]
            self._parts = len(self._lengths)

    def left(self) -> Iterator[Part]:
        """The parts that are not published yet."""
        first, sealed = (self._done, self._sealed) if self._is_known else (0, 0)
        published = max(0, sealed - self._passed)  # of those that are left: the last one, and any just like it
        ballots = islice(self._left, published, None)
        measured = (list(islice(ballots, length)) for length in self._lengths)
        for number, some in enumerate(measured if self._lengths else split_into_parts(ballots), first):
            sealed += len(some)
            if self._done <= number < self._parts:
                yield Part(number, self._parts, some, sealed, self._ballots)


# --- emptying the ballot box ---


class CannotSeal(ExplainedError):
    """Something is wrong with the ballots; the election waits for a person to investigate."""


def empty(election: Election) -> Steps:
    """Delete the ballots of a sealed secret election: published, they no longer lie under hashes of their voters'
    secrets. A box is read once: exactly what was compared with the published ballots is deleted."""
    if election.secret_ballot and table().get(keys.result(election.name)):
        for question in _first_last(election):
            yield from _empty(question)


def _empty(election: Election) -> Steps:
    place = keys.sealing(election.name, election.number)
    if (mark := table().get(place)) is None:
        return  # all is done
    try:
        with closing(repository.sorter()) as box, closing(repository.sorter()) as left:
            for some in by_count(repository.ballots_with_keys(election), STEP_LINES):
                box.add(ballot for ballot, _ in some if ballot is not None)
                left.add(at for _, at in some)
                yield 0
            _allow_removal(election, mark, box)
            units = 0.0
            for handful in repository.emptying(election, left):
                retry_on_conflict(partial(table().write, *handful))
                # In each partition two for a ballot, because of the transaction: half, as there are no other writers.
                units += len(handful) / election.shards
                if units >= UNITS_PER_SECOND:
                    yield units
                    units = 0.0
        table().write(Delete(place, when=repository.may_be_removed(election)))
    except Refused:
        return  # another worker was at it, and has finished it


def _allow_removal(election: Election, mark: Item, box: Sorter) -> None:
    """Check that everything is published, and only then mark the ballots as removable."""
    if mark.get("removing"):
        return _check_published(election, box, compare_remaining)
    place = keys.sealing(election.name, election.number)
    try:
        _check_published(election, box, compare)
    except CannotSeal:
        if table().get(place) == mark:
            raise
        return None  # another worker has begun to empty it meanwhile
    is_sealed = Check(keys.result(election.name), Exists())
    table().write(Update(place, set={"removing": True}, when=repository.is_mark_for(election)), is_sealed)
    return None


def _check_published(
    election: Election,
    box: Sorter,
    compare: Callable[[Iterable[PublishedBallot], Iterable[PublishedBallot], str], None],
) -> None:
    """Read the published ballots back before their originals are deleted."""
    try:
        compare(
            map(PublishedBallot.of, repository.every_published(election.name, election.number)),
            repository.published_ballots_in(box),
            "in the ballot box",
        )
    except Mismatch as flaw:
        raise CannotSeal(f"Election “{election.name}”: {flaw} The box is left as it is.") from None
