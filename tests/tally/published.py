"""Elections with published results: golden/ has their ballots, what was published, and where."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from foundation.tally.ballots import Ballots

FOLDER = Path(__file__).parent / "golden"
RULES = {"last": "below", "abstain": "no-opinion", None: "below"}


class Case:
    """One file: its ballots, how they were counted, and what was published."""

    def __init__(self, path: Path):
        self.name = path.stem
        read = json.loads(path.read_text())
        self.candidates, self.method, self.seats = read["candidates"], read["method"], read["seats"]
        self.rules, self.expected = read["rules"], read["expected"]
        counts = dict(reversed(line.split(": ")) for line in read["ballots"])
        self.ballots = Ballots(tuple(self.candidates), {ranking: int(count) for ranking, count in counts.items()})

    @property
    def unranked(self) -> str:
        return RULES[self.rules.get("unranked")]

    @property
    def strength(self) -> str:
        """Raw counts differ from winning votes only in lost contests, which never decide."""
        return {"raw": "winning2", None: "winning2"}.get(self.rules.get("strength"), self.rules.get("strength"))

    def in_published_order(self, result, matrix):
        """A matrix of a result, whose candidates stand by name, in the order the file has them."""
        order = [result.candidates.index(name) for name in self.candidates]
        return [[matrix[i][j] for j in order] for i in order]


@cache
def every_case() -> list[Case]:
    return [Case(path) for path in sorted(FOLDER.glob("*.json"))]


def cases(wanted):
    """The cases for which this is so, to parametrize with."""
    found = [pytest.param(case, id=case.name) for case in every_case() if wanted(case)]
    assert found, "a table without rows says nothing"
    return found
