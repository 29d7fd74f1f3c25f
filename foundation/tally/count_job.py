"""Counts as jobs: what to count and by which rules, run here or in a subprocess that can be stopped.

`python -m foundation.tally.count_job KIND SECONDS MEGABYTES` reads a job from standard input and writes its outcome,
both as JSON. The kernel limits its processor time and memory. It needs nothing but this package: no settings, secrets
or store.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any

from . import cost
from .ballots import Ballots
from .closeness import COUNTED_AGAIN, Closeness, measure_closeness
from .cost import Size
from .methods import KIND_OF, KINDS, count
from .pairwise import PairwiseSummary
from .provisional import Draws, winners_with_other_lots
from .result import Result

MethodOutcome = tuple[tuple[str, ...], tuple[tuple[str, int], ...]]  # winners and places


@dataclass(frozen=True, slots=True)
class CountOutcome:
    """The outcome of a count: the result, the other methods in short, how close it was, and results with other lots."""

    result: Result
    methods: dict[str, MethodOutcome]
    closeness: Closeness
    draws: Draws = ()

    def as_json(self) -> str:
        close = asdict(self.closeness)
        payload = {"result": self.result.as_json(), "methods": self.methods, "closeness": close, "draws": self.draws}
        return json.dumps(payload, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> CountOutcome:
        read = json.loads(text)
        methods = {
            method: (tuple(winners), tuple((name, place) for name, place in places))
            for method, (winners, places) in read["methods"].items()
        }
        close = Closeness.of(read["closeness"])
        return cls(Result.from_json(read["result"]), methods, close, tuple(map(tuple, read["draws"])))


@dataclass(frozen=True, slots=True)
class CountJob:
    ballots: Ballots
    method: str
    settings: dict[str, Any] = field(default_factory=dict)  # as `foundation.tally.methods.count` takes them
    in_full: bool = True  # also by all other methods for this kind of ballot, and how close it was
    draws: int = 0  # of other lots, to see whether the outcome hangs on them

    @property
    def size(self) -> Size:
        if set(self.methods) <= set(cost.BY_CONTESTS) and "summary" in vars(self.ballots.normal):
            # The pairwise summary is known, as in a running count, so that the ballots need not be read.
            return Size(len(self.ballots.candidates), 0, 0)
        return Size.of(self.ballots, self.settings.get("seats", 1))

    @property
    def methods(self) -> tuple[str, ...]:
        return KINDS[KIND_OF[self.method]] if self.in_full else (self.method,)

    def cost(self, size: Size) -> int:
        """In steps, were the ballots of this size."""
        recounts = self.draws + int(self.in_full and self.method in COUNTED_AGAIN)
        return cost.of_methods(size, self.methods) + recounts * cost.of_methods(size, [self.method])

    def run(self) -> CountOutcome:
        results = {each: count(self.ballots, each, **self.settings) for each in self.methods}
        result = results[self.method]
        methods = {each: (found.winners, found.places) for each, found in results.items()}
        close = measure_closeness(self.ballots, result) if self.in_full else Closeness()
        draws = winners_with_other_lots(self.ballots, result, self.draws) if self.draws else ()
        return CountOutcome(result, methods, close, draws)

    def as_json(self) -> str:
        payload = {"candidates": self.ballots.candidates, "counts": dict(self.ballots.counts)}
        rules = {name: getattr(self, name) for name in ("method", "settings", "in_full", "draws")}
        return json.dumps(payload | rules, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> CountJob:
        read = json.loads(text)
        return cls(Ballots(tuple(read.pop("candidates")), read.pop("counts")), **read)

    parse_outcome = CountOutcome.from_json


@dataclass(frozen=True, slots=True)
class PairwiseJob:
    """Only how every two candidates compare."""

    ballots: Ballots

    @property
    def size(self) -> Size:
        return Size.of(self.ballots)

    def cost(self, size: Size) -> int:
        return cost.of_contests(size)

    def run(self) -> PairwiseSummary:
        return self.ballots.summary

    def as_json(self) -> str:
        return json.dumps({"candidates": self.ballots.candidates, "counts": dict(self.ballots.counts)})

    @classmethod
    def from_json(cls, text: str) -> PairwiseJob:
        read = json.loads(text)
        return cls(Ballots(tuple(read["candidates"]), read["counts"]))

    @staticmethod
    def parse_outcome(text: str) -> PairwiseSummary:
        read = json.loads(text)
        matrices = {name: tuple(map(tuple, read[name])) for name in ("above", "equal")}
        return PairwiseSummary(**read | matrices | {name: tuple(read[name]) for name in ("candidates", "ranked")})


# --- in a process of its own ---

JOBS: dict[str, type[CountJob | PairwiseJob]] = {kind.__name__: kind for kind in (CountJob, PairwiseJob)}
NICENESS = 5  # pages come first


def main(kind: str, seconds: int, megabytes: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    with suppress(ValueError):  # macOS has no such limit
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(NICENESS)
    job = JOBS[kind].from_json(sys.stdin.read())
    outcome = job.run()
    sys.stdout.write(outcome.as_json() if isinstance(outcome, CountOutcome) else json.dumps(asdict(outcome)))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
