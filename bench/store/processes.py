"""Several processes that write to one SQLite file: our fair queue against SQLite's own busy handler."""

from __future__ import annotations

import itertools
import multiprocessing
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing.pool import Pool
from multiprocessing.synchronize import Barrier
from pathlib import Path
from statistics import quantiles
from time import perf_counter

from store.sqlite import SqliteTable

from ..report import MILLISECONDS, Report
from ..rounds import Comparison
from .bare_sqlite import BareSqlite
from .contenders import Contender, Plenum

KINDS = ("ours", "bare")
PROCESSES = 4
THREADS = 2
ROUNDS = 3
SECONDS = 1.5
PATIENCE = 60  # seconds until a process that does not answer ends the measurement
NUMBERS = 10**8  # a stretch of numbers for each thread of each turn, so that no two cast the same ballot


@dataclass(frozen=True, slots=True)
class Job:
    """What one process does in one turn."""

    kind: str
    path: str
    seconds: float
    first: int


@dataclass(frozen=True, slots=True)
class Turn:
    """What the threads of all processes saw in one turn: how often a second each wrote, and how long each time took."""

    rates: tuple[float, ...]
    latencies: tuple[float, ...]

    def milliseconds(self, percent: int) -> float:
        return quantiles(self.latencies, n=100, method="inclusive")[percent - 1] * 1000

    @property
    def longest(self) -> float:
        return max(self.latencies) * 1000


def measure(report: Report, folder: Path, scale: float) -> None:
    report.heading(f"{PROCESSES} processes with {THREADS} threads each, transactions of 3 items on one file", "bare")
    turns = _take_turns(folder, ROUNDS if scale >= 1 else 1, SECONDS * scale)
    report.compare("sqlite.processes", "transactions", _compared(turns, lambda turn: sum(turn.rates)))
    slowest = _compared(turns, lambda turn: min(turn.rates))
    report.compare("sqlite.processes.slowest_thread", "  of these, by the slowest thread", slowest)
    for percent, label in ((50, "  half wait less than"), (99, "  99 of 100 wait less than")):
        comparison = _compared(turns, partial(Turn.milliseconds, percent=percent))
        report.compare(f"sqlite.processes.p{percent}", label, comparison, MILLISECONDS)
    longest = Comparison(*((max(turn.longest for turn in turns[kind]),) for kind in KINDS))
    report.compare("sqlite.processes.longest", "  the longest wait", longest, MILLISECONDS)
    report.say(
        "  SQLite's busy handler lets one thread go on and on, which is quick for that one, while others starve."
    )


def _compared(turns: dict[str, list[Turn]], figure: Callable[[Turn], float]) -> Comparison:
    return Comparison(*(tuple(map(figure, turns[kind])) for kind in KINDS))


def _take_turns(folder: Path, count: int, seconds: float) -> dict[str, list[Turn]]:
    turns: dict[str, list[Turn]] = {kind: [] for kind in KINDS}
    for kind in KINDS:
        SqliteTable(_path(folder, kind)).create()
    context = multiprocessing.get_context("spawn")
    with context.Pool(PROCESSES, _remember, (context.Barrier(PROCESSES, timeout=PATIENCE),)) as pool:
        for number in range(count):
            for kind in KINDS if number % 2 else reversed(KINDS):
                turns[kind].append(_turn(pool, kind, _path(folder, kind), seconds, number))
    return turns


def _turn(pool: Pool, kind: str, path: str, seconds: float, number: int) -> Turn:
    jobs = [Job(kind, path, seconds, (number * PROCESSES + each) * THREADS * NUMBERS) for each in range(PROCESSES)]
    answers = pool.map_async(_write_together, jobs, chunksize=1).get(seconds + PATIENCE)
    threads = [thread for process in answers for thread in process]
    return Turn(tuple(len(each) / sum(each) for each in threads), tuple(itertools.chain(*threads)))


def _path(folder: Path, kind: str) -> str:
    return f"{folder}/processes-{kind}.sqlite3"


# --- in the processes ---

_start: Barrier


def _remember(start: Barrier) -> None:
    global _start  # noqa: PLW0603 - a pool hands its processes a barrier only when they begin
    _start = start


def _wait_for_the_others() -> None:
    _start.wait()


def _write_together(job: Job) -> list[list[float]]:
    """The seconds each transaction took, thread by thread."""
    contender = _CONTENDERS[job.kind](job.path)
    ready = threading.Barrier(THREADS, _wait_for_the_others, PATIENCE)
    with ThreadPoolExecutor(THREADS) as pool:
        firsts = [job.first + each * NUMBERS for each in range(THREADS)]
        return list(pool.map(lambda first: _write_alone(contender, first, ready, job.seconds), firsts))


def _write_alone(contender: Contender, first: int, ready: threading.Barrier, seconds: float) -> list[float]:
    contender.transact(first)  # opens the connection
    ready.wait()
    numbers = itertools.count(first + 1)
    latencies: list[float] = []
    start = now = perf_counter()
    while now < start + seconds:
        contender.transact(next(numbers))
        before, now = now, perf_counter()
        latencies.append(now - before)
    return latencies


_CONTENDERS: dict[str, Callable[[str], Contender]] = {
    "ours": lambda path: Plenum(SqliteTable(path)),
    "bare": BareSqlite,
}
