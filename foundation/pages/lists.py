"""Lists to import and export: the text of a file, names pasted one per line, exports as CSV.

A file is refused as a whole only if it cannot be read as a list at all; otherwise every row gets its own verdict.
"""

from __future__ import annotations

import csv
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from io import StringIO
from typing import TypeVar

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from foundation.acts.refusals import Refusal
from foundation.store.keys import fold

from .names import clean_name, clean_title

MAX_CANDIDATES = 500
MAX_BYTES = 5 * 1024 * 1024
MAX_PASTED_CHARS = MAX_BYTES // 4  # characters of a pasted list: in some scripts four bytes each
MAX_ROWS = 50_000
MAX_LINES = 4 * MAX_ROWS  # some may be blank, or inside quotation marks
MAX_LINE_CHARS = 1_000


class NotAList(Refusal):
    """The input cannot be read as a list; the message says why."""


class Verdict(StrEnum):
    """What will happen to a row."""

    NEW = "new"
    THERE = "there"  # already on the roll
    CHANGED = "changed"  # already on the roll, and gets into other voter groups, or another weight
    REPEATED = "repeated"  # earlier in the same list
    INVALID = "invalid"


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a list: its line, what was typed, what will be stored, and if not, why."""

    line: int
    typed: str
    value: str | None  # cleaned
    verdict: Verdict
    reason: str = ""


RowOf = TypeVar("RowOf", bound=Row)


def read_candidates(text: str) -> list[Row]:
    """Candidates pasted one per line. Bullets and numbering are removed if most lines have them."""
    lines = _nonblank_lines(text)
    if len(lines) > MAX_CANDIDATES:
        raise NotAList(_("A list can have at most %(most)d candidates.") % {"most": MAX_CANDIDATES})
    return _read_lines(lines, clean_title)


def read_people(text: str, most: int, clean: Callable[[str], str] = clean_name) -> list[Row]:
    """People pasted one per line, by name, in the same way."""
    lines = _nonblank_lines(text)
    if len(lines) > most:
        raise NotAList(_("A list can have at most %(most)d names.") % {"most": most})
    return _read_lines(lines, clean)


def _nonblank_lines(text: str) -> list[tuple[int, str]]:
    return [(number, line.strip()) for number, line in numbered_lines(text) if line.strip()]


def _read_lines(lines: list[tuple[int, str]], clean: Callable[[str], str]) -> list[Row]:
    mark, rows = _prefix_pattern([line for _number, line in lines]), list[Row]()
    for number, line in lines:
        if name := mark.sub("", line):
            try:
                rows.append(Row(number, name, clean(name), Verdict.NEW))
            except ValidationError as error:
                rows.append(Row(number, name, None, Verdict.INVALID, error.messages[0]))
    return list(without_repeats(rows))


def too_many_rows() -> NotAList:
    return NotAList(_("A list can have at most %(most)d rows. Split it into several lists.") % {"most": MAX_ROWS})


def without_repeats(rows: Iterable[RowOf]) -> Iterator[RowOf]:
    """The rows, with each repetition marked with the line of the first one."""
    seen: dict[str, int] = {}
    for row in rows:
        above = seen.setdefault(fold(row.value), row.line) if row.value else row.line
        if above == row.line:
            yield row
        else:
            yield replace(row, verdict=Verdict.REPEATED, reason=_("Already on line %(line)d.") % {"line": above})


# --- from bytes to lines ---


def decode(raw: bytes) -> str:
    """The text of a file, in any supported encoding."""
    if len(raw) > MAX_BYTES:
        raise NotAList(_("A list can be at most %(most)d MB.") % {"most": MAX_BYTES // 1024**2})
    try:
        text = raw.decode(_encoding(raw))
    except UnicodeDecodeError:
        raise _not_text() from None
    if "\0" in text:
        raise _not_text()
    return text


def _not_text() -> NotAList:
    return NotAList(_("This file is not plain text. If it is a spreadsheet, save it as CSV first."))


def _encoding(raw: bytes) -> str:
    """The encoding given by the byte order mark; otherwise guessed from the bytes."""
    if raw.startswith(BOM_UTF8):
        return "utf-8-sig"
    if raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return "utf-16"
    # In UTF-16, line ends, separators and Latin letters have a NUL in one half, always the same.
    even, odd = raw[0:4096:2].count(0), raw[1:4096:2].count(0)
    if min(even, odd) * 10 < max(even, odd) and max(even, odd) * 40 > len(raw[:4096]):
        return "utf-16-be" if even > odd else "utf-16-le"
    try:
        raw.decode()
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines with their numbers, with any line endings. A file that is one endless line is not a list."""
    for number, line in enumerate(StringIO(text, newline=None), 1):
        if len(line.rstrip("\n")) > MAX_LINE_CHARS:
            values = {"line": number, "most": MAX_LINE_CHARS}
            raise NotAList(_("Line %(line)d has more than %(most)d characters.") % values)
        if number > MAX_LINES:
            raise too_many_rows()
        yield number, line


HINT = re.compile(r"sep=([\t;,|])[^\S\r\n]*(?=[\r\n])", re.IGNORECASE)  # how spreadsheets declare the separator


# --- candidates' bullets and numbering ---

BULLET = re.compile(r"^(?:[-*+\u2013\u2014](?:\s+|$)|[\u2022\u2023\u25e6\u00b7]\s*)")
NUMBERING = re.compile(r"^\(?(\d{1,3})[.)](?:\s+|$)")
NOTHING = re.compile("^")


def _prefix_pattern(lines: list[str]) -> re.Pattern[str]:
    """What most lines start with besides a name. Numbers must differ: “1. FC” on every line is part of the names."""
    bullets = [line for line in lines if BULLET.match(line)]
    numbers = [match[1] for line in lines if (match := NUMBERING.match(line))]
    if len(bullets) * 2 > len(lines):
        return BULLET
    return NUMBERING if len(numbers) * 2 > len(lines) and len(set(numbers)) > 1 else NOTHING


# --- exports ---

FORMULA = re.compile(r"'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]")  # some spreadsheets take wide signs for formulas, too


def as_csv(header: Iterable[str], rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """The lines of a CSV file, safe from formulas in spreadsheets, and readable as a list again."""
    write = csv.writer(_Echo()).writerow
    yield "\ufeff" + write(map(_escape_formula, header))  # tells spreadsheets that it is UTF-8
    for row in rows:
        yield write(map(_escape_formula, row))


class _Echo:
    """A file object that returns what is written to it."""

    def write(self, line: str) -> str:
        return line


def _escape_formula(value: object) -> object:
    """An apostrophe keeps text from becoming a formula; text that has one gets another, so one can be removed."""
    return f"'{value}" if isinstance(value, str) and FORMULA.match(value) else value


def unescape_formula(cell: str) -> str:
    """Without the apostrophe that `as_csv` added."""
    return (cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell).strip()
