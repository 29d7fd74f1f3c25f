"""Plain lines, as people write ballots down in letters and forums: `5: Ada > Bo = Cy`.

One line is a ranking, and before it, if there were several such ballots, their number and a colon. `>` goes between
ranks and `=` between equals. Candidates are who is named, in the order of appearance; a line with the count 0 names
some without any ballot. A count with nothing after it counts blank ballots. A name that has > or = in it, or begins
with a quotation mark or #, is put in quotation marks, doubled inside. A line that begins with # is a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..ballots import groups_of
from .file import BallotCounter, File, Limits, Roster, by_count, parse_whole_number
from .ranking import joined, quoted, split
from .text import Text, without_blank

COUNTED = re.compile(r"([0-9]+)\s*:")


def read(text: Text, limits: Limits) -> File:
    roster, counter = Roster(limits), BallotCounter(limits)
    for number, line in without_blank(text.lines(), "#"):
        if counter.count_repeated(line):
            continue
        counted = COUNTED.match(line)
        count = parse_whole_number(counted[1], number, "a number of ballots") if counted else 1
        names = split(line[counted.end() :] if counted else line, number)
        groups = [[roster.number(name, number) for name in group] for group in names]
        counter.cache_line(line, counter.count_ranking(groups, count, number, roster), count)
    return File(counter.ballots(roster.names))


def write(file: File) -> Iterator[str]:
    names = [quoted(name) for name in file.ballots.candidates]
    yield f"0: {' = '.join(names)}\n"
    for ranking, count in by_count(file.ballots):
        yield f"{count}: {joined(groups_of(ranking), names)}".rstrip() + "\n"
