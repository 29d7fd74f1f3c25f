"""Elections with published results, read from beside the project, where they are."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from tally.ballots import Ballots, ranking_of

FOLDER = Path(__file__).parents[3] / "shared" / "elections"
ABSENT = "The published elections are not beside the project, in ../shared/elections."
RULES = {"last": "below", "abstain": "no-opinion", None: "below"}


class Case:
    """One file: its ballots, how they were counted, and what was published."""

    def __init__(self, path: Path):
        self.name = path.stem
        read = json.loads(path.read_text())
        self.candidates, self.method, self.seats = read["candidates"], read["method"], read["seats"]
        self.rules, self.expected = read["rules"], read["expected"]
        self._ballots = read["ballots"]

    @property
    def ballots(self) -> Ballots:
        counts: dict[str, int] = {}
        for each in self._ballots:
            ranking = ranking_of(each["ranking"])
            counts[ranking] = counts.get(ranking, 0) + each["count"]
        return Ballots(tuple(self.candidates), counts)

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
    """The cases for which this is so, to parametrize with; a test of none is skipped with a sentence."""
    found = [pytest.param(case, id=case.name) for case in every_case() if wanted(case)]
    return found or [pytest.param(None, marks=pytest.mark.skip(reason=ABSENT))]
