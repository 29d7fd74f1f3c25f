"""CSV, for spreadsheets. The first line says which of two tables it is.

Ranks under names: a column for each candidate, with the rank that a ballot gives them (1 is best; equal numbers are
equals, gaps do not matter, an empty cell is unranked). This is what we write.

    count,Ada,Bo,Cy
    5,1,2,2

Names under ranks: when all columns are called “rank 1”, “rank 2” and so on (or choice, preference, “1st choice”), with
a name or nothing in each cell. Two columns of the same rank hold equals.

    count,rank 1,rank 2,rank 3
    5,Ada,Bo,Cy

Other kinds of ballot have the values or marks under the names, and the heading of the count says so. A mark is 1 or x.

    count of score ballots,Ada,Bo,Cy
    5,5,,3

A column called count (or ballots, or weight) says how many ballots a line is; without it each is one. A column called
id, or ballot id, is left out, and beside it one called precinct, as BetterVoting writes them. The first such column
counts. Commas, semicolons or tabs separate. An apostrophe before a
name keeps a spreadsheet from taking it for a formula, and us from taking it for one of the columns above; reading drops
it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from io import StringIO

from ..ballots import groups_of, ratings_of
from .file import VALUED, BadFile, BallotCounter, File, Limits, Lines, Text, by_count, excerpt, parse_whole_number

SEPARATORS = ",;\t"
HINT = re.compile(r"sep=([\t;,|])\s*$", re.IGNORECASE)  # as declared by spreadsheets
COUNT = re.compile(
    r"counts?(?: of (?P<kind>yes-no|choose|approval|score|points) ballots)?|ballots|weight", re.IGNORECASE
)
MARK = re.compile(r"(?:ballot[ _-]?)?id", re.IGNORECASE)
PRECINCT = re.compile("precinct", re.IGNORECASE)
MARKED = {"1": 1, "x": 1, "X": 1, "✓": 1, "0": 0}
WORDS = "rank|choice|preference"
RANK = re.compile(rf"(?:{WORDS})[ _-]?([0-9]{{1,4}})|([0-9]{{1,4}})(?:st|nd|rd|th) (?:{WORDS})", re.IGNORECASE)
RANKS = {str(rank): rank for rank in range(1, 100)}  # as most are
GUARDED = re.compile(
    rf"'*(?:[=+\-@\t\r]|(?:{COUNT.pattern}|{MARK.pattern}|{RANK.pattern})$)", re.IGNORECASE
)  # what must not begin a cell, apostrophes before it or not


def read(text: Text, limits: Limits, kind: str | None = None) -> File:
    """What the cells hold is what the heading says, unless another kind of ballot is asked for."""
    lines = text.lines()
    number, header, separator = _header(lines)
    table = _Table(_cells(number, header, separator), number, limits, kind)
    for number, line in lines:
        if line.strip() and not table.counter.count_repeated(line):
            table.count(number, line, _cells(number, line, separator))
    return File(table.counter.ballots(), kind=table.kind)


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

    def __init__(self, header: list[str], line: int, limits: Limits, kind: str | None):
        self.counter = BallotCounter(limits)
        self.roster = self.counter.roster
        while header and not header[-1].strip():
            header.pop()  # spreadsheets like to write empty columns at the end
        self.width = len(header)
        self.counts = _find(COUNT, header)
        heading = COUNT.fullmatch(header[self.counts].strip()) if self.counts is not None else None
        told = heading["kind"].lower() if heading and heading["kind"] else None
        if told and kind == "ranked":
            raise BadFile(line, f"These are ballots of the kind {told}, not rankings.")
        self.kind = kind or told
        marks = {_find(MARK, header), self.counts}
        if marks - {None, self.counts}:
            marks.add(_find(PRECINCT, header))
        columns = {place: cell.strip() for place, cell in enumerate(header) if place not in marks}
        ranks = {place: RANK.fullmatch(cell) for place, cell in columns.items()}
        self.ranks = {place: int(rank[1] or rank[2]) for place, rank in ranks.items() if rank}
        self.by_name = len(self.ranks) < len(columns) or not columns
        if self.by_name and "" in columns.values():
            place = next(place for place, cell in columns.items() if not cell)
            raise BadFile(
                line,
                f"Column {place + 1} has no heading: each column is called by its candidate, and one that names the "
                "voters “id”.",
            )
        self.candidates = {place: self.roster.add(_bare(cell), line) for place, cell in columns.items() if self.by_name}

    def count(self, line: int, text: str, cells: list[str]) -> None:
        if any(cell.strip() for cell in cells[self.width :]):
            raise BadFile(line, f"This line has more than the {self.width} columns of the first one.")
        typed = cells[self.counts] if self.counts is not None and self.counts < len(cells) else "1"
        count = parse_whole_number(typed, line, "a number of ballots")
        if self.by_name and self.kind not in (None, "ranked"):
            ballot = self.counter.count_values(self._values(cells, line), self.kind, count, line)
            self.counter.cache_line(text, ballot, count)
            return
        groups: dict[int, list[int]] = {}
        for place, candidate in self.candidates.items():
            if place < len(cells) and (typed := cells[place].strip()):
                rank = RANKS.get(typed) or parse_whole_number(typed, line, "a rank", least=1)
                groups.setdefault(rank, []).append(candidate)
        for place, rank in self.ranks.items() if not self.by_name else ():
            if place < len(cells) and (name := _bare(cells[place])):
                groups.setdefault(rank, []).append(self.roster.number(name, line))
        ordered = [groups[rank] for rank in sorted(groups)]
        self.counter.count_line(text, ordered, count, line)

    def _values(self, cells: list[str], line: int) -> dict[int, int]:
        typed = {number: cells[place].strip() for place, number in self.candidates.items() if place < len(cells)}
        if self.kind in VALUED:
            return {number: parse_whole_number(cell, line, "a value") for number, cell in typed.items() if cell}
        for cell in typed.values():
            if cell and cell not in MARKED:
                raise BadFile(line, f"“{excerpt(cell)}” is not a mark, which is 1 or x.")
        return {number: MARKED[cell] for number, cell in typed.items() if cell}


def _find(heading: re.Pattern[str], header: list[str]) -> int | None:
    return next((place for place, cell in enumerate(header) if heading.fullmatch(cell.strip())), None)


def is_table(first: str, second: str | None) -> bool:
    """Whether two lines look like the beginning of such a table: ranks or headings in columns."""
    separator = separator_of(first)
    if _parts(first, separator) < 2:
        return False
    header = [cell.strip() for cell in _cells(1, first, separator)]
    is_exported = None not in (_find(MARK, header), _find(PRECINCT, header))
    if is_exported or _find(COUNT, header) is not None or all(RANK.fullmatch(cell) for cell in header):
        return True
    return second is not None and bool(re.fullmatch(rf"[0-9xX✓\s{re.escape(separator)}]+", second))


def write(file: File) -> Iterator[str]:
    names, is_ranked = file.ballots.candidates, file.kind in (None, "ranked")
    heading = "count" if is_ranked else f"count of {file.kind} ballots"
    # An apostrophe keeps text from starting a formula; text that has it already gets one more, so that one can go.
    guarded = [f"'{name}" if GUARDED.match(name) else name for name in names]
    yield "\ufeff" + _line([heading, *guarded], csv.QUOTE_ALL)  # the mark by which spreadsheets know UTF-8
    for ballot, count in by_count(file.ballots):
        if is_ranked:
            ranks = {each: str(rank) for rank, group in enumerate(groups_of(ballot), 1) for each in group}
        else:
            ranks = {each: str(value) for each, value in ratings_of(ballot).items()}
        yield _line([str(count), *(ranks.get(number, "") for number in range(len(names)))], csv.QUOTE_MINIMAL)


def _line(cells: list[str], quoting: int) -> str:
    line = StringIO()
    csv.writer(line, quoting=quoting).writerow(cells)  # type: ignore[arg-type]
    return line.getvalue()


def _bare(cell: str) -> str:
    text = cell.strip()
    return text[1:] if text.startswith("'") and GUARDED.match(text) else text
