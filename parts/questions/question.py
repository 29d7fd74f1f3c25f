"""Questions for live sessions: kinds, which session type each suits, and validation."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from foundation.store.keys import fold, without_stray_invisible

MIN_OPTIONS, MAX_OPTIONS = 2, 10
MAX_TITLE_CHARS, MAX_DETAIL_CHARS, MAX_OPTION_CHARS = 300, 2_000, 200
MAX_CATEGORY_CHARS, MAX_INSTRUCTION_CHARS, MAX_SCHOOL_CHARS = 100, 1_000, 200
MAX_ANSWER_SECONDS = 3600
MAX_QUESTIONS = 200  # in one set, and so in one session
RATINGS = range(1, 6)
HIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")  # control characters but tabs and line ends


class Kind(StrEnum):
    """How a question is answered."""

    TEXT = "text"
    CHOICE = "choice"
    RANKING = "ranking"
    RATING = "rating"
    YES_NO = "yes-no"
    IDEAS = "ideas"  # written by the room, put in order by the host, then ranked
    TOPIC = "topic"  # of an assembly: only discussed
    MOTION = "motion"  # yes, no or abstain
    ALTERNATIVES = "alternatives"  # a motion and its amendments, ranked; the last option is “No change”


RANKED = (Kind.RANKING, Kind.ALTERNATIVES, Kind.IDEAS)  # answered, or voted on, by a ranking
WITH_OPTIONS = (Kind.CHOICE, Kind.RANKING, Kind.ALTERNATIVES)
SET_KIND_LABELS = {  # of the kinds that a set may contain
    Kind.TEXT: gettext_lazy("Free text"),
    Kind.CHOICE: gettext_lazy("Choice"),
    Kind.RANKING: gettext_lazy("Ranking"),
    Kind.RATING: gettext_lazy("Rating from 1 to 5"),
    Kind.YES_NO: gettext_lazy("Yes or no"),
    Kind.IDEAS: gettext_lazy("Ideas, written and then ranked by the room"),
}


class Type(StrEnum):
    """The type of a session, stored as EngagementType."""

    CALL_AND_ANSWER = "call-and-answer"
    TRIVIA = "trivia"
    POLL = "poll"
    SURVEY = "survey"
    ASSEMBLY = "assembly"


SET_TYPES = (Type.CALL_AND_ANSWER, Type.TRIVIA, Type.POLL, Type.SURVEY)  # an assembly has an agenda of its own


@dataclass(frozen=True, slots=True)
class Question:
    title: str
    kind: Kind = Kind.TEXT
    detail: str = ""
    category: str = ""
    school: str = ""  # where it comes from, or whom it is for
    custom_instruction: str = ""
    options: tuple[str, ...] = ()
    right: tuple[int, ...] = ()  # which of the options, by their place from 0
    seconds: int = 30  # until it closes by itself; 0: when the host closes it
    secret: bool = False  # of an assembly: how people voted is never shown
    majority: str = ""  # of an assembly: as `foundation.tally.majorities` writes it
    twice: bool = False  # of a poll's ranking: asked before and after, and who moved is shown
    play: str = ""  # how a live session plays it, where that is not what the type of the session says
    run_off: int = 0  # of an assembly: the round that left its options undecided

    def suits(self, type_: Type) -> bool:
        if type_ == Type.CALL_AND_ANSWER:
            return self.kind == Kind.TEXT
        if type_ == Type.TRIVIA:
            return self.kind == Kind.CHOICE and bool(self.right)
        if type_ == Type.POLL:
            return self.kind in (Kind.CHOICE, Kind.RANKING, Kind.IDEAS)
        return self.kind in (Kind.TEXT, Kind.CHOICE, Kind.RATING, Kind.YES_NO)

    def as_item(self) -> dict[str, Any]:
        """Leaves out defaults."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        values |= {"kind": str(self.kind), "options": list(self.options), "right": list(self.right)}
        return {name: value for name, value in values.items() if value or name == "seconds"}


def question_of(item: Mapping[str, Any]) -> Question:
    values = {name: item[name] for name in Question.__dataclass_fields__ if name in item}
    lists = {name: tuple(item.get(name, ())) for name in ("options", "right")}
    return Question(**values | lists | {"kind": Kind(item["kind"])})


# --- what is wrong with one, named by field ---


@dataclass(frozen=True, slots=True)
class Flaw:
    """What is wrong with which field, which is also the column's name."""

    field: str
    sentence: str


def clean_line(text: str) -> str:
    """A single line without invisible characters."""
    return unicodedata.normalize("NFC", _visible(re.sub(r"\s+", " ", text)).strip())


def clean_lines(text: str) -> str:
    ended = text.replace("\r\n", "\n").replace("\r", "\n")
    return unicodedata.normalize("NFC", _visible(ended).strip())


def _visible(text: str) -> str:
    return without_stray_invisible(HIDDEN.sub("", text))


def tidied(question: Question) -> Question:
    return replace(
        question,
        title=clean_line(question.title),
        detail=clean_lines(question.detail),
        category=clean_line(question.category),
        school=clean_line(question.school),
        custom_instruction=clean_lines(question.custom_instruction),
        options=tuple(map(clean_line, question.options)),
        right=tuple(sorted(set(question.right))),
    )


def flaws(question: Question, columns: Sequence[str] = ()) -> Iterator[Flaw]:
    """Of a tidied question. If its options came from certain columns, those are named."""
    for flaw in _flaws(question):
        place = int(flaw.field.removeprefix("option")) - 1 if flaw.field.startswith("option") else -1
        yield replace(flaw, field=columns[place]) if 0 <= place < len(columns) else flaw


def _flaws(question: Question) -> Iterator[Flaw]:
    if not any(unicodedata.category(each)[0] not in "CZ" for each in question.title):
        yield Flaw("title", _("Enter a question."))
    for field, most in (
        ("title", MAX_TITLE_CHARS),
        ("detail", MAX_DETAIL_CHARS),
        ("category", MAX_CATEGORY_CHARS),
        ("school", MAX_SCHOOL_CHARS),
        ("custom_instruction", MAX_INSTRUCTION_CHARS),
    ):
        yield from _too_long(field, getattr(question, field), most)
    if not 0 <= question.seconds <= MAX_ANSWER_SECONDS:
        yield Flaw("seconds", _("Enter 0 to %(most)d seconds.") % {"most": MAX_ANSWER_SECONDS})
    if question.twice and question.kind != Kind.RANKING:
        yield Flaw("twice", _("Only a ranking can be asked twice."))
    yield from _flaws_of_options(question)


def _too_long(field: str, text: str, most: int) -> Iterator[Flaw]:
    if len(text) > most:
        numbers = {"most": most, "count": len(text)}
        yield Flaw(field, _("At most %(most)d characters; these are %(count)d.") % numbers)


def _flaws_of_options(question: Question) -> Iterator[Flaw]:
    if question.kind not in WITH_OPTIONS:
        if question.options:
            yield Flaw("option1", _("Only choices and rankings have options."))
        return
    count = len(question.options)
    if not MIN_OPTIONS <= count <= MAX_OPTIONS:
        numbers = {"fewest": MIN_OPTIONS, "most": MAX_OPTIONS, "count": count}
        yield Flaw("option1", _("Enter %(fewest)d to %(most)d options; there are %(count)d.") % numbers)
    numbers_of: dict[str, int] = {}
    for number, option in enumerate(question.options, 1):
        yield from _too_long(f"option{number}", option, MAX_OPTION_CHARS)
        if (above := numbers_of.setdefault(fold(option), number)) != number:
            yield Flaw(f"option{number}", _("The same as option %(number)d.") % {"number": above})
    if question.right and question.kind != Kind.CHOICE:
        yield Flaw("right", _("Only choices have right answers."))
