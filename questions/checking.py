"""A question as it is kept: what was typed, tidied, and what is wrong with it, named by field."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from questions.question import (
    MAX_ANSWER_SECONDS,
    MAX_DETAIL_CHARS,
    MAX_OPTION_CHARS,
    MAX_OPTIONS,
    MAX_TITLE_CHARS,
    MIN_OPTIONS,
    Kind,
    Question,
)
from store.keys import fold, without_stray_invisible

from .rules import MAX_CATEGORY_CHARS

MAX_INSTRUCTION_CHARS, MAX_SCHOOL_CHARS = 1_000, 200
HIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")  # control characters but tabs and line ends
WITH_OPTIONS = (Kind.CHOICE, Kind.RANKING, Kind.ALTERNATIVES)


@dataclass(frozen=True, slots=True)
class Flaw:
    """What is wrong, and with which field: that is also what its column is called."""

    field: str
    sentence: str


def line(text: str) -> str:
    """Words of one line, without characters that nobody sees."""
    return unicodedata.normalize("NFC", _visible(re.sub(r"\s+", " ", text)).strip())


def lines(text: str) -> str:
    """Words of several lines."""
    ended = text.replace("\r\n", "\n").replace("\r", "\n")
    return unicodedata.normalize("NFC", _visible(ended).strip())


def _visible(text: str) -> str:
    return without_stray_invisible(HIDDEN.sub("", text))


def tidied(question: Question) -> Question:
    return replace(
        question,
        title=line(question.title),
        detail=lines(question.detail),
        category=line(question.category),
        school=line(question.school),
        custom_instruction=lines(question.custom_instruction),
        options=tuple(map(line, question.options)),
        right=tuple(sorted(set(question.right))),
    )


def flaws(question: Question, columns: Sequence[str] = ()) -> Iterator[Flaw]:
    """Of a question that is tidied. Its options may have come from some columns only: those are then named."""
    for flaw in _flaws(question):
        place = int(flaw.field.removeprefix("option")) - 1 if flaw.field.startswith("option") else -1
        yield replace(flaw, field=columns[place]) if 0 <= place < len(columns) else flaw


def _flaws(question: Question) -> Iterator[Flaw]:
    if not any(unicodedata.category(each)[0] not in "CZ" for each in question.title):
        yield Flaw("title", _("A question has a title."))
    for field, most in (
        ("title", MAX_TITLE_CHARS),
        ("detail", MAX_DETAIL_CHARS),
        ("category", MAX_CATEGORY_CHARS),
        ("school", MAX_SCHOOL_CHARS),
        ("custom_instruction", MAX_INSTRUCTION_CHARS),
    ):
        yield from _too_long(field, getattr(question, field), most)
    if not 0 <= question.seconds <= MAX_ANSWER_SECONDS:
        yield Flaw("seconds", _("The time is 0 to %(most)d seconds.") % {"most": MAX_ANSWER_SECONDS})
    if question.twice and question.kind != Kind.RANKING:
        yield Flaw("twice", _("Only a ranking is asked twice."))
    yield from _flaws_of_options(question)


def _too_long(field: str, text: str, most: int) -> Iterator[Flaw]:
    if len(text) > most:
        words = {"most": most, "count": len(text)}
        yield Flaw(field, _("At most %(most)d characters; these are %(count)d.") % words)


def _flaws_of_options(question: Question) -> Iterator[Flaw]:
    if question.kind not in WITH_OPTIONS:
        if question.options:
            yield Flaw("option1", _("Only a choice and a ranking have options."))
        return
    count = len(question.options)
    if not MIN_OPTIONS <= count <= MAX_OPTIONS:
        words = {"fewest": MIN_OPTIONS, "most": MAX_OPTIONS, "count": count}
        yield Flaw("option1", _("There are %(fewest)d to %(most)d options; these are %(count)d.") % words)
    yield from _flaws_of_each(question.options)
    if question.right and question.kind != Kind.CHOICE:
        yield Flaw("right", _("Only a choice has right answers."))


def _flaws_of_each(options: tuple[str, ...]) -> Iterator[Flaw]:
    seen: dict[str, int] = {}
    for number, option in enumerate(options, 1):
        yield from _too_long(f"option{number}", option, MAX_OPTION_CHARS)
        if (above := seen.setdefault(fold(option), number)) != number:
            yield Flaw(f"option{number}", _("The same as option %(number)d.") % {"number": above})
