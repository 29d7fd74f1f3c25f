"""BLT, the format of programs for the single transferable vote (Hill, Wichmann and Woodall 1987; OpenSTV, OpaVote).

    4 2                 four candidates, two seats
    -2                  candidate 2 has withdrawn
    3 1 2=4 3 0         three ballots: 1 first, then 2 and 4 as equals, then 3; a 0 ends each ballot
    (b7) 1 3 - 1 0      one ballot with the mark b7; the second rank was skipped
    1 0                 a blank ballot
    0                   the end of the ballots
    "Ada"  "Bo"  "Cy"  "Di"  "Title of the election"

A # outside quotation marks begins a comment; so do /* and */ around it. Several ballots may share a line, but a ballot
does not run over a line's end. A name that is a single word may stand without quotation marks. A skipped rank is left
out. Withdrawn candidates are left out of every ballot. Quotation marks inside a name cannot be written. OpaVote's
options in square brackets, such as [nick ada bo], are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ..ballots import groups_of
from .file import (
    BadFile,
    BallotCounter,
    File,
    Limits,
    Text,
    by_count,
    clean_title,
    excerpt,
    parse_whole_number,
    refuse_signs,
    seats_of,
)

WORD = re.compile(r'\s*(?:(/\*)|#.*|("[^"]*")(?=[\s#]|$)|(\([^)]*\))|([^\s"(#][^\s"#]*)|(\S))')


def read(text: Text, limits: Limits) -> File:
    reader = _Reader(limits)
    for number, line in text.lines():
        if not (reader.between_ballots and reader.counter.count_repeated(_unmarked(line))):
            reader.read_line(number, line)
    return reader.file()


def _unmarked(line: str) -> str:
    """A ballot without its mark, which no other has; without it, equal ballots are equal lines."""
    return line.partition(")")[2] if line.startswith("(") else line


class _Reader:
    """Takes a file word by word; `step` is what the next word is for."""

    def __init__(self, limits: Limits):
        self.limits = limits
        self.counter = BallotCounter(limits)
        self.roster = self.counter.roster
        self.step: Callable[[str, int], None] = self._size
        self.size = self.seats = self.count = self.number = 0
        self.withdrawn: set[int] = set()
        self.groups: list[list[int]] = []  # of the ballot at hand
        self.ranked: set[int] = set()
        self.known: dict[str, int] = {}  # candidates by their numbers as words
        self.done: list[str] = []  # the rankings of this line
        self.title: str | None = None
        self.in_comment = False

    @property
    def between_ballots(self) -> bool:
        return self.step == self._weight and not self.in_comment

    def read_line(self, number: int, line: str) -> None:
        repeatable, self.done, self.number = self.between_ballots, [], number
        for word in self._tokens(line):
            self.step(word, number)
        if self.step == self._rank:
            raise BadFile(number, "A ballot does not end with 0.")
        if repeatable and self.between_ballots and len(self.done) == 1:
            self.counter.cache_line(_unmarked(line), self.done[0], self.count)

    def _tokens(self, line: str) -> Iterator[str]:
        place = 0
        while place < len(line):
            if self.in_comment:
                end = line.find("*/", place)
                self.in_comment, place = end < 0, len(line) if end < 0 else end + 2
            elif found := WORD.match(line, place):
                place, self.in_comment = found.end(), bool(found[1])
                if found[5]:
                    raise BadFile(self.number, "A quotation mark or a bracket is out of place.")
                if word := found[2] or found[3] or found[4]:
                    yield word
            else:
                return  # white space

    def _size(self, word: str, line: int) -> None:
        self.size = parse_whole_number(word, line, "a number of candidates", self.limits.candidates, 1)
        self.step = self._seats

    def _seats(self, word: str, line: int) -> None:
        self.seats, self.step = seats_of(word, line), self._withdrawal

    def _withdrawal(self, word: str, line: int) -> None:
        if word.startswith("-"):
            self.withdrawn.add(self._candidate(word[1:], line))
        else:
            self.step = self._weight
            self._weight(word, line)

    def _weight(self, word: str, line: int) -> None:
        """How many ballots follow, a mark that a ballot has, or the 0 after the last ballot."""
        if word.startswith("("):
            return
        if word.startswith("["):
            raise BadFile(
                line,
                f"“{excerpt(word)}” begins an option of OpaVote. Options in square brackets are not read: leave them "
                "out, and have numbers for candidates on the ballots.",
            )
        self.count, self.groups, self.ranked = parse_whole_number(word, line, "a number of ballots"), [], set()
        self.step = self._rank if self.count else self._name

    def _rank(self, word: str, line: int) -> None:
        if word == "0":
            self.done.append(self.counter.count_ranking(self.groups, self.count, line))
            self.step = self._weight
        elif word != "-":
            self.groups.append([self._ranked(each, line) for each in word.split("=")])

    def _ranked(self, word: str, line: int) -> int:
        candidate = self.known.get(word)
        if candidate is None:
            candidate = self._candidate(word, line)
            if len(word) < 5:  # it may have any number of zeros before it
                self.known[word] = candidate
        if candidate in self.ranked:
            raise BadFile(line, f"Candidate {candidate + 1} is ranked twice on a ballot.")
        self.ranked.add(candidate)
        return candidate

    def _candidate(self, word: str, line: int) -> int:
        number = parse_whole_number(word, line, "a candidate's number")
        if not 1 <= number <= self.size:
            raise BadFile(line, f"There is no candidate {number}: they are numbered from 1 to {self.size}.")
        return number - 1

    def _name(self, word: str, line: int) -> None:
        if word[0].isdigit() or word[0] in "(-":
            raise BadFile(line, f"A candidate's name in quotation marks is expected here, not “{excerpt(word)}”.")
        self.roster.add(word[1:-1] if word.startswith('"') else word, line)
        if len(self.roster.numbers) == self.size:
            self.step = self._title

    def _title(self, word: str, line: int) -> None:
        """The title; some programs put the source and a comment after it."""
        if self.title is None:
            self.title = clean_title(word.strip('"'))

    def file(self) -> File:
        if self.step == self._name:
            missing = self.size - len(self.roster.numbers)
            raise BadFile(self.number, f"The names of {missing} candidates are missing at the end.")
        if self.step != self._title:
            raise BadFile(self.number or None, "The file ends before its ballots do: a line with only 0 ends them.")
        names = self.roster.names
        gone = tuple(names[number] for number in sorted(self.withdrawn))
        if len(gone) == len(names):
            raise BadFile(None, "Every candidate of this file has withdrawn.")
        return File(self.counter.ballots().without(gone), self.seats, self.title or "", withdrawn=gone)


def write(file: File) -> Iterator[str]:
    names = file.ballots.candidates
    refuse_signs(names, ['"'], "BLT")
    yield f"{len(names)} {file.seats or 1}\n"
    for ranking, count in by_count(file.ballots):
        groups = ("=".join(str(number + 1) for number in group) for group in groups_of(ranking))
        yield " ".join([str(count), *groups, "0\n"])
    yield "0\n"
    for text in (*names, clean_title(file.title).replace('"', "'")):
        yield f'"{text}"\n'
