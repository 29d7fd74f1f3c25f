"""How what is asked stands on the phone of somebody who plays along: the fields of its form, and what is in them."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.utils.translation import gettext as _

from assembly import words as assembly_words
from assembly.resolutions import ABSTAIN
from assembly.words import SAID
from questions.question import RANKED, RATINGS, Kind, Question, Type
from ranking.boxes import RANK, Choice

from . import scores, seats
from .counting import MAX_ANSWER_CHARS
from .gathering import Gathered
from .plays.ideas.rules import MAX_IDEA_CHARS, MAX_IDEAS_PER_PERSON
from .rooms import Room
from .rules import Phase
from .saying import OPTION, SURVEY, TEXT
from .seats import Seat

MAX_IDEAS_SHOWN = 60  # of what the room wrote, that a screen shows while it is put in order
MAX_PLAYERS_NAMED = 24  # players whom a phone names while it waits: a full hall would not fit, nor be sent to everybody

Typed = Mapping[str, Sequence[str]]  # what fields say, right or wrong


class Way(StrEnum):
    """How a question is answered on a phone; a template each."""

    TAP = "tap"  # one of the options
    TICK = "tick"  # several of them
    RANK = "rank"
    WRITE = "write"
    IDEAS = "ideas"  # up to three
    SHEET = "sheet"  # all questions of a survey
    YES_NO = "yes-no"  # or to abstain: a motion of an assembly


@dataclass(frozen=True, slots=True)
class Option:
    place: int
    text: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Field:
    """A question of a survey, and what is said to it so far."""

    name: str
    question: Question
    typed: str

    @property
    def options(self) -> list[Option]:
        return [Option(place, text, self.typed == str(place)) for place, text in enumerate(self.question.options)]

    @property
    def ratings(self) -> list[Option]:
        return [Option(each, str(each), self.typed == str(each)) for each in RATINGS]


@dataclass(frozen=True, slots=True)
class Paper:
    """An answer that somebody may vote for."""

    name: str
    text: str
    rank: str
    ranks: tuple[int, ...] = tuple(scores.RANKS)


def way_of(room: Room) -> Way:
    type_, question = room.game.engagement_type, room.question
    if type_ == Type.SURVEY:
        return Way.SHEET
    if type_ == Type.CALL_AND_ANSWER or question is None:
        return Way.WRITE
    if question.kind == Kind.MOTION:
        return Way.YES_NO
    if question.kind == Kind.IDEAS and room.state.phase == Phase.QUESTION:
        return Way.IDEAS
    if question.kind in RANKED:
        return Way.RANK
    return Way.TICK if len(question.right) > 1 else Way.TAP


def form(room: Room, typed: Typed) -> dict[str, Any]:
    """What the form of the question at hand shows; without anything typed, everybody's is the same."""
    way = way_of(room)
    shown: dict[str, Any] = {"longest": MAX_ANSWER_CHARS}
    if way == Way.SHEET:
        return shown | {"fields": [_field(place, each, typed) for place, each in enumerate(room.questions)]}
    if way == Way.WRITE:
        return shown | {"text": _last(typed, TEXT)}
    if way == Way.IDEAS:
        texts = (*typed.get(TEXT, ()), *[""] * MAX_IDEAS_PER_PERSON)
        return {"longest": MAX_IDEA_CHARS, "texts": texts[:MAX_IDEAS_PER_PERSON]}
    if way == Way.YES_NO:
        return shown | {"ballot": [(each, words, each in typed.get(OPTION, ())) for each, words in SAID.items()]}
    shown |= {"may_abstain": is_ballot(room), "abstains": ABSTAIN in typed.get(OPTION, ())}
    return shown | (_ranking(room, typed) if way == Way.RANK else {"options": _options(room, typed)})


def _field(place: int, question: Question, typed: Typed) -> Field:
    return Field(f"{SURVEY}{place}", question, _last(typed, f"{SURVEY}{place}"))


def _last(typed: Typed, name: str) -> str:
    return ["", *typed.get(name, ())][-1]


def _options(room: Room, typed: Typed) -> list[Option]:
    assert room.question is not None
    chosen = typed.get(OPTION, ())
    return [Option(place, text, str(place) in chosen) for place, text in enumerate(room.question.options)]


def _ranking(room: Room, typed: Typed) -> dict[str, Any]:
    """The rank boxes that ballots and polls have."""
    assert room.question is not None
    options = room.question.options
    return {
        "choices": [Choice(place, text, "", "", _last(typed, f"{RANK}{place}")) for place, text in enumerate(options)],
        "ranks": len(options),
        "draft_key": "",
        "unranked_sentence": _("Options that you leave out get nothing from you."),
    }


def ballot(gathered: Gathered, player: str, typed: Typed) -> list[Paper]:
    """The answers that one player may vote for, in their own order."""
    return [_paper(number, gathered, typed) for number in gathered.shown_to(player)]


def _paper(number: int, gathered: Gathered, typed: Typed) -> Paper:
    name = f"{RANK}{number}"
    return Paper(name, gathered.answers[number].text, _last(typed, name))


# --- around it ---


def heading(room: Room) -> dict[str, Any]:
    """Which question it is, and how it is answered."""
    item = assembly_words.item_words(room.question) if room.game.is_assembly and room.question else {}
    return item | {
        "number": room.state.question + 1,
        "way": way_of(room),
        "is_survey": room.game.engagement_type == Type.SURVEY,
        "is_ballot": is_ballot(room),
        "is_voided": bool(room.state.round) and not room.state.counts(room.state.round),
    }


def is_ballot(room: Room) -> bool:
    """Whether an assembly votes, so that one may abstain; what the room wrote is only ranked."""
    return room.game.is_assembly and room.state.phase == Phase.VOTING and room.state.kind != Kind.IDEAS


def told(room: Room, typed: Typed) -> dict[str, Any]:
    """What the screens of all players have at hand, besides `screens.context`."""
    shown = heading(room)
    if is_form_for_all(room):
        return shown | form(room, typed)
    if room.sorted is not None:
        return shown | sorted_ideas(room)
    if room.game.is_assembly and room.state.phase == Phase.ENDED:
        return shown | {"items": assembly_words.agenda(room)}
    names = named(room)
    return shown | {"named": names, "unnamed": len(room.playing) - len(names)}


def is_form_for_all(room: Room) -> bool:
    """Whether everybody is asked the same; answers of others are voted on in an order of one's own."""
    return room.state.is_open and room.gathered is None


def sorted_ideas(room: Room) -> dict[str, Any]:
    """What the room wrote as all see it: without what was left out, and no more than a phone has room for."""
    assert room.sorted is not None
    told = [each for each in room.sorted.told() if not each.out]
    going, staying = [each for each in told if each.goes], [each for each in told if not each.goes]
    shown = staying[: max(0, MAX_IDEAS_SHOWN - len(going))]
    return {"going_ideas": going, "staying_ideas": shown, "more_ideas": len(staying) - len(shown)}


def named(room: Room) -> list[str]:
    """Who is there, those who came first: then the list grows to its end, and does not change after that."""
    there = sorted(room.playing, key=lambda seat: (seat.joined_at, seat.name))
    return [seat.name for seat in there[:MAX_PLAYERS_NAMED]]


def mark(room: Room) -> str:
    """While all wait, the screen is another one whenever it names others: a few, so that it stays quiet in a hall.
    While ideas are put in order, it is another one with each act."""
    if room.state.phase == Phase.SORTING and room.sorted is not None:
        return f"-{room.sorted.order.version}"
    if room.state.phase != Phase.WAITING:
        return ""
    return f"-{zlib.crc32(chr(10).join(named(room)).encode()):x}"


def late_since(room: Room, seat: Seat) -> int:
    """The question from which on somebody was there, counted from 1; 0 if it was the first."""
    return seats.late_since(room.state, seat)
