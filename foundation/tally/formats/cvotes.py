"""The Condorcet Election Format, version 1 (.cvotes), of CondorcetPHP and others.

    #/Candidates: Ada ; Bo ; Cy
    #/Number of Seats: 1
    #/Implicit Ranking: true
    #/Weight Allowed: true
    tag, another tag || Ada > Bo = Cy ^7 * 2     # two ballots of weight 7: fourteen
    /EMPTY_RANKING/ * 3

Parameters come first, at the beginning of their lines; others than these are left alone. Without candidates, they are
who is named on the ballots; with them, any other name there is left out, as the format demands. Without weights
allowed, a weight is 1. Implicit ranking is our rule for the unranked: true is below, false is no opinion. Its writers
write 100 seats when no number was chosen, so 100 is read as unspecified. The signs > = ; , # / * ^ | < cannot be
in a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..ballots import groups_of
from .file import (
    BadFile,
    BallotCounter,
    File,
    Limits,
    Text,
    by_count,
    check_range,
    excerpt,
    parse_whole_number,
    refuse_signs,
    seats_of,
)
from .plain import joined

SIGNS = (">", "=", ";", ",", "#", "/", "*", "^", "|", "<")
BLANK = ("/EMPTY_RANKING/", "/EMPTY/")
UNSPECIFIED_SEATS = 100
TAIL = re.compile(r"(?:\^\s*([0-9]+)\s*)?(?:\*\s*([0-9]+)\s*)?$")


def read(text: Text, limits: Limits) -> File:
    reader = _Reader(limits)
    for number, line in text.lines():
        if line.startswith("#/"):
            reader.set(number, line)
        else:
            reader.count(number, line)
    return reader.file()


class _Reader:
    """Keeps the parameters, which say how to read the votes."""

    def __init__(self, limits: Limits):
        self.counter = BallotCounter(limits)
        self.roster = self.counter.roster
        self.seats: int | None = None
        self.unranked: str | None = None
        self.weights = self.voting = self.closed = False

    def set(self, line: int, text: str) -> None:
        name, colon, value = text[2:].partition(":")
        if not colon:
            raise BadFile(line, "A parameter is a name, a colon and a value, such as #/Number of Seats: 2.")
        if self.voting:
            raise BadFile(line, "Parameters must come before the first vote.")
        name, value = name.strip().casefold(), value.strip()
        if name == "candidates":
            for each in value.split(";"):
                self.roster.add(each, line)
            self.closed = True
        elif name in ("number of seats", "number of seat"):
            self.seats = seats_of(value, line)
        elif name == "implicit ranking":
            self.unranked = "below" if _truth(value, line) else "no-opinion"
        elif name == "weight allowed":
            self.weights = _truth(value, line)

    def count(self, line: int, text: str) -> None:
        vote = text.partition("#")[0].rpartition("||")[2].strip()
        if not vote and "||" in text.partition("#")[0]:
            raise BadFile(line, "There are tags, but no vote after them. A blank vote is written /EMPTY_RANKING/.")
        if not vote or self.counter.count_repeated(vote):
            return
        self.voting = True
        ranking, count = self._counted(vote, line)
        groups = [] if ranking in BLANK else self._groups(ranking, line)
        self.counter.count_line(vote, groups, count, line)

    def _counted(self, vote: str, line: int) -> tuple[str, int]:
        """The ranking, and how many votes it is."""
        begin = min((place for sign in "^*" if (place := vote.find(sign)) >= 0), default=len(vote))
        tail = TAIL.match(vote, begin)
        if not tail:
            raise BadFile(line, f"“{excerpt(vote[begin:])}” is not a weight and a number of votes, such as ^7 * 2.")
        weight = parse_whole_number(tail[1], line, "a weight") if tail[1] and self.weights else 1
        times = parse_whole_number(tail[2], line, "a number of votes") if tail[2] else 1
        return vote[:begin].strip(), check_range(weight * times, line, "a number of votes and their weight together")

    def _groups(self, ranking: str, line: int) -> list[list[int]]:
        groups = [[name.strip() for name in group.split("=")] for group in ranking.split(">")]
        for name in (name for group in groups for name in group):
            if not name or "<" in name or "/" in name:
                raise BadFile(line, f"“{excerpt(name)}” is not a candidate's name." if name else "A name is missing.")
        if self.closed:
            numbers = self.roster.numbers
            return [[numbers[name] for name in group if name in numbers] for group in groups]
        return [[self.roster.number(name, line) for name in group] for group in groups]

    def file(self) -> File:
        ballots = self.counter.ballots()
        is_unspecified = self.seats == UNSPECIFIED_SEATS and self.seats >= len(ballots.candidates)
        return File(ballots, None if is_unspecified else self.seats, unranked=self.unranked)


def _truth(value: str, line: int) -> bool:
    if value.casefold() not in ("true", "false"):
        raise BadFile(line, f"“{excerpt(value)}” should be true or false.")
    return value.casefold() == "true"


def write(file: File) -> Iterator[str]:
    names = list(file.ballots.candidates)
    refuse_signs(names, SIGNS, ".cvotes")
    yield f"#/Candidates: {' ; '.join(names)}\n"
    yield f"#/Number of Seats: {file.seats}\n" if file.seats else ""
    yield f"#/Implicit Ranking: {'false' if file.unranked == 'no-opinion' else 'true'}\n"
    yield "#/Weight Allowed: false\n\n"
    for ranking, count in by_count(file.ballots):
        yield f"{joined(groups_of(ranking), names) or BLANK[0]} * {count}\n"
