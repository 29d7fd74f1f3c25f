"""Sealed results: the report, made once from the ballots (the count, the other methods, how close it was, and why); and
what the table has of it: one head, and as many parts as the texts need."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import asdict, astuple, dataclass, field
from datetime import datetime
from hashlib import sha256
from itertools import chain, takewhile
from typing import Any

import orjson

from elections import repository as elections
from elections.repository import Brief, brief_fields
from elections.rolls import Voter
from elections.rules import Election
from elections.turnout.counts import GroupTurnout, Turnout
from foundation.acts.caches import Cacheable, ParseCache, get_cached
from foundation.acts.hooks import Hooks
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.limits import BATCH_PUTS
from foundation.store.log import as_text
from foundation.store.splitting import by_count, split_counts, split_text
from foundation.store.table import Exists, Item, Key, Missing, Put, Update, Write
from foundation.tally.ballots import Ballots
from foundation.tally.closeness import Closeness
from foundation.tally.count_job import CountJob, CountOutcome
from foundation.tally.explain import Sentence, explain
from foundation.tally.lots import elected_by_lot
from foundation.tally.result import Result

VERSION = 1


@dataclass(frozen=True, slots=True)
class OtherMethod:
    """What another method makes of the same ballots."""

    method: str
    winners: tuple[str, ...]
    places: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Report:
    result: Result
    sentences: tuple[Sentence, ...]
    others: tuple[OtherMethod, ...]  # every method, the election's own among them
    closeness: Closeness

    def as_json(self) -> str:
        """Stable: the same ballots and rules give the same bytes."""
        payload = {
            "version": VERSION,
            "result": json.loads(self.result.as_json()),
            "sentences": [[each.template, dict(each.values)] for each in self.sentences],
            "others": [asdict(each) for each in self.others],
            # With what earlier versions wrote too, so that a report is written again as it was sealed.
            "closeness": asdict(self.closeness) | {"winners": self.result.winners, "changes": ()},
        }
        return json.dumps(payload, ensure_ascii=False, sort_keys=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Report:
        read = json.loads(text)
        if read["version"] != VERSION:
            raise ValueError(f"This report has version {read['version']}, which this program does not know.")
        return cls(
            Result.from_parsed(read["result"]),
            tuple(Sentence(template, values) for template, values in read["sentences"]),
            tuple(
                OtherMethod(each["method"], tuple(each["winners"]), tuple(map(tuple, each["places"])))
                for each in read["others"]
            ),
            Closeness.of(read["closeness"]),
        )


def settings_of(election: Election, seed: str, entitled: int | None = None) -> dict[str, Any]:
    """What decides a count besides the ballots: fixed when the election opened, but for the seed of the lots and, in a
    vote on yes or no, how many are on the roll."""
    settings = {"seats": election.seats, "unranked": election.unranked, "seed": seed}
    if election.kind != "yes-no":
        return settings
    return settings | {
        "majority": election.majority,
        "entitled": election.entitled if entitled is None else entitled,
    }


def report_on(ballots: Ballots, method: str, **settings: Any) -> Report:
    """`settings` are those that `foundation.tally.methods.count` takes."""
    return build_report(CountJob(ballots, method, settings).run())


def build_report(outcome: CountOutcome) -> Report:
    """A count with its explanation."""
    others = tuple(OtherMethod(method, *found) for method, found in outcome.methods.items())
    return Report(outcome.result, tuple(explain(outcome.result)), others, outcome.closeness)


PLAIN = ("ballots", "digest", "report_digest", "sealed_at", "parts", "equals")  # stored as they are
LOTS = ("lots_secret", "seed")  # likewise
MAX_WINNERS_LISTED = 3  # winners that a list or a card names
READ_WITH = Hooks[[str], Key]("what parts show with a result, by the name of its election: read in the same round trip")


def brief_of(result: Result) -> Brief:
    winners = result.winners if result.total > result.blank else ()
    by_lot = tuple(name for lot in elected_by_lot(result) for name in lot.names)
    return Brief(winners[:MAX_WINNERS_LISTED], len(winners), result.seats, result.vote, by_lot)


@dataclass(frozen=True, slots=True)
class Seal:
    """What was sealed: digests of the ballots and the report, the time, and the final turnout.

    The secret of the roll (results/services.py) is never shown.
    """

    ballots: int
    digest: str
    report_digest: str
    sealed_at: str
    parts: int
    candidates: tuple[str, ...]
    turnout: Turnout
    roll_secret: str = field(default="", repr=False)
    lots_secret: str = ""  # to which the election was committed when it opened,
    seed: str = ""  # and what that and the ballots make: from this the lots were drawn
    equals: bool = False  # whether any ballot ranks equals
    groups: tuple[GroupTurnout, ...] = ()  # the turnout of voter groups
    brief: Brief | None = None  # how it ended, where there are several questions
    people: int = 0  # who voted on any of several questions; in the seal of the first one

    @property
    def stamp(self) -> str:
        """Identifies this seal, even among elections with the same name and the same ballots."""
        return sha256(f"{self.report_digest} {self.sealed_at}".encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Found:
    """An election with its sealed result, if there is one yet, and the reader's entry on its roll.

    If read without the report, there is a seal but no report.
    """

    election: Election
    seal: Seal | None
    report: Report | None
    entry: Voter | None = None
    beside: Mapping[Key, Item] = field(default_factory=dict)  # what parts show with it, as READ_WITH asks for


@dataclass(frozen=True, slots=True)
class Sealed(Found):
    """An election whose result is sealed."""

    seal: Seal
    report: Report


def find(
    election_name: str, question: int = 1, *, with_report: bool = True, recently: Cacheable | None = None
) -> Found | None:
    """In one round trip; two if the report is long. Items in `recently` may be a second old."""
    place, cacheable = keys.election(election_name), recently or Cacheable(())
    others = result_keys(election_name, question, with_report=with_report)
    head, first = others[0], keys.result_part(election_name, 0, question)
    found = get_cached(cacheable, [key for key in (place, *others) if key not in cacheable.keys])
    if place not in found:
        return None
    whole = elections.election_of(found[place])
    if not whole.has_question(question):
        return None
    election = whole.at(question)
    if head not in found:
        return Found(election, None, None)
    seal = seal_of(found[head])
    beside = {key: item for key, item in found.items() if key not in (place, head, first)}
    if not with_report:
        return Found(election, seal, None, beside=beside)
    text = found[first]["text"] if seal.parts == 1 else _text(election)
    return Sealed(election, seal, Report.from_json(text), beside=beside)


def result_keys(election_name: str, question: int = 1, *, with_report: bool) -> list[Key]:
    """The head of its result, what parts show with it, and the report, or the first part of it."""
    report = [keys.result_part(election_name, 0, question)] if with_report else []
    return [keys.result(election_name, question), *(key(election_name) for key in READ_WITH), *report]


def read_report(found: Found) -> Sealed:
    """Add the report to what was found without it."""
    assert found.seal is not None
    report = Report.from_json(_text(found.election))
    return Sealed(found.election, found.seal, report, beside=found.beside)


def find_seal(election_name: str) -> tuple[Election, Seal | None] | None:
    """The election and its seal, without the report."""
    places = keys.election(election_name), keys.result(election_name)
    found = table().get_many(places)
    if places[0] not in found:
        return None
    return elections.election_of(found[places[0]]), seal_of(found[places[1]]) if places[1] in found else None


def find_seals(election: Election) -> dict[int, Seal]:
    """Those of all its questions that are sealed, without their reports."""
    places = {each.number: keys.result(election.name, each.number) for each in election.questions}
    found = table().get_many(places.values())
    return {number: seal_of(found[place]) for number, place in places.items() if place in found}


def _text(election: Election) -> str:
    return "".join(item["text"] for item in table().each(keys.result_parts(election.name, election.number)))


def _read_seal(item: Item) -> Seal:
    steps = tuple((datetime.fromisoformat(moment), count) for moment, count in item["steps"])
    return Seal(
        **{name: item[name] for name in PLAIN},
        **{name: item.get(name, "") for name in (*LOTS, "roll_secret")},
        candidates=tuple(item["candidates"]),
        groups=tuple(GroupTurnout(*each) for each in item.get("groups", ())),
        brief=Brief(**brief_fields(item["brief"])) if "brief" in item else None,
        people=item.get("people", 0),
        turnout=Turnout(item["voted"], item["paper"], steps, item.get("withdrawn", 0), item.get("extra", 0)),
    )


seal_of = ParseCache(_read_seal)


def is_sealed(election_name: str, question: int = 1) -> bool:
    """With the first question all are: it is sealed last."""
    return table().get(keys.result(election_name, question)) is not None


def head(election: Election, seal: Seal) -> Put:
    """Of several who seal at once, one does it."""
    place = keys.result(election.name, election.number)
    fields = {name: getattr(seal, name) for name in (*PLAIN, "roll_secret")}
    fields |= {"candidates": list(seal.candidates)}
    steps = [[as_text(moment), count] for moment, count in seal.turnout.steps]
    counted = {"voted": seal.turnout.voted, "paper": seal.turnout.paper, "steps": steps}
    counted |= {name: number for name in ("withdrawn", "extra") if (number := getattr(seal.turnout, name))}
    counted |= {"groups": [list(astuple(each)) for each in seal.groups]} if seal.groups else {}
    counted |= {"brief": seal.brief.item} if seal.brief else {}
    counted |= {"people": seal.people} if seal.people else {}
    drawn = {name: getattr(seal, name) for name in LOTS if getattr(seal, name)}
    return Put({"PK": place.pk, "SK": place.sk, **fields, **counted, **drawn}, when=Missing())


def outcome(election: Election, seal: Seal, result: Result) -> list[Write]:
    """The outcome in short: in lists of elections; and as an item of its own, if the result is public. Of several
    questions, it is how many have an answer."""
    brief = brief_of(result)
    if election.more:
        briefs = [each.brief for each in (*find_seals(election).values(), seal) if each.brief]
        brief = Brief(questions=len(briefs), decided=sum(each.is_decided for each in briefs))
    shown = {"sealed_at": seal.sealed_at, **brief.item}
    listed = Update(keys.listed_election(election.name), set=shown, when=Exists())
    if not election.results_public:
        return [listed]
    place = keys.shared_result(election.name)
    index = {"GSI1PK": keys.SHARED_RESULTS.pk, "GSI1SK": keys.by_date(seal.sealed_at, election.name)}
    about = {"election_name": election.name, "ballots": seal.people or seal.ballots, "method": result.method}
    return [listed, Put({"PK": place.pk, "SK": place.sk, **index, **about, **shown})]


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedResult(Brief):
    """A sealed public result, as shown on a card."""

    election_name: str
    method: str
    ballots: int
    sealed_at: str


def newest_shared() -> SharedResult | None:
    """In one round trip."""
    found, _more = shared_results(limit=1)
    return found[0] if found else None


def shared_results(*, limit: int, cursor: str | None = None) -> tuple[list[SharedResult], str | None]:
    """Public results, newest first."""
    page = table().page(keys.SHARED_RESULTS, limit=limit, cursor=cursor, backwards=True)
    plain = ("election_name", "method", "ballots", "sealed_at")
    found = [SharedResult(**{name: item[name] for name in plain}, **brief_fields(item)) for item in page.items]
    return found, page.cursor


def write_parts(election: Election, report: str, ballots: Ballots) -> int:
    """Write the long texts before the head that makes them valid; returns the number of parts of the report."""
    texts, counts = split_text(report), split_counts(ballots.counts)
    parts = chain(
        (
            {**keys.result_part(election.name, number, election.number).item, "text": text}
            for number, text in enumerate(texts)
        ),
        (
            {**keys.counted_part(election.name, number, election.number).item, "text": orjson.dumps(some).decode()}
            for number, some in enumerate(counts)
        ),
    )
    for some in by_count(parts, BATCH_PUTS):
        table().put_all(some)
    return len(texts)


def counted(election: Election, candidates: tuple[str, ...]) -> Ballots:
    """The ballots of a sealed election as they were counted: how many votes each ranking got."""
    counts: dict[str, int] = {}
    for item in table().each(keys.counted_parts(election.name, election.number)):
        counts |= json.loads(item["text"])
    return Ballots(candidates, counts)


@dataclass(frozen=True, slots=True)
class Position:
    """The position of a ballot in the list."""

    part: int = 0
    row: int = 0


def published_part(election: Election, number: int) -> list[Item]:
    item = table().get(keys.published(election.name, number, election.number))
    return item["ballots"] if item else []


def count_published_parts(election: Election) -> int:
    """The number of parts, from the last one."""
    last = table().page(keys.all_published(election.name, election.number), limit=1, backwards=True).items
    return int(last[0]["SK"].rpartition("#")[2]) + 1 if last else 0


def find_prefix(election: Election, beginning: str) -> Position:
    """The first ballot whose code begins like this or comes after it."""
    if not beginning:
        return Position()
    later = range(1, count_published_parts(election))
    at = bisect_right(later, beginning, key=lambda number: _code(published_part(election, number)[0]))
    return Position(at, bisect_left(published_part(election, at), beginning, key=_code))


def _code(ballot: Item) -> str:
    return ballot["confirmation"]


def ballots_from(election: Election, place: Position) -> Iterator[tuple[Position, Item]]:
    """Every ballot from this place on, with its own."""
    number, first = place.part, place.row
    while ballots := published_part(election, number):
        for row, ballot in enumerate(ballots[first:], first):
            yield Position(number, row), ballot
        number, first = number + 1, 0


def ballots_with_prefix(election: Election, beginning: str) -> Iterator[Item]:
    ballots = (ballot for _, ballot in ballots_from(election, find_prefix(election, beginning)))
    return takewhile(lambda ballot: _code(ballot).startswith(beginning), ballots)
