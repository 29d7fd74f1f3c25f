"""Counts as jobs: what to count and by which rules, made here, or handed to a process that can be stopped.

`python -m tally.job KIND SECONDS MEGABYTES` reads a job from its standard input and writes what came out, both as JSON.
The kernel ends it when it has used so many seconds of a processor, and it cannot take more memory. It needs nothing
but this package: no settings, no secrets, no store.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from . import cost
from .ballots import Ballots
from .closeness import Closeness, how_close
from .cost import Size
from .methods import METHODS, count
from .pairwise import Summary
from .result import Result
from .undrawn import Draws, with_other_lots

Beside = tuple[tuple[str, ...], tuple[tuple[str, int], ...]]  # winners and places


@dataclass(frozen=True, slots=True)
class Done:
    """What came out: the count, what the other methods say in short, how close it was, and what other lots bring."""

    result: Result
    beside: dict[str, Beside]
    closeness: Closeness
    draws: Draws = ()

    def as_json(self) -> str:
        close = asdict(replace(self.closeness, changes=()))  # which are of no use to those who ask
        said = {"result": self.result.as_json(), "beside": self.beside, "closeness": close, "draws": self.draws}
        return json.dumps(said, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Done:
        read = json.loads(text)
        close = read["closeness"]
        names = {name: tuple(close[name]) for name in ("winners", "new_winners", "changes")}
        beside = {
            method: (tuple(winners), tuple((name, place) for name, place in places))
            for method, (winners, places) in read["beside"].items()
        }
        draws = tuple(map(tuple, read["draws"]))
        return cls(Result.from_json(read["result"]), beside, Closeness(**close | names), draws)


@dataclass(frozen=True, slots=True)
class Job:
    ballots: Ballots
    method: str
    settings: dict[str, Any] = field(default_factory=dict)  # seats, unranked, seed
    others: bool = True  # whether all methods count
    recounts: int = 0  # that may be made to see how close it was; without any, nobody looks
    draws: int = 0  # of other lots, to see whether the outcome hangs on them

    @property
    def size(self) -> Size:
        if self._is_summed:
            return Size(len(self.ballots.candidates), 0, 0)
        return Size.of(self.ballots, self.settings.get("seats", 1))

    @property
    def _is_summed(self) -> bool:
        """Whether the ballots need not be read: how every two compare is known, as it is in a running count."""
        return set(self.methods) <= set(cost.BY_CONTESTS) and "summary" in vars(self.ballots.normal)

    @property
    def methods(self) -> tuple[str, ...]:
        return tuple(METHODS) if self.others else (self.method,)

    def cost(self, size: Size) -> int:
        """In steps, were the ballots of this size."""
        recounts = self.recounts * cost.of_recount(size, self.method)
        return cost.of_methods(size, self.methods) + recounts + self.draws * cost.of_methods(size, [self.method])

    def done(self) -> Done:
        results = {each: count(self.ballots, each, **self.settings) for each in self.methods}
        result = results[self.method]
        beside = {each: (found.winners, found.places) for each, found in results.items()}
        return Done(result, beside, self._closeness(result), with_other_lots(self.ballots, result, self.draws))

    def _closeness(self, result: Result) -> Closeness:
        if not self.recounts:
            return Closeness(None, False, result.winners)
        return how_close(self.ballots, self.method, **self.settings, recounts=self.recounts)

    def as_json(self) -> str:
        said = {"candidates": self.ballots.candidates, "counts": dict(self.ballots.counts)}
        rules = {name: getattr(self, name) for name in ("method", "settings", "others", "recounts", "draws")}
        return json.dumps(said | rules, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Job:
        read = json.loads(text)
        return cls(Ballots(tuple(read.pop("candidates")), read.pop("counts")), **read)

    @staticmethod
    def answer(text: str) -> Done:
        """What came out, as it was written."""
        return Done.from_json(text)


@dataclass(frozen=True, slots=True)
class Comparison:
    """How every two candidates compare, and nothing else."""

    ballots: Ballots

    @property
    def size(self) -> Size:
        return Size.of(self.ballots)

    def cost(self, size: Size) -> int:
        return cost.of_contests(size)

    def done(self) -> Summary:
        return self.ballots.summary

    def as_json(self) -> str:
        return json.dumps({"candidates": self.ballots.candidates, "counts": dict(self.ballots.counts)})

    @classmethod
    def from_json(cls, text: str) -> Comparison:
        read = json.loads(text)
        return cls(Ballots(tuple(read["candidates"]), read["counts"]))

    @staticmethod
    def answer(text: str) -> Summary:
        read = json.loads(text)
        matrices = {name: tuple(map(tuple, read[name])) for name in ("above", "equal")}
        return Summary(**read | matrices | {name: tuple(read[name]) for name in ("candidates", "ranked")})


def written(done: Done | Summary) -> str:
    return done.as_json() if isinstance(done, Done) else json.dumps(asdict(done), separators=(",", ":"))


# --- in a process of its own ---

KINDS: dict[str, type[Job | Comparison]] = {kind.__name__: kind for kind in (Job, Comparison)}
NICENESS = 5  # pages come first


def main(kind: str, seconds: int, megabytes: int) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    with suppress(ValueError):  # macOS has no such limit
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(NICENESS)
    job = KINDS[kind].from_json(sys.stdin.read())
    sys.stdout.write(written(job.done()))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
