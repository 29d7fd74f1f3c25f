"""Plain lines, as people write ballots down in letters and forums: `5: Ada > Bo = Cy`.

One line is a ranking, and before it, if there were several such ballots, their number and a colon. `>` goes between
ranks and `=` between equals. Candidates are who is named, in the order of appearance; a line with the count 0 names
some without any ballot. A count with nothing after it counts blank ballots. A name that has > or = in it, or begins
with a quotation mark or #, is put in quotation marks, doubled inside. A line that begins with # is a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..ballots import groups_of
from .file import BadFile, BallotCounter, File, Limits, Text, by_count, excerpt, parse_whole_number, without_blank

COUNTED = re.compile(r"([0-9]+)\s*:")
QUOTED = re.compile(r'\s*"((?:[^"]|"")*)"\s*')
BARE = re.compile(r"[^>=]*")


def read(text: Text, limits: Limits) -> File:
    counter = BallotCounter(limits)
    for number, line in without_blank(text.lines(), "#"):
        if counter.count_repeated(line):
            continue
        counted = COUNTED.match(line)
        count = parse_whole_number(counted[1], number, "a number of ballots") if counted else 1
        names = split(line[counted.end() :] if counted else line, number)
        groups = [[counter.roster.number(name, number) for name in group] for group in names]
        counter.count_line(line, groups, count, number)
    return File(counter.ballots())


def write(file: File) -> Iterator[str]:
    names = [quoted(name) for name in file.ballots.candidates]
    yield f"0: {' = '.join(names)}\n"
    for ranking, count in by_count(file.ballots):
        yield f"{count}: {joined(groups_of(ranking), names)}".rstrip() + "\n"


# --- rankings by name ---


def split(text: str, line: int) -> list[list[str]]:
    """The groups of equals of a ranking, best first. A name with > or = is quoted, with quotes doubled inside."""
    if not text.strip():
        return []
    groups: list[list[str]] = [[]]
    place = 0
    while True:
        name, place = _name(text, place, line)
        groups[-1].append(name)
        if place == len(text):
            return groups
        if text[place] == ">":
            groups.append([])
        place += 1


def _name(text: str, place: int, line: int) -> tuple[str, int]:
    quoted = QUOTED.match(text, place)
    if quoted and (quoted.end() == len(text) or text[quoted.end()] in ">="):
        return quoted[1].replace('""', '"'), quoted.end()
    bare = BARE.match(text, place)
    assert bare  # it matches nothing, too
    if not bare[0].strip():
        raise BadFile(line, f"A name is missing in “{excerpt(text.strip())}”.")
    if bare[0].lstrip().startswith('"'):
        raise BadFile(line, f"A quotation mark is out of place or not closed in “{excerpt(text.strip())}”.")
    return bare[0].strip(), bare.end()


def quoted(name: str) -> str:
    """A name as it must stand in such a ranking."""
    if name[0] in '"#' or any(sign in name for sign in ">=/["):  # with / or [ in it, it might look like ABIF
        return '"' + name.replace('"', '""') + '"'
    return name


def joined(groups: Iterable[Iterable[int]], names: list[str]) -> str:
    return " > ".join(" = ".join(names[number] for number in group) for group in groups)
