"""ABIF, the Aggregated Ballot Information Format (electowiki.org/wiki/ABIF; grammar 0.31).

    {"title": "Capital of Tennessee"}       what is said of the election; ours also says seats and unranked
    =Mem:[Memphis, TN]                      a candidate: a short token and the name
    42: Mem>[Nashville, TN]="Knoxville"     ballots; names in square brackets, or in quotation marks with \\" inside
    10: Mem/5, Nash/2                       ratings; commas between them leave the order to the ratings
    {"kind": "approval"}                    ours: the kind of ballot, where it does not follow from the ratings
    7:                                      blank ballots

Lines may come in any order. Candidates without a line of their own are who the ballots name. Where a ballot has > or =,
these decide and ratings are left alone; with commas only, the higher rating is the better rank, the last candidate may
have none and is ranked last, and without ratings all are equal. A file whose ballots all have ratings from 0 to 5 and
commas holds scores, and so does one that is asked for them. A # outside brackets and quotation marks begins a comment.
Data after a ballot's second colon is left alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from ..ballots import MAX_SCORE, group_of, groups_of, ratings_of
from ..methods import KINDS
from ..pairwise import UNRANKED
from .file import (
    MAX_SEATS,
    VALUED,
    BadFile,
    BallotCounter,
    File,
    Limits,
    Text,
    by_count,
    clean_title,
    excerpt,
    parse_whole_number,
    without_blank,
)
from .plain import joined

KEY = r'"(?:[^"\\]|\\.)*"|\[[^\]]*\]|[^\s>=,/:\[\]"#*{}](?:[^>=,/:\[\]"#*{}]*[^\s>=,/:\[\]"#*{}])?'
COUNT = re.compile(r"([0-9]+)\s*:")
CANDIDATE = re.compile(rf"=?\s*({KEY})\s*:\s*({KEY})\s*(?:#.*)?$")
CHOICE = re.compile(rf"\s*({KEY})\s*(?:/\s*([0-9]{{1,20}}(?:\.[0-9]{{1,20}})?)\s*)?")
METADATA = ("seats", "title", "unranked", "kind")
BARE = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
HEADING = re.compile(r"ABIF(?:\s|$)")


def read(text: Text, limits: Limits, kind: str | None = None) -> File:
    reader = _Reader(limits, kind)
    for number, line in without_blank(text.lines(), "#"):
        if not reader.counter.count_repeated(line):
            reader.read_line(number, line)
    return reader.file()


class _Reader:
    """Ballots are counted by token, because a token's name may come after them, and with all ratings, because only the
    last shows whether they are scores."""

    def __init__(self, limits: Limits, kind: str | None):
        self.limits, self.kind = limits, kind
        self.counter = BallotCounter(limits)
        self.tokens = self.counter.roster
        self.names: dict[str, str] = {}  # of tokens that have one
        self.metadata: dict[str, Any] = {}

    def read_line(self, number: int, line: str) -> None:
        if counted := COUNT.match(line):
            count = parse_whole_number(counted[1], number, "a number of ballots")
            ballot = self._ballot(line, counted.end(), number)
            self.counter.cache_line(line, self.counter.count_text(ballot, count, number), count)
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

    def _ballot(self, line: str, place: int, number: int) -> str:
        choices, signs = _choices(line, place, number)
        numbers = [self.tokens.number(token, number) for token, _rating in choices]
        by_rating = set(signs) <= {","} or self.kind in VALUED
        if by_rating and any(rating for _token, rating in choices):
            rated = _by_rating(numbers, [rating for _token, rating in choices], number)
            groups = self.counter.canonical(list(rated.values()), number).split(">")
            given = zip(groups, rated, strict=True)
            return ">".join(group if rating is None else f"{group}@{rating}" for group, rating in given)
        ordered: list[list[int]] = []
        for each, sign in zip(numbers, [">", *signs], strict=False):
            ordered += [[]] if sign == ">" else []
            ordered[-1].append(each)
        return self.counter.canonical(ordered, number)

    def file(self) -> File:
        """Tokens become names; a name in brackets on a ballot is the candidate who has it."""
        counter = BallotCounter(self.limits)
        numbers = [counter.roster.number(self.names.get(token, token), None) for token in self.tokens.names]
        seats, title, unranked, said = (self.metadata.get(key) for key in METADATA)
        ballots = {
            ballot: [group.partition("@")[::2] for group in ballot.split(">") if group]
            for ballot in self.counter.counts
        }
        ratings = [rating for groups in ballots.values() for _group, rating in groups]
        are_scores = bool(ratings) and all(each.isdigit() and int(each) <= MAX_SCORE for each in ratings)
        kind = self.kind or (said if said in KINDS else "score" if are_scores else None)
        for ballot, count in self.counter.counts.items():
            groups = [[numbers[each] for each in group_of(group)] for group, _rating in ballots[ballot]]
            if kind in VALUED:
                values = [_value(rating) for _group, rating in ballots[ballot]]
                given = {each: value for group, value in zip(groups, values, strict=True) for each in group}
                counter.count_values(given, kind, count, None)
            else:
                counter.count_ranking(groups, count, None)
        return File(
            counter.ballots(),
            seats if type(seats) is int and 0 < seats <= MAX_SEATS else None,
            clean_title(title) if isinstance(title, str) else "",
            unranked if unranked in UNRANKED else None,
            kind,
        )


def _value(rating: str) -> int:
    if not rating.isdigit():
        raise BadFile(None, "Every candidate on a ballot needs a rating here, which is a whole number.")
    return int(rating)


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


def _by_rating(numbers: list[int], ratings: list[str | None], line: int) -> dict[Decimal | None, list[int]]:
    """The candidates by rating, the highest first; one at the end may have none."""
    rated = ratings if ratings[-1] else ratings[:-1]
    groups: dict[Decimal, list[int]] = {}
    for number, rating in zip(numbers, rated, strict=False):
        if rating is None:
            raise BadFile(line, "Some candidates on this ballot have a rating and some have none; only the last may.")
        groups.setdefault(Decimal(rating), []).append(number)
    return {rating: groups[rating] for rating in sorted(groups, reverse=True)} | (
        {} if ratings[-1] else {None: numbers[-1:]}
    )


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
    metadata = {"title": clean_title(file.title), "seats": file.seats, "unranked": file.unranked, "kind": file.kind}
    yield "".join(f"{json.dumps({key: value}, ensure_ascii=False)}\n" for key, value in metadata.items() if value)
    tokens = _tokens(file.ballots.candidates)
    for token, name in zip(tokens, file.ballots.candidates, strict=True):
        yield f"={token}:{_quoted(name)}\n"
    for ballot, count in by_count(file.ballots):
        if file.kind in VALUED:
            text = ",".join(f"{tokens[number]}/{value}" for number, value in ratings_of(ballot).items())
        else:
            text = joined(groups_of(ballot), tokens).replace(" ", "")
        yield f"{count}: {text}".rstrip() + "\n"


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
