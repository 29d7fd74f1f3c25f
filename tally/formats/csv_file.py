"""CSV, for spreadsheets. The first line says which of two tables it is.

Ranks under names: a column for each candidate, with the rank that a ballot gives them (1 is best; equal numbers are
equals, gaps do not matter, an empty cell is unranked). This is what we write.

    count,Ada,Bo,Cy
    5,1,2,2

Names under ranks: when all columns are called “rank 1”, “rank 2” and so on (or choice, preference, “1st choice”), with
a name or nothing in each cell. Two columns of the same rank hold equals.

    count,rank 1,rank 2,rank 3
    5,Ada,Bo,Cy

A column called count (or ballots, or weight) says how many ballots a line is; without it each is one. A column called
id, or ballot id, is left out. The first such column counts. Commas, semicolons or tabs separate. An apostrophe before a
name keeps a spreadsheet from taking it for a formula, and us from taking it for one of the columns above; reading drops
it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from io import StringIO

from ..ballots import groups_of
from .file import BadFile, BallotCounter, File, Limits, by_count, parse_whole_number
from .text import Lines, Text

SEPARATORS = ",;\t"
HINT = re.compile(r"sep=([\t;,|])\s*$", re.IGNORECASE)  # as declared by spreadsheets
COUNT = re.compile(r"counts?|ballots|weight", re.IGNORECASE)
MARK = re.compile(r"(?:ballot[ _-]?)?id", re.IGNORECASE)
WORDS = "rank|choice|preference"
RANK = re.compile(rf"(?:{WORDS})[ _-]?([0-9]{{1,4}})|([0-9]{{1,4}})(?:st|nd|rd|th) (?:{WORDS})", re.IGNORECASE)
RANKS = {str(rank): rank for rank in range(1, 100)}  # as most are
GUARDED = re.compile(
    rf"'*(?:[=+\-@\t\r]|(?:{COUNT.pattern}|{MARK.pattern}|{RANK.pattern})$)", re.IGNORECASE
)  # what must not begin a cell, apostrophes before it or not


def read(text: Text, limits: Limits) -> File:
    lines = text.lines()
    number, header, separator = _header(lines)
    table = _Table(_cells(number, header, separator), number, limits)
    for number, line in lines:
        if line.strip() and not table.counter.count_repeated(line):
            table.count(number, line, _cells(number, line, separator))
    return File(table.counter.ballots())


def _header(lines: Lines) -> tuple[int, str, str]:
    """The first line that says something, its number, and what separates its cells."""
    separators = SEPARATORS
    for number, line in lines:
        if hint := HINT.match(line):
            separators = hint[1]
        elif line.strip():
            return number, line, separator_of(line, separators)
    raise BadFile(None, "This file names no candidates.")


def separator_of(header: str, separators: str = SEPARATORS) -> str:
    """What splits the line into most cells, quotation marks being where they belong."""
    return max(separators, key=lambda each: _parts(header, each))


def _parts(line: str, separator: str) -> int:
    try:
        return len(next(csv.reader([line], delimiter=separator, skipinitialspace=True, strict=True)))
    except csv.Error:
        return 0


def _cells(number: int, line: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator, skipinitialspace=True, strict=True))
    except csv.Error:
        raise BadFile(number, "A quotation mark is out of place or not closed.") from None


class _Table:
    """Knows what each column holds."""

    def __init__(self, header: list[str], line: int, limits: Limits):
        self.counter = BallotCounter(limits)
        self.roster = self.counter.roster
        while header and not header[-1].strip():
            header.pop()  # spreadsheets like to write empty columns at the end
        self.width = len(header)
        self.counts = _find(COUNT, header)
        marks = {_find(MARK, header), self.counts}
        columns = {place: cell.strip() for place, cell in enumerate(header) if place not in marks}
        ranks = {place: RANK.fullmatch(cell) for place, cell in columns.items()}
        self.ranks = {place: int(rank[1] or rank[2]) for place, rank in ranks.items() if rank}
        self.by_name = len(self.ranks) < len(columns) or not columns
        self.candidates = {place: self.roster.add(_bare(cell), line) for place, cell in columns.items() if self.by_name}

    def count(self, line: int, text: str, cells: list[str]) -> None:
        if any(cell.strip() for cell in cells[self.width :]):
            raise BadFile(line, f"This line has more than the {self.width} columns of the first one.")
        typed = cells[self.counts] if self.counts is not None and self.counts < len(cells) else "1"
        count = parse_whole_number(typed, line, "a number of ballots")
        groups = self._by_name(cells, line) if self.by_name else self._by_rank(cells, line)
        ordered = [groups[rank] for rank in sorted(groups)]
        self.counter.count_line(text, ordered, count, line)

    def _by_name(self, cells: list[str], line: int) -> dict[int, list[int]]:
        groups: dict[int, list[int]] = {}
        for place, candidate in self.candidates.items():
            if place < len(cells) and (typed := cells[place].strip()):
                rank = RANKS.get(typed) or parse_whole_number(typed, line, "a rank", least=1)
                groups.setdefault(rank, []).append(candidate)
        return groups

    def _by_rank(self, cells: list[str], line: int) -> dict[int, list[int]]:
        groups: dict[int, list[int]] = {}
        for place, rank in self.ranks.items():
            if place < len(cells) and (name := _bare(cells[place])):
                groups.setdefault(rank, []).append(self.roster.number(name, line))
        return groups


def _find(heading: re.Pattern[str], header: list[str]) -> int | None:
    return next((place for place, cell in enumerate(header) if heading.fullmatch(cell.strip())), None)


def is_table(first: str, second: str | None) -> bool:
    """Whether two lines look like the beginning of such a table: ranks or headings in columns."""
    separator = separator_of(first)
    if _parts(first, separator) < 2:
        return False
    header = [cell.strip() for cell in _cells(1, first, separator)]
    if _find(COUNT, header) is not None or all(RANK.fullmatch(cell) for cell in header):
        return True
    return second is not None and bool(re.fullmatch(rf"[0-9\s{re.escape(separator)}]+", second))


def write(file: File) -> Iterator[str]:
    names = file.ballots.candidates
    yield "\ufeff" + _line(["count", *map(_guarded, names)], csv.QUOTE_ALL)  # the mark by which spreadsheets know UTF-8
    for ranking, count in by_count(file.ballots):
        ranks = {each: str(rank) for rank, group in enumerate(groups_of(ranking), 1) for each in group}
        yield _line([str(count), *(ranks.get(number, "") for number in range(len(names)))], csv.QUOTE_MINIMAL)


def _line(cells: list[str], quoting: int) -> str:
    line = StringIO()
    csv.writer(line, quoting=quoting).writerow(cells)  # type: ignore[arg-type]
    return line.getvalue()


def _guarded(name: str) -> str:
    """An apostrophe keeps text from starting a formula; text that has it already gets one more, so that one can go."""
    return f"'{name}" if GUARDED.match(name) else name


def _bare(cell: str) -> str:
    text = cell.strip()
    return text[1:] if text.startswith("'") and GUARDED.match(text) else text
