"""Minutes of an assembly as immutable values: attendance, speeches, items and decisions.

While the assembly is running, minutes are built from the session. At its end their parts are copied, so that they
outlive the session, and a digest of all parts goes into the log. Mistakes are corrected by adding notes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import orjson

from foundation.pages.names import natural_sort_key
from foundation.store.keys import fold
from foundation.store.keys.declared import ENTITY_TYPE
from foundation.store.splitting import in_parts
from foundation.store.table import Item
from parts.assembly.attendance import own_of
from parts.assembly.speakers import Speech, speakers_of
from parts.live.follow_up_store import FollowUp
from parts.live.repository import game_as_item
from parts.live.rounds import Round, round_from_parts
from parts.live.rules import Game, State, question_numbers
from parts.live.seats import Seat
from parts.questions.question import Question, question_of

OF_STORE = ("PK", "SK", ENTITY_TYPE)
NOT_COPIED = (*OF_STORE, "ttl", "robots")
MAX_NOTE_CHARS = 2_000
MAX_NOTES = 200
PEOPLE, QUESTIONS, ROUND, SPEAKERS = "PEOPLE#", "QUESTIONS#", "ROUND#", "SPEAKERS"  # what parts are about
FACTS = "game_id title created_at created_by hosts began_at ended_at time_zone entitled quorum has_roll"


@dataclass(frozen=True, slots=True)
class Head:
    """The facts at the top of the minutes."""

    game_id: str
    title: str
    created_at: str
    created_by: str
    hosts: tuple[str, ...]
    began_at: str
    ended_at: str | None
    time_zone: str
    entitled: int
    quorum: str
    has_roll: bool
    played: tuple[int, ...]  # which item was called in each round
    voided: tuple[int, ...]
    digest: str = ""  # of all parts, once they are sealed
    event: int = 0  # the number of the log's event that has it

    @property
    def is_sealed(self) -> bool:
        return bool(self.digest)

    def counts(self, round_: int) -> bool:
        return round_ not in self.voided


@dataclass(frozen=True, slots=True)
class Person:
    """Someone who attended."""

    player: str
    name: str
    account: str = ""
    joined_at: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    number: int
    text: str
    by: str
    at: str


@dataclass(frozen=True, slots=True)
class Point:
    """An agenda item as it was called, with its speeches and its result."""

    number: int  # of its round
    item: str  # its number on the agenda
    is_repeat: bool  # whether the item had been called before
    question: Question
    counts: bool
    round: Round | None  # as sealed; None if it was dropped before
    speeches: tuple[Speech, ...] = ()
    run_off_of: str = ""  # the number of the item that it decides
    run_off: str = ""  # the number of the item that decided it


AgendaItem = tuple[str, Question, bool]  # its number, and whether it was called


@dataclass(frozen=True, slots=True)
class Minutes:
    head: Head
    people: Mapping[str, Person]
    points: tuple[Point, ...]
    agenda: tuple[AgendaItem, ...]
    notes: tuple[Note, ...] = ()
    made: tuple[FollowUp, ...] = ()  # polls and elections made from it

    def name_of(self, player: str) -> str:
        return self.people[player].name if player in self.people else ""

    @property
    def in_order(self) -> list[Person]:
        return sorted(self.people.values(), key=lambda each: natural_sort_key(each.name))

    def has(self, account: str) -> bool:
        """Whether someone attended with this account."""
        return any(fold(each.account) == fold(account) for each in self.people.values() if each.account)


# --- parts: what is copied, and what the digest is of ---


@dataclass(frozen=True, slots=True)
class Part:
    name: str  # PEOPLE#00, QUESTIONS#00, ROUND#001#000, SPEAKERS
    data: Mapping[str, Any]


def parts_of(items: Iterable[Item], seated: Iterable[Seat]) -> Iterator[Part]:
    """Parts built from a session's items and seats, sorted by name."""
    copied_items = (item for item in items if item["SK"].startswith((QUESTIONS, ROUND)) or item["SK"] == SPEAKERS)
    copied = [Part(item["SK"], {name: item[name] for name in item if name not in NOT_COPIED}) for item in copied_items]
    there = sorted((each for each in seated if each.plays), key=lambda each: (fold(each.name), each.player))
    people = ([each.player, each.name, own_of(each).account, each.joined_at] for each in there)
    listed = [Part(f"{PEOPLE}{number:02}", {"people": batch}) for number, batch in enumerate(in_parts(people))]
    yield from sorted([*listed, *copied], key=lambda part: part.name)


def digest(facts: Mapping[str, Any], parts: Iterable[Part]) -> str:
    """SHA-256 of facts and parts as JSON with sorted keys and no spaces, a line each."""
    hashed = hashlib.sha256(_line(facts))
    for part in parts:
        hashed.update(_line([part.name, dict(part.data)]))
    return hashed.hexdigest()


def _line(value: Any) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS) + b"\n"


def facts_of(game: Game, state: State) -> dict[str, Any]:
    stored = game_as_item(game)
    facts = {name: stored[name] for name in FACTS.split() if name != "game_id"}
    lists = {"hosts": list(game.hosts), "played": list(state.played), "voided": list(state.voided)}
    return {**facts, **lists, "game_id": game.id, "began_at": state.began_at}


def head_of(item: Mapping[str, Any]) -> Head:
    facts: dict[str, Any] = {name: item[name] for name in FACTS.split()}
    lists = {name: tuple(item[name]) for name in ("hosts", "played", "voided")}
    return Head(**facts | lists, digest=item.get("digest", ""), event=item.get("event", 0))


# --- from parts to minutes ---

Additions = tuple[tuple[Note, ...], tuple[FollowUp, ...]]  # what is added to minutes after they are sealed


def build_minutes(head: Head, parts: Sequence[Part], additions: Additions) -> Minutes:
    questions = [
        question_of(each) for part in parts if part.name.startswith(QUESTIONS) for each in part.data["questions"]
    ]
    sealed = groupby((part for part in parts if part.name.startswith(ROUND)), key=lambda part: part.name.split("#")[1])
    rounds = {int(number): round_from_parts([part.data for part in batch]) for number, batch in sealed}
    spoken = speakers_of(next((part.data for part in parts if part.name == SPEAKERS), None))
    held = (*spoken.held, *((spoken.speaking,) if spoken.speaking else ()))
    numbers = question_numbers(questions, head.played)
    agenda = [(numbers[place], each, place in head.played) for place, each in enumerate(questions)]
    points = list[Point]()
    for number, place in enumerate(head.played, 1):
        item, question, _called = agenda[place]
        own = tuple(each for each in held if each.round == number)
        is_repeat = place in head.played[: number - 1]
        run_off_of = agenda[head.played[question.run_off - 1]][0] if question.run_off else ""
        run_off = next((other for other, each, called in agenda if called and each.run_off == number), "")
        counts, round_ = head.counts(number), rounds.get(number)
        points.append(Point(number, item, is_repeat, question, counts, round_, own, run_off_of, run_off))
    return Minutes(head, {each.player: each for each in people_in(parts)}, tuple(points), tuple(agenda), *additions)


def people_in(parts: Iterable[Part]) -> Iterator[Person]:
    """Everyone who attended, sorted by name."""
    return (Person(*each) for part in parts if part.name.startswith(PEOPLE) for each in part.data["people"])
