"""PrefLib's files of orders: .soc, .soi, .toc, .toi (preflib.org/format), with today's header and with the old one.

    # TITLE: Head of the choir          4                (old: how many candidates,
    # NUMBER VOTERS: 13                 1,Ada             their numbers and names,
    # ALTERNATIVE NAME 1: Ada           2,Bo ...
    # ALTERNATIVE NAME 2: Bo            13,13,2           voters, their sum, different orders,
    13: 1,{2,3},4                       13,1,{2,3},4      and the orders)

s is for strict orders, t for orders with ties; c for complete ones, i for incomplete ones. Braces hold equals; {} alone
is a blank ballot. Reading takes any of the four for any other; writing refuses what the asked-for one cannot hold, and
`preflib` writes the narrowest that can hold the ballots, as PrefLib demands.

.cat is for categories, the best first: each has its set of candidates, {} if nobody is in it. Two categories are
approval; three to six are scores, of which the last is 0.

    # CATEGORY NAME 1: Yes
    # CATEGORY NAME 2: No
    10: {9,10},{1,2,3}
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from ..ballots import MAX_SCORE, Ballots, groups_of, ratings_of
from .file import (
    BadFile,
    BallotCounter,
    CannotWrite,
    File,
    Limits,
    Lines,
    Text,
    by_count,
    clean_title,
    excerpt,
    parse_whole_number,
    without_blank,
)

CATEGORY = re.compile(r"CATEGORY NAME\s+[0-9]+$", re.IGNORECASE)
NAME = re.compile(r"ALTERNATIVE NAME\s+([0-9]+)$", re.IGNORECASE)
PART = re.compile(r"\s*(?:\{([0-9,\s]*)\}|([0-9]+))\s*(,|$)")
TYPES = ("soc", "soi", "toc", "toi", "cat")
MAX_CATEGORIES = MAX_SCORE + 1


def read(text: Text, limits: Limits) -> File:
    lines = without_blank(text.lines())
    first = next(lines, None)
    if first is None:
        raise BadFile(None, "This file names no candidates.")
    reader = _Reader(limits)
    return reader.read_today(chain([first], lines)) if first[1].startswith("#") else reader.read_old(first, lines)


class _Reader:
    def __init__(self, limits: Limits):
        self.limits = limits
        self.counter = BallotCounter(limits)
        self.numbers: dict[int, int] = {}  # from the file's to ours
        self.known: dict[str, int] = {}  # ours by the file's, as words
        self.header: dict[str, str] = {}
        self.categories = 0

    def read_today(self, lines: Lines) -> File:
        for number, line in lines:
            if line.startswith("#"):
                self._describe(number, line)
            elif not self.counter.count_repeated(line):
                count, colon, order = line.partition(":")
                if not colon:
                    raise BadFile(number, "A line is a count, a colon and an order, such as 13: 1,{2,3},4.")
                self._count(number, line, count, order)
        title = clean_title(self.header.get("TITLE", ""))
        return File(self.counter.ballots(), title=title, kind=self._kind(), notes=self._notes())

    def _kind(self) -> str | None:
        return None if not self.categories else "approval" if self.categories == 2 else "score"

    def _describe(self, line: int, text: str) -> None:
        key, _colon, value = text[1:].partition(":")
        if named := NAME.match(key.strip()):
            self._name(named[1], value, line)
        elif CATEGORY.match(key.strip()):
            self.categories += 1
            if self.categories > MAX_CATEGORIES:
                raise BadFile(line, f"A file has at most {MAX_CATEGORIES} categories.")
        elif key.strip().upper() in ("TITLE", "NUMBER VOTERS", "DATA TYPE"):
            self.header[key.strip().upper()] = value.strip()
            if key.strip().upper() == "DATA TYPE" and value.strip().lower() not in TYPES:
                raise BadFile(line, f"PrefLib's data type {excerpt(value.strip())} does not hold ballots.")

    def _name(self, number: str, name: str, line: int) -> None:
        key = parse_whole_number(number, line, "a candidate's number")
        if key in self.numbers:
            raise BadFile(line, f"Candidate {key} is named twice.")
        self.numbers[key] = self.counter.roster.add(name, line)

    def read_old(self, first: tuple[int, str], lines: Lines) -> File:
        size = parse_whole_number(first[1], first[0], "a number of candidates", self.limits.candidates, 1)
        for number, line in (_expected(lines, "The names of the candidates") for _ in range(size)):
            key, comma, name = line.partition(",")
            if not comma:
                raise BadFile(number, "A candidate is a number, a comma and a name.")
            self._name(key, name, number)
        _number, line = _expected(lines, "The number of voters")
        self.header["NUMBER VOTERS"] = line.partition(",")[0].strip()
        for number, line in lines:
            if not self.counter.count_repeated(line):
                count, _comma, order = line.partition(",")
                self._count(number, line, count, order)
        return File(self.counter.ballots(), notes=self._notes())

    def _count(self, line: int, text: str, typed: str, order: str) -> None:
        count = parse_whole_number(typed, line, "a number of ballots")
        groups = [
            [self.known[each] if each in self.known else self._candidate(each, line) for each in group]
            for group in _groups(order, line)
        ]
        kind = self._kind()
        if self.header.get("DATA TYPE", "").lower() == "cat" and kind is None:
            raise BadFile(line, "The header names no categories.")
        if kind is None:
            self.counter.count_line(text, [group for group in groups if group], count, line)
            return
        if len(groups) > self.categories:
            raise BadFile(line, f"This line has more than the {self.categories} categories of the header.")
        self.counter.canonical(groups, line)  # nobody is in two of them
        values = {each: self.categories - 1 - place for place, group in enumerate(groups) for each in group}
        self.counter.cache_line(text, self.counter.count_values(values, kind, count, line), count)

    def _candidate(self, word: str, line: int) -> int:
        number = parse_whole_number(word, line, "a candidate's number")
        if number not in self.numbers:
            raise BadFile(line, f"There is no candidate {number} in the header.")
        if len(word) < 5:  # it may have any number of zeros before it
            self.known[word] = self.numbers[number]
        return self.numbers[number]

    def _notes(self) -> tuple[str, ...]:
        """A header that does not add up may be all that shows that a file is not whole."""
        metadata = self.header.get("NUMBER VOTERS", "")
        total = sum(self.counter.counts.values())
        if not metadata or metadata == str(total):
            return ()
        return (f"The header says {excerpt(metadata)} voters, but the file has {total} ballots.",)


def _expected(lines: Lines, what: str) -> tuple[int, str]:
    found = next(lines, None)
    if found is None:
        raise BadFile(None, f"{what} should follow, but the file ends.")
    return found


def _groups(order: str, line: int) -> list[list[str]]:
    groups: list[list[str]] = []
    place, more = 0, bool(order.strip())
    while more:
        part = PART.match(order, place)
        if not part:
            raise BadFile(line, f"“{excerpt(order.strip())}” is not an order such as 1,{{2,3}},4.")
        inside = part[2] or (part[1] or "").strip()
        groups.append(inside.split(",") if inside else [])
        place, more = part.end(), bool(part[3])
    return groups


# --- writing ---


def narrowest(ballots: Ballots) -> str:
    """The narrowest of the four that can hold the ballots."""
    orders = [groups_of(ranking) for ranking, count in ballots.counts.items() if count]
    complete = all(sum(map(len, order)) == len(ballots.candidates) for order in orders)
    has_ties = any(len(group) > 1 for order in orders for group in order)
    return ("t" if has_ties else "s") + "o" + ("c" if complete else "i")


def write(file: File, type: str | None = None) -> Iterator[str]:
    if file.kind in CATEGORIES and type in (None, "cat"):
        yield from _write_categories(file, CATEGORIES[file.kind])
        return
    if file.kind not in (None, "ranked") or type == "cat":
        raise CannotWrite("PrefLib cannot hold these ballots: .cat is for marks and scores, the others for rankings.")
    needed = narrowest(file.ballots)
    kind = type or needed
    if needed[0] == "t" and kind[0] == "s":
        raise CannotWrite(f"Some ballots rank candidates as equals, which .{kind} cannot hold; .to{kind[2]} can.")
    if needed[2] == "i" and kind[2] == "c":
        raise CannotWrite(f"Some ballots leave candidates out, which .{kind} cannot hold; .{kind[:2]}i can.")
    yield from _header(file, kind)
    for ranking, count in by_count(file.ballots):
        yield f"{count}: {','.join(map(_written, groups_of(ranking))) or '{}'}\n"


CATEGORIES = {
    "approval": ("Yes", "No"),
    "choose": ("Yes", "No"),
    "score": tuple(str(value) for value in range(MAX_SCORE, -1, -1)),
}


def _write_categories(file: File, categories: Sequence[str]) -> Iterator[str]:
    yield from _header(file, "cat", categories)
    for ballot, count in by_count(file.ballots):
        values = ratings_of(ballot)
        sets: list[tuple[int, ...]] = [
            tuple(each for each in range(len(file.ballots.candidates)) if values.get(each, 0) == value)
            for value in range(len(categories) - 1, -1, -1)
        ]
        yield f"{count}: {','.join(_written(group) or '{}' for group in sets)}\n"


def _header(file: File, kind: str, categories: Sequence[str] = ()) -> Iterator[str]:
    ballots = file.ballots
    different = sum(1 for count in ballots.counts.values() if count)
    metadata = {"FILE NAME": f"ballots.{kind}", "TITLE": clean_title(file.title), "DESCRIPTION": "", "DATA TYPE": kind}
    metadata |= {"MODIFICATION TYPE": "original", "RELATES TO": "", "RELATED FILES": ""}
    metadata |= {"PUBLICATION DATE": "", "MODIFICATION DATE": ""}
    metadata |= {"NUMBER ALTERNATIVES": str(len(ballots.candidates)), "NUMBER VOTERS": str(ballots.total)}
    metadata |= {f"NUMBER UNIQUE {'PREFERENCES' if categories else 'ORDERS'}": str(different)}
    if categories:
        metadata |= {"NUMBER CATEGORIES": str(len(categories))}
    metadata |= {f"CATEGORY NAME {number}": name for number, name in enumerate(categories, 1)}
    metadata |= {f"ALTERNATIVE NAME {number}": name for number, name in enumerate(ballots.candidates, 1)}
    yield from (f"# {key}: {value}".rstrip() + "\n" for key, value in metadata.items())


def _written(group: tuple[int, ...]) -> str:
    numbers = ",".join(str(number + 1) for number in group)
    return f"{{{numbers}}}" if len(group) > 1 else numbers
