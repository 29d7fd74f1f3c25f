"""Why each job of this worker failed last, until it goes well again; its sign of life tells other processes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

MAX_REASON_CHARS = 500  # characters: the reasons of all jobs fit a sign of life


@dataclass(frozen=True, slots=True)
class Failure:
    at: int  # seconds since 1970
    reason: str


_last: dict[str, Failure] = {}


def note(job: str, reason: str, clock: Callable[[], float] = time.time) -> None:
    _last[job] = Failure(int(clock()), reason[:MAX_REASON_CHARS])


def forget(job: str) -> None:
    _last.pop(job, None)


def last() -> dict[str, Failure]:
    return dict(_last)
