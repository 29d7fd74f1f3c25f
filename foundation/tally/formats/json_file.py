"""JSON: ours, and that of collections of elections with published results, which looks the same. Cast vote records are
read by `cvr`.

    {"title": "...", "seats": 1, "unranked": "below", "candidates": ["Ada", "Bo", "Cy"],
     "ballots": [{"ranking": [[0], [1, 2]], "count": 5}, ...]}

A ranking is a list of groups of equals, best first, of candidates' places in the list, from 0; a group of one may be
just its number. It may also be a text such as "0>1=2". Without a count it is one ballot. `name` is read as a title, and
`unranked` within `rules` as ours (last is below, abstain is no-opinion). All else is left alone. The file is read a
value at a time: only one ballot is ever held as an object.

Other kinds of ballot have a `kind` ("score"), and in place of a ranking the `values` of all candidates in their order,
[5, 0, 3], or the places of those with a mark as `marks`, [0, 2].
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..ballots import BadBallot, check, groups_of, ratings_of
from ..methods import KINDS
from ..pairwise import UNRANKED
from . import cvr
from .file import (
    MAX_SEATS,
    VALUED,
    BadFile,
    BallotCounter,
    File,
    Limits,
    Text,
    by_count,
    check_range,
    clean_title,
    excerpt,
)

SPACE = re.compile(r"[ \t\n]*")
TEXT = r'"(?:[^"\\]|\\.)*"'
PART = re.compile(rf"{TEXT}|[\[{{\]}}]|[^\"\[\]{{}}]+", re.DOTALL)
SCALAR = re.compile(rf"{TEXT}|[\[{{]|[^\s\"\[\]{{}},:]+", re.DOTALL)
SIMPLE = re.compile(r'\{(?:[^{}"]++|"[^{}"\\]*+")*+\}')  # an object such as most ballots are
RULES = {"last": "below", "abstain": "no-opinion"} | {rule: rule for rule in UNRANKED}
KEYS = ("candidates", "ballots", "title", "name", "seats", "unranked", "rules", "kind", "CVR", "Election")
BALLOT = ("ranking", "values", "marks")
DOMINION = (
    "This looks like Dominion's CvrExport.json, which is not read. Cast vote records are read as in NIST SP 1500-103, "
    "in JSON."
)
PLACES = "a candidate's place in the list"


def read(text: Text, limits: Limits) -> File:
    reader = _Reader(limits)
    values = _Values(text, limits)
    values.each_member(lambda key: reader.take(key, values))
    values.expect_end()
    return reader.file()


class _Reader:
    def __init__(self, limits: Limits):
        self.limits = limits
        self.counter = BallotCounter(limits)
        self.roster, self.records = self.counter.roster, cvr.Records(limits)
        self.fields: dict[str, tuple[int, Any]] = {}  # by key, the line and the value
        self.most = -1  # the highest place of a candidate on any ballot, and the line of it
        self.most_line = 0
        self.is_dominion = False

    def take(self, key: str, values: _Values) -> None:
        if key not in KEYS:
            self.is_dominion |= key == "Sessions"
            values.value(keep=False)
            return
        if key in self.fields:
            raise BadFile(values.line, f"“{key}” appears twice in this file.")
        self.fields[key] = (values.line, None)
        if key == "ballots":
            values.each_item(self._ballot)
        elif key == "CVR":
            values.each_item(lambda text, line: self.records.add(values.parsed(text, line), line))
        elif key == "candidates":
            values.each_item(lambda text, line: self._candidate(values.parsed(text, line), line))
        else:
            self.fields[key] = (values.line, values.parsed(values.value(), values.line))

    def _candidate(self, name: Any, line: int) -> None:
        if not isinstance(name, str):
            raise BadFile(line, "A candidate's name should be a text in quotation marks.")
        self.roster.add(name, line)

    def _ballot(self, text: str, line: int) -> None:
        if self.counter.count_repeated(text):
            return
        ballot = _Values.parsed(text, line)
        given = next((key for key in BALLOT if isinstance(ballot, dict) and key in ballot), None)
        if given is None:
            raise BadFile(line, 'A ballot should be an object such as {"ranking": [[0], [1, 2]], "count": 5}.')
        count = _number(ballot.get("count", 1), line, "a number of ballots")
        if given == "ranking":
            groups = _groups(ballot["ranking"], line)
            self._remember([each for group in groups for each in group], line)
            self.counter.count_line(text, groups, count, line)
        else:
            values = _values(given, ballot[given], line)
            self._remember(values, line)
            kind = "score" if given == "values" else "approval"
            self.counter.cache_line(text, self.counter.count_values(values, kind, count, line), count)

    def _remember(self, numbers: Iterable[int], line: int) -> None:
        """The highest place of a candidate on any ballot: how many there are is known at the end."""
        most = max(numbers, default=-1)
        if most > self.most:
            self.most, self.most_line = most, line

    def file(self) -> File:
        if "CVR" in self.fields:
            self.records.elections = self.fields.get("Election", (0, []))[1]
            return self.records.file()
        for key in ("candidates", "ballots"):
            if key not in self.fields:
                raise BadFile(None, DOMINION if self.is_dominion else f"This file has no “{key}”.")
        if self.most >= len(self.roster.names):
            reason = f"There is no candidate {self.most}: their places run from 0 to {len(self.roster.names) - 1}."
            raise BadFile(self.most_line, reason)
        line, given = self.fields.get("seats", (0, None))
        seats = None if given is None else _number(given, line, "a number of seats", MAX_SEATS, 1)
        titles = (self.fields.get(key, (0, ""))[1] for key in ("title", "name"))
        title = next((clean_title(each) for each in titles if isinstance(each, str) and each), "")
        return File(self.counter.ballots(), seats, title, self._unranked(), self._kind())

    def _kind(self) -> str | None:
        line, kind = self.fields.get("kind", (0, None))
        if kind is not None and kind not in KINDS:
            raise BadFile(line, f"“kind” should be one of {', '.join(KINDS)}.")
        return None if kind is None else str(kind)

    def _unranked(self) -> str | None:
        line, rule = self.fields.get("unranked", (0, None))
        if rule is None:
            _line, rules = self.fields.get("rules", (0, None))
            found = rules.get("unranked") if isinstance(rules, dict) else None
            return RULES.get(found) if isinstance(found, str) else None
        if rule not in UNRANKED:
            raise BadFile(line, f"“unranked” should be one of {' and '.join(UNRANKED)}.")
        return str(rule)


def _groups(ranking: Any, line: int) -> list[list[int]]:
    if isinstance(ranking, str):
        try:
            check(ranking, 10**6)
        except (BadBallot, ValueError):
            raise BadFile(line, f"“{excerpt(ranking)}” is not a ranking such as 0>1=2.") from None
        return [list(group) for group in groups_of(ranking)]
    if not isinstance(ranking, list):
        raise BadFile(line, "A ranking should be a list of groups, such as [[0], [1, 2]].")
    groups = [group if isinstance(group, list) else [group] for group in ranking]
    return [[_number(each, line, PLACES) for each in group] for group in groups]


def _values(given: str, listed: Any, line: int) -> dict[int, int]:
    """What a ballot gives each candidate: the values of all, or 1 to those it marks."""
    if not isinstance(listed, list):
        raise BadFile(line, f"“{given}” should be a list of whole numbers, such as [5, 0, 3].")
    if given == "values":
        return {place: _number(value, line, "a value") for place, value in enumerate(listed)}
    return {_number(place, line, PLACES): 1 for place in listed}


def _number(value: Any, line: int, what: str, most: int | None = None, least: int = 0) -> int:
    if type(value) is not int:
        raise BadFile(line, f"“{excerpt(str(value))}” is not {what}, which is a whole number.")
    return check_range(value, line, what, least=least) if most is None else check_range(value, line, what, most, least)


class _Values:
    """The values of a JSON text, one at a time, without ever holding all of it."""

    def __init__(self, text: Text, limits: Limits):
        self.pieces, self.limits = text.pieces(), limits
        self.buffer, self.place, self.line = "", 0, 1

    def each_member(self, take: Callable[[str], None]) -> None:
        self._expect("{", "This is no JSON object: it should begin with {.")
        if self._peek() == "}":
            self.place += 1
            return
        while True:
            line = self.line
            key = self.parsed(self.value(), line) if self._peek() == '"' else None
            if key is None:
                raise BadFile(self.line, "A key in quotation marks is expected here.")
            self._expect(":", "A colon is expected after a key.")
            self._peek()
            take(key)
            if not self._more("}"):
                return

    def each_item(self, take: Callable[[str, int], None]) -> None:
        self._expect("[", "A list in square brackets is expected here.")
        if self._peek() == "]":
            self.place += 1
            return
        while True:
            self._peek()
            line = self.line
            take(self.value(), line)
            if not self._more("]"):
                return

    def expect_end(self) -> None:
        if self._peek():
            raise BadFile(self.line, "There is more after the end of the JSON object.")

    def _more(self, closing: str) -> bool:
        sign = self._peek()
        if sign not in (",", closing) or not sign:
            raise BadFile(self.line, f"A comma or {closing} is expected here." if sign else "The file ends too early.")
        self.place += 1
        return sign == ","

    def _expect(self, sign: str, reason: str) -> None:
        if self._peek() != sign:
            raise BadFile(self.line, reason)
        self.place += 1

    def _peek(self) -> str:
        """The next character that is not white space; empty at the end."""
        while True:
            space = SPACE.match(self.buffer, self.place)
            assert space  # it matches nothing, too
            self.line += space[0].count("\n")
            self.place = space.end()
            if self.place < len(self.buffer):
                return self.buffer[self.place]
            if not self._refill():
                return ""

    def _refill(self) -> bool:
        piece = next(self.pieces, "")
        self.buffer, self.place = self.buffer[self.place :] + piece, 0
        return bool(piece)

    def value(self, keep: bool = True) -> str:
        """The text of the next value. The length of one that is skipped is not limited."""
        self._peek()
        if simple := SIMPLE.match(self.buffer, self.place):
            return self._taken(simple.end())
        stored: list[str] = []
        length = depth = 0
        while True:
            part = self._part(depth)
            depth += (part in "[{") - (part in "]}")
            if keep:
                stored.append(part)
                length += len(part)
            if length > self.limits.line:
                raise self._too_long()
            if not depth:
                return "".join(stored)

    def _part(self, depth: int) -> str:
        """A quoted string, a bracket, or the text between those."""
        pattern = PART if depth else SCALAR
        if not depth and self._peek() in tuple("]},:"):
            raise BadFile(self.line, "A value is missing.")
        while True:
            found = pattern.match(self.buffer, self.place)
            if found and (depth or found.end() < len(self.buffer) or found[0][-1] in '"[{'):
                return self._taken(found.end())
            if len(self.buffer) - self.place > self.limits.line:
                raise self._too_long()
            if not self._refill():
                if found:
                    return self._taken(found.end())
                raise BadFile(self.line, "The file ends in the middle of a value.")

    def _taken(self, end: int) -> str:
        text = self.buffer[self.place : end]
        self.place = end
        self.line += text.count("\n")
        return text

    def _too_long(self) -> BadFile:
        return BadFile(self.line, f"A value has more than {self.limits.line} characters.")

    @staticmethod
    def parsed(text: str, line: int) -> Any:
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise BadFile(line, f"“{excerpt(text)}” is not JSON.") from None


def write(file: File) -> Iterator[str]:
    metadata = {"title": clean_title(file.title), "seats": file.seats, "unranked": file.unranked, "kind": file.kind}
    stored = {key: value for key, value in metadata.items() if value} | {"candidates": list(file.ballots.candidates)}
    yield json.dumps(stored, ensure_ascii=False, indent=1)[:-2] + ',\n "ballots": ['
    comma = ""
    for ballot, count in by_count(file.ballots):
        key, given = _given(ballot, file)
        yield f'{comma}\n  {{"{key}": {json.dumps(given)}, "count": {count}}}'
        comma = ","
    yield "\n ]\n}\n"


def _given(ballot: str, file: File) -> tuple[str, list[Any]]:
    if file.kind in (None, "ranked"):
        return "ranking", [list(group) for group in groups_of(ballot)]
    values = ratings_of(ballot)
    if file.kind in VALUED:
        return "values", [values.get(number, 0) for number in range(len(file.ballots.candidates))]
    return "marks", list(values)
