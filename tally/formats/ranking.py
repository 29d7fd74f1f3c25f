"""Rankings written with names: `Ada > "Bo = B." = [Cy]`, read for the formats that share this notation."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .file import BadFile, excerpt

QUOTED = re.compile(r'\s*"((?:[^"]|"")*)"\s*')
BARE = re.compile(r"[^>=]*")


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
