"""What becomes of each row of a file: the question it is, or why there is none; new, twice, or in the set already."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from io import StringIO
from itertools import islice

from django.utils.translation import gettext as _

from pages.lists import NotAList, Verdict

from ..question import MAX_QUESTIONS, Question
from ..rules import NoRoom, Whole, check_room, likeness

MAX_ROW_CHARS = 40_000  # characters, its line ends included
MAX_LINES = 50_000  # blank ones and those inside quotation marks included


@dataclass(frozen=True, slots=True)
class Row:
    """What becomes of a row: the question it is, or why there is none."""

    line: int
    title: str
    question: Question | None
    verdict: Verdict
    reason: str = ""
    note: str = ""  # what a question that is new has lost on its way


@dataclass(frozen=True, slots=True)
class Read:
    """A file as it was understood."""

    rows: tuple[Row, ...]
    unread: tuple[str, ...] = ()  # headings that mean nothing here

    @property
    def new(self) -> list[Question]:
        return [row.question for row in self.rows if row.verdict == Verdict.NEW and row.question]

    def count(self, verdict: Verdict) -> int:
        return sum(row.verdict == verdict for row in self.rows)


def lines_of(text: str) -> list[str]:
    """However they end."""
    found = list(islice(StringIO(text, newline=None), MAX_LINES + 1))
    if len(found) > MAX_LINES:
        raise NotAList(_("A file has at most %(most)d lines.") % {"most": MAX_LINES})
    return found


def judged(rows: Iterable[Row], whole: Whole, unread: Iterable[str] = ()) -> Read:
    """The rows of a file, each with its verdict for this set."""
    found = list(islice(rows, MAX_QUESTIONS + 1))
    if len(found) > MAX_QUESTIONS:
        raise NotAList(_("A file has at most %(most)d questions. Split it into several.") % {"most": MAX_QUESTIONS})
    return Read(tuple(_against(_without_repeats(found), whole)), tuple(unread))


def _without_repeats(rows: Iterable[Row]) -> Iterator[Row]:
    """Each that says what a row above has said names that row; two may stand on one line."""
    seen: dict[tuple[str, ...], Row] = {}
    for row in rows:
        above = seen.setdefault(likeness(row.question), row) if row.question else row
        if above is row:
            yield row
        else:
            reason = _("The same question is on line %(line)d.") % {"line": above.line}
            yield replace(row, verdict=Verdict.REPEATED, reason=reason)


def _against(rows: Iterable[Row], whole: Whole) -> Iterator[Row]:
    """The rows, knowing what the set has already and how much more it takes."""
    there = {likeness(each.question): place for place, each in enumerate(whole.placed, 1)}
    taken: list[Question] = []
    for row in rows:
        is_new = row.verdict == Verdict.NEW and row.question
        yield _known(row, is_new, there, whole, taken) if is_new else row


def _known(row: Row, question: Question, there: dict[tuple[str, ...], int], whole: Whole, taken: list[Question]) -> Row:
    if place := there.get(likeness(question)):
        reason = _("The set has it already, as question %(number)d.") % {"number": place}
        return replace(row, verdict=Verdict.THERE, reason=reason)
    try:
        check_room(whole, [*taken, question])
    except NoRoom as refusal:
        return replace(row, verdict=Verdict.INVALID, reason=str(refusal))
    taken.append(question)
    return row
