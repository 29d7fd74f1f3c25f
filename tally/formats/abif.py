"""ABIF, the Aggregated Ballot Information Format (electowiki.org/wiki/ABIF; grammar 0.31).

    {"title": "Capital of Tennessee"}       what is said of the election; ours also says seats and unranked
    =Mem:[Memphis, TN]                      a candidate: a short token and the name
    42: Mem>[Nashville, TN]="Knoxville"     ballots; names in square brackets, or in quotation marks with \\" inside
    10: Mem/5, Nash/2                       ratings; commas between them leave the order to the ratings
    7:                                      blank ballots

Lines may come in any order. Candidates without a line of their own are who the ballots name. Where a ballot has > or =,
these decide and ratings are left alone; with commas only, the higher rating is the better rank, and without ratings all
are equal. A # outside brackets and quotation marks begins a comment. Data after a ballot's second colon is left alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from ..ballots import groups_of
from ..pairwise import UNRANKED
from .file import (
    MAX_SEATS,
    BadFile,
    BallotCounter,
    File,
    Limits,
    by_count,
    clean_title,
    excerpt,
    parse_whole_number,
)
from .plain import joined
from .text import Text, without_blank

KEY = r'"(?:[^"\\]|\\.)*"|\[[^\]]*\]|[^\s>=,/:\[\]"#*{}](?:[^>=,/:\[\]"#*{}]*[^\s>=,/:\[\]"#*{}])?'
COUNT = re.compile(r"([0-9]+)\s*:")
CANDIDATE = re.compile(rf"=?\s*({KEY})\s*:\s*({KEY})\s*(?:#.*)?$")
CHOICE = re.compile(rf"\s*({KEY})\s*(?:/\s*([0-9]{{1,20}}(?:\.[0-9]{{1,20}})?)\s*)?")
METADATA = ("seats", "title", "unranked")
BARE = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
HEADING = re.compile(r"ABIF(?:\s|$)")


def read(text: Text, limits: Limits) -> File:
    reader = _Reader(limits)
    for number, line in without_blank(text.lines(), "#"):
        if not reader.counter.count_repeated(line):
            reader.read_line(number, line)
    return reader.file()


class _Reader:
    """Ballots are counted by token, because a token's name may come after them."""

    def __init__(self, limits: Limits):
        self.limits = limits
        self.counter = BallotCounter(limits)
        self.tokens = self.counter.roster
        self.names: dict[str, str] = {}  # of tokens that have one
        self.metadata: dict[str, Any] = {}

    def read_line(self, number: int, line: str) -> None:
        if counted := COUNT.match(line):
            count = parse_whole_number(counted[1], number, "a number of ballots")
            groups = self._groups(line, counted.end(), number)
            self.counter.count_line(line, groups, count, number)
        elif line.startswith("{"):
            metadata = _metadata(line)
            self.metadata |= {key: metadata[key] for key in METADATA if key in metadata}
        elif candidate := CANDIDATE.match(line):
            self._name(_unquoted(candidate[1]), _unquoted(candidate[2]), number)
        elif not HEADING.match(line):
            raise BadFile(number, f"“{excerpt(line)}” is no ballot (5: A>B), no candidate (=A:[Ada]) and no {{data}}.")

    def _name(self, token: str, name: str, line: int) -> None:
        if token in self.names:
            raise BadFile(line, f"The candidate “{excerpt(token)}” has two lines.")
        if name in self.names.values():
            raise BadFile(line, f"“{excerpt(name)}” is named twice among the candidates.")
        self.names[token] = name
        self.tokens.number(token, line)

    def _groups(self, line: str, place: int, number: int) -> list[list[int]]:
        choices, signs = _choices(line, place, number)
        numbers = [self.tokens.number(token, number) for token, _rating in choices]
        if set(signs) <= {","} and any(rating for _token, rating in choices):
            return _by_rating(numbers, [rating for _token, rating in choices], number)
        groups: list[list[int]] = []
        for each, sign in zip(numbers, [">", *signs], strict=False):
            groups += [[]] if sign == ">" else []
            groups[-1].append(each)
        return groups

    def file(self) -> File:
        """Tokens become names; a name in brackets on a ballot is the candidate who has it."""
        counter = BallotCounter(self.limits)
        numbers = [counter.roster.number(self.names.get(token, token), None) for token in self.tokens.names]
        for ranking, count in self.counter.counts.items():
            counter.count_ranking([[numbers[each] for each in group] for group in groups_of(ranking)], count, None)
        seats, title, unranked = (self.metadata.get(key) for key in METADATA)
        return File(
            counter.ballots(),
            seats if type(seats) is int and 0 < seats <= MAX_SEATS else None,
            clean_title(title) if isinstance(title, str) else "",
            unranked if unranked in UNRANKED else None,
        )


def _choices(line: str, place: int, number: int) -> tuple[list[tuple[str, str | None]], list[str]]:
    """Who is on a ballot, each with a rating or none, and the signs between them."""
    choices: list[tuple[str, str | None]] = []
    signs: list[str] = []
    while line[place:].strip() if not choices else True:
        choice = CHOICE.match(line, place)
        if not choice:
            if not choices and line[place:].lstrip()[0] in "#:":
                break
            raise BadFile(number, f"A name is missing or odd in “{excerpt(line[place:].strip() or line)}”.")
        choices.append((_unquoted(choice[1]), choice[2]))
        place = choice.end()
        if place == len(line) or line[place] in "#:":
            break
        if line[place] not in ">=,":
            raise BadFile(number, f"“{excerpt(line[place:])}” should be >, = or a comma and another candidate.")
        signs.append(line[place])
        place += 1
    return choices, signs


def _by_rating(numbers: list[int], ratings: list[str | None], line: int) -> list[list[int]]:
    groups: dict[Decimal, list[int]] = {}
    for number, rating in zip(numbers, ratings, strict=True):
        if rating is None:
            raise BadFile(line, "Some candidates on this ballot have a rating and some have none.")
        groups.setdefault(Decimal(rating), []).append(number)
    return [groups[rating] for rating in sorted(groups, reverse=True)]


def _unquoted(key: str) -> str:
    if key.startswith("["):
        return key[1:-1].strip()
    return re.sub(r"\\(.)", r"\1", key[1:-1]).strip() if key.startswith('"') else key.strip()


def _metadata(line: str) -> dict[str, Any]:
    """What a line in braces says; that of others may be anything, and then it says nothing to us."""
    try:
        metadata = json.loads(line)
        return metadata if isinstance(metadata, dict) else {}
    except (ValueError, RecursionError):
        key, _colon, value = line.strip("{} \t").partition(":")  # some write keys without quotation marks
        return {key.strip(' "'): value.strip(' "')}


# --- writing ---


def write(file: File) -> Iterator[str]:
    metadata = {"title": clean_title(file.title), "seats": file.seats, "unranked": file.unranked}
    yield "".join(f"{json.dumps({key: value}, ensure_ascii=False)}\n" for key, value in metadata.items() if value)
    tokens = _tokens(file.ballots.candidates)
    for token, name in zip(tokens, file.ballots.candidates, strict=True):
        yield f"={token}:{_quoted(name)}\n"
    for ranking, count in by_count(file.ballots):
        yield f"{count}: {joined(groups_of(ranking), tokens).replace(' ', '')}".rstrip() + "\n"


def _tokens(names: tuple[str, ...]) -> list[str]:
    """A name that is a plain word is its own token; the others get an unused one."""
    used, tokens = set(names), []
    for number, name in enumerate(names, 1):
        token = f"c{number}"
        while token in used:
            token += "_"
        tokens.append(name if BARE.fullmatch(name) else token)
        used.add(token)
    return tokens


def _quoted(name: str) -> str:
    """Square brackets know no escape; quotation marks do."""
    if "[" not in name and "]" not in name:
        return f"[{name}]"
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
