"""Rows of an imported file: each is a new question, a duplicate, already in the set, or invalid for a reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from io import StringIO
from itertools import islice

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from foundation.pages.lists import NotAList, Verdict

from ..question import (
    MAX_OPTIONS,
    MAX_QUESTIONS,
    MAX_TITLE_CHARS,
    MIN_OPTIONS,
    Flaw,
    Kind,
    Question,
    clean_line,
    flaws,
    tidied,
)
from ..rules import FullSet, NoRoom, check_room, comparison_key

MAX_ROW_CHARS = 40_000  # characters, its line ends included
MAX_LINES = 50_000  # blank ones and those inside quotation marks included
MAX_SHOWN_CHARS = 200
MAX_TEXT_CHARS = 20_000  # characters of a question with all its markup
MAX_ANSWERS = 50  # more are not even looked at

LABELS = {
    "title": gettext_lazy("Question"),
    "detail": gettext_lazy("Details"),
    "category": gettext_lazy("Category"),
    "school": gettext_lazy("School"),
    "custom_instruction": gettext_lazy("Instruction"),
    "seconds": gettext_lazy("Seconds"),
    "right": gettext_lazy("Right answers"),
}


@dataclass(frozen=True, slots=True)
class Row:
    line: int
    title: str
    question: Question | None
    verdict: Verdict
    reason: str = ""
    note: str = ""  # what was left out of a new question


@dataclass(frozen=True, slots=True)
class ImportedFile:
    rows: tuple[Row, ...]
    unread: tuple[str, ...] = ()  # unknown headings

    @property
    def new(self) -> list[Question]:
        return [row.question for row in self.rows if row.verdict == Verdict.NEW and row.question]

    def count(self, verdict: Verdict) -> int:
        return sum(row.verdict == verdict for row in self.rows)


def lines_of(text: str) -> list[str]:
    """With any kind of line end."""
    lines = list(islice(StringIO(text, newline=None), MAX_LINES + 1))
    if len(lines) > MAX_LINES:
        raise NotAList(_("A file has at most %(most)d lines.") % {"most": MAX_LINES})
    return lines


def judge_rows(rows: Iterable[Row], full: FullSet, unread: Iterable[str] = ()) -> ImportedFile:
    """The rows of a file, each with its verdict for this set."""
    first = list(islice(rows, MAX_QUESTIONS + 1))
    if len(first) > MAX_QUESTIONS:
        raise NotAList(_("A file has at most %(most)d questions. Split it into several.") % {"most": MAX_QUESTIONS})
    return ImportedFile(tuple(_against(_without_repeats(first), full)), tuple(unread))


def _without_repeats(rows: Iterable[Row]) -> Iterator[Row]:
    """A duplicate names the line of the first."""
    first_rows: dict[tuple[str, ...], Row] = {}
    for row in rows:
        above = first_rows.setdefault(comparison_key(row.question), row) if row.question else row
        if above is row:
            yield row
        else:
            reason = _("The same question is on line %(line)d.") % {"line": above.line}
            yield replace(row, verdict=Verdict.REPEATED, reason=reason)


def _against(rows: Iterable[Row], full: FullSet) -> Iterator[Row]:
    """Compares the rows with the set and its remaining room."""
    places = {comparison_key(each): place for place, each in enumerate(full.questions, 1)}
    accepted: list[Question] = []
    for row in rows:
        if row.verdict != Verdict.NEW or row.question is None:
            yield row
        elif place := places.get(comparison_key(row.question)):
            reason = _("Already in the set, as question %(number)d.") % {"number": place}
            yield replace(row, verdict=Verdict.THERE, reason=reason)
        else:
            try:
                check_room(full, [*accepted, row.question])
            except NoRoom as refusal:
                yield replace(row, verdict=Verdict.INVALID, reason=str(refusal))
            else:
                accepted.append(row.question)
                yield row


# --- questions of other programs ---


CHOICE = Question("", Kind.CHOICE)


@dataclass(frozen=True, slots=True)
class ForeignQuestion:
    """A question in the terms of another program."""

    line: int
    text: str  # its first line is the question, the others are details
    question: Question = CHOICE  # its other fields
    name: str = ""
    cannot: str = ""  # why it cannot be imported
    problems: tuple[Flaw, ...] = ()
    notes: tuple[str, ...] = ()  # what is left out of it


def judge_foreign(questions: Iterable[ForeignQuestion], full: FullSet) -> ImportedFile:
    return judge_rows(map(_row_of, questions), full)


def _row_of(foreign: ForeignQuestion) -> Row:
    if len(foreign.text) > MAX_TEXT_CHARS or len(foreign.question.options) > MAX_ANSWERS:
        foreign = ForeignQuestion(
            foreign.line, foreign.text[:MAX_SHOWN_CHARS], cannot=_("It is too long for a question.")
        )
    title, _end, detail = foreign.text.strip().partition("\n")
    is_named = len(clean_line(title)) > MAX_TITLE_CHARS and 0 < len(clean_line(foreign.name)) <= MAX_TITLE_CHARS
    if is_named:
        title, detail = foreign.name, foreign.text
    question = tidied(replace(foreign.question, title=title, detail=detail))
    if reasons := list(_reasons(foreign, question)):
        title = question.title or clean_line(foreign.name)
        return Row(foreign.line, title[:MAX_SHOWN_CHARS], None, Verdict.INVALID, " ".join(reasons))
    notes = list(foreign.notes)
    if is_named:
        notes.append(
            _("Its text is too long for a question: it was moved to the details, and its name became the question.")
        )
    return Row(foreign.line, question.title, question, Verdict.NEW, note=" ".join(notes))


def _reasons(foreign: ForeignQuestion, question: Question) -> Iterator[str]:
    if foreign.cannot:
        yield foreign.cannot
        return
    empty = [Flaw(f"option{place}", _("It is empty.")) for place, each in enumerate(question.options, 1) if not each]
    for flaw in (*foreign.problems, *empty, *flaws(question)):
        label = str(LABELS.get(flaw.field, ""))
        # a wrong number of options concerns all of them
        if flaw.field.startswith("option") and MIN_OPTIONS <= len(question.options) <= MAX_OPTIONS:
            label = _("Option %(number)d") % {"number": int(flaw.field.removeprefix("option"))}
        yield f"{label}: {flaw.sentence}" if label else flaw.sentence
