"""Replay of the whole site: applies every event of the log again and compares the result with the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from acts.storage import use_table
from ballots import replay as ballots
from elections import replay as elections
from elections.repository import RENAMING
from elections.rules import State
from elections.turnout.counts import apply_events
from polls import replay as polls
from skills import replay as skills
from store import formats, keys
from store.backup import Progress, Snapshot, batches, begin, contents, no_progress, take_snapshot
from store.log import layout
from store.log.layout import number_of
from store.replay import Comparison, Difference, Theatre, Unlogged, begins, copy, is_event, nothing_kept, stage
from store.schema import SCHEMA, EventType
from store.splitting import by_count
from store.sqlite import BufferedTable
from store.table import LOG, Delete, Exists, Item, Put, Table, Update, Write

from .log import figures
from .log.figures import COUNTED
from .pause import Pause, pause_item

EVENTS = (
    EventType(
        "SitePaused", lambda event: [pause_item(Pause(by=event.actor, **event.data))], "since minutes:int sentence"
    ),
    EventType("SiteResumed", lambda event: [Delete(keys.PAUSE, when=Exists())]),
    EventType("MailsTriedAgain", nothing_kept, "which"),  # the outbox is not rebuilt
    EventType("MailPutAside", nothing_kept, "which"),
    EventType("MailsTakenAsSent", nothing_kept, "which"),
    EventType("NamesForgotten", nothing_kept, "name events:list"),
)


BATCH_EVENTS = 200


def is_background_batch(writes: Sequence[Write]) -> bool:
    """Background work is done in batches, each in one transaction with the progress of its task."""
    return any(isinstance(each, Update | Delete) and begins(each.key.pk) == TASK for each in writes)


TASK = begins(keys.task("", "").pk)
STEPS = (is_background_batch, *elections.STEPS, *ballots.STEPS, *skills.STEPS)


@dataclass(frozen=True, slots=True)
class Verdict:
    """How many events were replayed, and how log and store differ: the number of differences, and the first ones."""

    events: int
    count: int
    first: tuple[Difference, ...]
    lost: tuple[str, ...]  # secret elections whose ballots are not in the log yet


Report = Callable[[str], AbstractContextManager[Progress]]  # shows the progress of a part under its title


@contextmanager
def quietly(what: str) -> Iterator[Progress]:
    """The default: progress is not reported."""
    yield no_progress


class _Findings:
    """Counts differences and keeps the first."""

    def __init__(self, most: int):
        self.most = most
        self.count = 0
        self.first: list[Difference] = []

    def take(self, differences: Iterable[Difference]) -> None:
        for each in differences:
            self.count += 1
            if len(self.first) < self.most:
                self.first.append(each)

    def verdict(self, events: int, made: Table) -> Verdict:
        return Verdict(events, self.count, tuple(self.first), tuple(_without_ballots(made)))


def exceptions() -> Iterator[str]:
    """What is not rebuilt, line by line; then the events that take several transactions."""
    for row in SCHEMA.exempt:
        place = f"{row.like.pk} / {row.like.sk or '…'}"
        named = ", ".join(row.attributes.split())
        yield f"{place}{': ' + named if named else ''} - {row.reason}"
    yield from (f"In several steps - {step.__doc__}" for step in STEPS)


def check(source: Table, report: Report = quietly, most: int = 20) -> Verdict:
    """Rebuild in a temporary store, and compare it with the store as it was at one moment."""
    with side_by_side(source, report, most) as (verdict, _there, _made):
        return verdict


@contextmanager
def side_by_side(
    source: Table, report: Report = quietly, most: int = 20
) -> Iterator[tuple[Verdict, BufferedTable, BufferedTable]]:
    """As `check`, with the stored state and the one rebuilt from the log, both in temporary stores."""
    with stage(BufferedTable) as there, stage(BufferedTable) as made:
        yield _check(source, there, made, report, most), there, made


def rebuild(source: Table, target: Table, report: Report = quietly, most: int = 20) -> Verdict:
    """Rebuild into an empty store, with the log. If an event does not fit, the store stays marked as incomplete."""
    begin(target, None)
    findings, at = _Findings(most), take_snapshot(source)
    with report("Replay") as replaying:
        log = (item for name, item in contents(source, at) if name == LOG)
        events = _act_again(_loaded(log, target), at, target, None, findings, replaying)
    verdict = findings.verdict(events, target)
    if not verdict.count:
        formats.mark(target, formats.format_of(source) or formats.FORMAT)
        target.write(Delete(keys.RESTORING))
    return verdict


def _check(source: Table, there: BufferedTable, made: BufferedTable, report: Report, most: int) -> Verdict:
    findings, at = _Findings(most), take_snapshot(source)
    with report("Copy") as copying, report("Replay") as replaying:
        exempt = [row for row in SCHEMA.exempt if row.like.pk != TASK]  # some tasks are finished below
        copy(source, at, there, exempt, copying)
        log = by_count(there.each(keys.events()), BATCH_EVENTS)
        events = _act_again(log, at, made, there, findings, replaying)
    _settle(there, made)
    with report("Compare") as comparing:
        findings.take(Comparison(there, made, SCHEMA.exempt).differences(comparing))
    return findings.verdict(events, made)


def _loaded(log: Iterator[Item], made: Table) -> Iterator[list[Item]]:
    """The events, after they were written to `made` with the rest of the log; temporary stores do without it."""
    for batch in batches((LOG, item) for item in log):
        made.load([layout.entry(made, LOG, item) for _, item in batch])
        yield [item for _, item in batch if is_event(item)]


def _act_again(
    parts: Iterable[list[Item]],
    at: Snapshot,
    made: Table,
    there: BufferedTable | None,
    findings: _Findings,
    progress: Progress,
) -> int:
    """Apply every event to `made` and count it; returns how many there were."""
    done, kinds, theatre = 0, Counter[str](), Theatre(made, SCHEMA.acts)
    with use_table(Unlogged(made)):  # type: ignore[arg-type]
        for events in parts:
            findings.take(each for event in events for each in theatre.take(event))
            progress(done := done + len(events))
            kinds.update(str(event.get("event_type")) for event in events if number_of(event) <= at.number)
            findings.take(_follow(events, at, made, there))
    if at.checkpoint is not None:
        counts, sync, when = keys.COUNTS, keys.SYNC, at.checkpoint["when_sealed"]
        made.write(
            Put({"PK": counts.pk, "SK": counts.sk, "last_updated": when, **_counted(kinds)}),
            Put({"PK": sync.pk, "SK": sync.sk, "last_event_id": at.number}),
        )
    return done


def _counted(kinds: Counter[str]) -> Counter[str]:
    """What the sealer counts for so many events of each type."""
    counts = Counter[str]()
    for kind, many in kinds.items():
        by = {"event_count": 1, **COUNTED.get(kind, {})} if many else {}
        counts.update({name: number * many for name, number in by.items()})
    return counts


def _follow(events: list[Item], at: Snapshot, made: Table, there: BufferedTable | None) -> Iterator[Difference]:
    """Figures may have been a step behind the seal when the store was copied: events they include are counted again
    here, and the voting times of later ones are added to the copy."""
    followed = (there.get(keys.FIGURES) or {}).get("last_event_id", 0) if there else at.number
    counted, left = list[Item](), list[Item]()
    for event in events:
        (counted if number_of(event) <= followed else left).append(event)
    try:
        if at.checkpoint is not None:
            figures.count(made, counted, followed)
        if there:
            apply_events(there, left)
    except (KeyError, TypeError, ValueError):  # an event that was tampered with
        yield Difference("figures", "", "cannot be counted from the log.")


def _settle(there: Table, made: Table) -> None:
    """Finish what had begun when the store was copied, on the side where it is unfinished."""
    with use_table(there):
        for task in RENAMING.unfinished():
            RENAMING.advance(task.subject)
        elections.forget_unused_gates(there)
    skills.finish_recorded_merges(there)
    with use_table(made):
        elections.shut_what_is_shut(there)
        polls.shut_what_is_shut(there)
        skills.close_merging_skills(there)


def _without_ballots(made: Table) -> Iterator[str]:
    """Secret elections that were opened and are not sealed: their ballots are not in the log."""
    for item in made.each(keys.elections()):
        election = made.get(keys.election(item["name"])) or {}
        is_lost = election.get("secret_ballot") and item["state"] != State.DRAFT.value
        if is_lost and made.get(keys.result(item["name"])) is None:
            yield item["name"]
