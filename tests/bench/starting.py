"""Part `starting`: size of the installation, first and second start of `make run` in a fresh clone, memory at rest."""

from __future__ import annotations

import resource
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .client import Request, Visit, perform
from .data import ROOT
from .report import Report, at_most
from .server import served, work_folder

FIRST_START_SECONDS, SECOND_START_SECONDS = 20.0, 3.0  # seconds until it answers
MAX_MEMORY_MB, MAX_INSTALLED_MB = 180.0, 125.0  # megabytes
REST_SECONDS = 15.0
MAKE_RUN = ("make", "run")


@dataclass(frozen=True, slots=True)
class Start:
    answered: float  # seconds
    cpu: float  # seconds of all processes until then
    resting: float  # megabytes
    after_pages: float  # megabytes


def measure(report: Report, scale: float = 1.0) -> None:
    """A smaller scale starts the code that is here, where nothing has to be installed."""
    with work_folder(report.build) as folder:
        root, command = (_cloned(folder), MAKE_RUN) if scale >= 1 else (ROOT, ())
        report.table("`make run` in a fresh clone, with the demo")
        begun, cpu = time.perf_counter(), _children_cpu()
        if command:
            subprocess.run(["make", ".venv/run"], cwd=root, check=True, capture_output=True)
            report.row("installed", "MB", [[_size(root / ".venv")]], at_most(MAX_INSTALLED_MB))
        installing = time.perf_counter() - begun
        report.row("installing", "s", [[installing]])
        report.row("installing", "s CPU", [[_children_cpu() - cpu]])
        first, second = (_start(root, folder / "data", command, REST_SECONDS * scale) for _ in range(2))
    report.row("first start, installing included", "s", [[installing + first.answered]], at_most(FIRST_START_SECONDS))
    report.row("second start", "s", [[second.answered]], at_most(SECOND_START_SECONDS))
    report.row("first start without installing", "s CPU", [[first.cpu]])
    report.row("second start", "s CPU", [[second.cpu]])
    for label, start in (("first", first), ("second", second)):
        report.row(f"memory at rest, {label} start", "MB", [[start.resting]], at_most(MAX_MEMORY_MB))
        report.row(f"memory after some pages, {label} start", "MB", [[start.after_pages]])


def _start(root: Path, folder: Path, command: Sequence[str], rest: float) -> Start:
    folder.mkdir(exist_ok=True)
    begun = time.perf_counter()
    with served(root, folder, command) as server:
        answered, cpu = time.perf_counter() - begun, server.cpu_seconds(with_worker=True)
        time.sleep(rest)
        resting = server.memory()
        perform(server.port, [Visit({}, [Request("/")])] * 12, 4)
        time.sleep(rest)
        return Start(answered, cpu, resting, server.memory())


def _children_cpu() -> float:
    """Seconds of all processes that were started from here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _cloned(folder: Path) -> Path:
    subprocess.run(["git", "clone", "--quiet", ROOT, folder / "clone"], check=True)
    return folder / "clone"


def _size(folder: Path) -> float:
    """Megabytes on the disk."""
    return sum(each.lstat().st_blocks for each in folder.rglob("*")) / 2048
