"""Imports questions from CSV: every row gets its own verdict.

The first line names the columns, in any order, in English or German. A file is refused only if it is not such a table;
a wrong row names the wrong column and affects no other row.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from string import ascii_uppercase
from typing import Any

from django.utils.translation import gettext as _

from foundation.pages.lists import HINT, NotAList, Verdict, decode, unescape_formula
from foundation.store.keys import fold

from ..question import MAX_OPTIONS, SET_KIND_LABELS, Flaw, Kind, Question, flaws, tidied
from ..rules import FullSet
from .exports import OPTIONS
from .rows import MAX_ROW_CHARS, ImportedFile, Row, judge_rows, lines_of

SEPARATORS = ",;\t|"
USUAL_SECONDS = Question("").seconds

HEADINGS = {
    "title": "title titel frage question",
    "kind": "kind art fragetyp type typ",
    "detail": "detail details beschreibung erläuterung",
    "category": "category kategorie rubrik",
    "school": "school schule herkunft",
    "custom_instruction": "custominstruction instruction anweisung hinweis",
    "right": "right correct richtig lösung",
    "seconds": "seconds sekunden time zeit",
    "twice": "twice zweimal beforeandafter vorhernachher",
    **{option: f"option{number} antwort{number} answer{number}" for number, option in enumerate(OPTIONS, 1)},
}
COLUMN_OF = {fold(word): column for column, fields in HEADINGS.items() for word in fields.split()}
KINDS = {
    Kind.TEXT: "text freitext",
    Kind.CHOICE: "choice auswahl",
    Kind.RANKING: "ranking rangfolge",
    Kind.RATING: "rating bewertung",
    Kind.YES_NO: "yesno janein",
    Kind.IDEAS: "ideas ideen",
}
YES, NO = ("yes", "ja", "1", "true", "x"), ("no", "nein", "0", "false")
KIND_OF = {word: kind for kind, fields in KINDS.items() for word in fields.split()}


def read(raw: bytes, full: FullSet) -> ImportedFile:
    text = decode(raw)
    hint = HINT.match(text)
    lines = lines_of(text[hint.end() :] if hint else text)  # what is left of that line is blank and still counts
    begin = next((number for number, line in enumerate(lines) if line.strip(f'{SEPARATORS}" \n')), 0)
    separator = _separator(lines[begin][:MAX_ROW_CHARS] if lines else "", hint[1] if hint else SEPARATORS)
    records = _records(lines, begin, separator)
    headings = next(records, (1, None))[1] or []
    columns = _columns(headings)
    if "title" not in columns:
        raise NotAList(_("The first line must name the columns, including “title”. This file has no such line."))
    unread = [cell.strip() for place, cell in enumerate(headings) if cell.strip() and place not in columns.values()]
    broken = _("Its quotation marks do not match, or it is too long.")
    rows = (
        _row(line, cells, columns, len(headings))
        if cells
        else Row(line, lines[line - 1].strip()[:60], None, Verdict.INVALID, broken)
        for line, cells in records
    )
    return judge_rows(rows, full, unread)


def names_columns(text: str) -> bool:
    """Whether the first line names the columns of such a table."""
    hint = HINT.match(text)
    rest = (text[hint.end() :] if hint else text).lstrip(f"{SEPARATORS} \r\n")
    first = next(StringIO(rest[:MAX_ROW_CHARS], newline=None), "")
    separator = _separator(first, hint[1] if hint else SEPARATORS)
    return "title" in _columns(_cells_of([first], separator) or ())


# --- from lines to cells ---


def _separator(header: str, choices: str) -> str:
    """The one that yields the most known headings."""
    return max(choices, key=lambda each: len(_columns(_cells_of([header], each) or ())))


def _columns(headings: Sequence[str]) -> dict[str, int]:
    """The position of each column; the first of two with the same name."""
    columns: dict[str, int] = {}
    for place, heading in enumerate(headings):
        if column := COLUMN_OF.get("".join(filter(str.isalnum, fold(heading)))):
            columns.setdefault(column, place)
    return columns


def _records(lines: list[str], begin: int, separator: str) -> Iterator[tuple[int, list[str] | None]]:
    """The line and the cells of each row that is not empty; no cells if its quotation marks do not match, which spoils
    only its own line."""
    while begin < len(lines):
        fed: list[str] = []
        cells = _cells_of(_fed(lines, begin, fed), separator)
        if cells is None or _has_text(cells):
            yield begin + 1, cells
        begin += max(1, len(fed) if cells is not None else 1)


def _fed(lines: list[str], begin: int, fed: list[str]) -> Iterator[str]:
    """Lines for one row, recording how many it took."""
    length = 0
    for number in range(begin, len(lines)):
        length += len(lines[number])
        if length > MAX_ROW_CHARS:
            raise csv.Error
        fed.append(lines[number])
        yield lines[number]


def _cells_of(lines: Iterable[str], separator: str) -> list[str] | None:
    try:
        return next(csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True), [])
    except csv.Error:
        return None


def _has_text(cells: Iterable[str]) -> bool:
    return bool("".join(cells).strip())


# --- from cells to questions ---


def _row(line: int, cells: list[str], columns: dict[str, int], width: int) -> Row:
    named = {name: unescape_formula(cells[place]) for name, place in columns.items() if place < len(cells)}
    question, problems = question_from(named)
    if _has_text(cells[width:]):
        problems = [*problems, Flaw("", _("It has more cells than the first line."))]
    if problems:
        reasons = " ".join(f"{flaw.field}: {flaw.sentence}" if flaw.field else flaw.sentence for flaw in problems)
        return Row(line, question.title[:200], None, Verdict.INVALID, reasons)
    return Row(line, question.title, question, Verdict.NEW)


def question_from(cells: dict[str, str]) -> tuple[Question, list[Flaw]]:
    problems: list[Flaw] = []
    columns = [name for name in OPTIONS if cells.get(name)]
    fields: dict[str, Any] = {name: cells.get(name, "") for name in ("title", "detail", "category", "school")}
    question = Question(
        **fields,
        custom_instruction=cells.get("custom_instruction", ""),
        kind=_kind(cells.get("kind", ""), bool(columns), problems),
        options=tuple(cells[name] for name in columns),
        right=_right(cells.get("right", ""), columns, problems),
        seconds=_seconds(cells.get("seconds", ""), problems),
        twice=_twice(cells.get("twice", ""), problems),
    )
    tidy = tidied(question)
    return tidy, [*problems, *flaws(tidy, columns)]


def _kind(typed: str, has_options: bool, problems: list[Flaw]) -> Kind:
    """By default, it depends on whether there are options."""
    word = "".join(filter(str.isalpha, fold(typed)))
    usual = Kind.CHOICE if has_options else Kind.TEXT
    if word and word not in KIND_OF:
        known = ", ".join(SET_KIND_LABELS)
        problems.append(
            Flaw("kind", _("“%(typed)s” is not one of: %(known)s.") % {"typed": typed[:40], "known": known})
        )
    return KIND_OF.get(word, usual)


def _right(typed: str, columns: list[str], problems: list[Flaw]) -> tuple[int, ...]:
    """Letters or numbers of options: “B”, “2”, “A, C”."""
    places: list[int] = []
    for word in filter(None, re.split(r"[\s,;/+&]+", typed)):
        number = int(word) if re.fullmatch("[0-9]{1,2}", word) else 0
        if len(word) == 1 and word.upper() in ascii_uppercase[:MAX_OPTIONS]:
            number = ascii_uppercase.index(word.upper()) + 1
        column = f"option{number}"
        if column in columns:
            places.append(columns.index(column))
        else:
            problems.append(Flaw("right", _("There is no option “%(word)s”.") % {"word": word[:40]}))
    return tuple(places)


def _seconds(typed: str, problems: list[Flaw]) -> int:
    if not typed.strip():
        return USUAL_SECONDS
    if re.fullmatch("[0-9]{1,6}", typed.strip()):
        return int(typed)
    problems.append(Flaw("seconds", _("“%(typed)s” is not a whole number.") % {"typed": typed[:40]}))
    return USUAL_SECONDS


def _twice(typed: str, problems: list[Flaw]) -> bool:
    word = fold(typed)
    if word in ("", *NO):
        return False
    if word not in YES:
        problems.append(Flaw("twice", _("“%(typed)s” is neither yes nor no.") % {"typed": typed[:40]}))
    return word in YES
