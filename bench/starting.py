"""Part `starting`: from a fresh clone to the first page, the second start, and what both take of disk and memory."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from .ballots.server import HOST, ROOT, started
from .report import SECONDS, Report, Unit
from .rounds import Comparison

MAKE_RUN = ["make", "run"]
SERVE = [sys.executable, "manage.py", "serve", "--no-demo"]  # nothing is installed, and nothing loaded
FIRST, SECOND, REST, INSTALLED = 20.0, 3.0, 150.0, 120.0  # seconds until it answers, and megabytes
A_WHILE = 15.0  # seconds after which it rests
PAGES = 12  # so that every process has served some
MEGABYTES = Unit("MB", "megabytes", less_is_better=True)


def measure(report: Report, scale: float = 1.0) -> None:
    report.build.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=report.build) as folder:
        root, command = (_cloned(Path(folder)), MAKE_RUN) if scale >= 1 else (ROOT, SERVE)
        data = Path(folder) / "data"
        data.mkdir()
        report.heading("`make run` in a fresh clone, with the demo", "goal")
        _start(report, "first", command, root, data, FIRST, A_WHILE * scale)
        if command is MAKE_RUN:
            _within(report, "installed", "what is installed", _size(root / ".venv"), INSTALLED, MEGABYTES)
        report.heading("The second start", "goal")
        _start(report, "second", command, root, data, SECOND, A_WHILE * scale)


def _start(
    report: Report, key: str, command: list[str], root: Path, data: Path, seconds: float, a_while: float
) -> None:
    begun = time.perf_counter()
    with started(command, data, {}, root) as server:
        _within(report, f"{key}.answers", "until it answers", time.perf_counter() - begun, seconds, SECONDS)
        time.sleep(a_while)
        _within(report, f"{key}.at_rest", "memory at rest", _memory(server.process.pid), REST, MEGABYTES)
        for _ in range(PAGES):
            urllib.request.urlopen(f"http://{HOST}:{server.port}/").close()
        time.sleep(a_while)
        used = _memory(server.process.pid)
        report.figure(f"{key}.looked_at.{MEGABYTES.word}", "once all processes have served", used, MEGABYTES.sign)


def _within(report: Report, key: str, label: str, found: float, goal: float, unit: Unit) -> None:
    report.compare(key, label, Comparison((found,), (goal,)), unit, peer="goal", at_least=1)


def _cloned(folder: Path) -> Path:
    subprocess.run(["git", "clone", "--quiet", ROOT, folder / "clone"], check=True)
    return folder / "clone"


def _memory(group: int) -> float:
    """Megabytes of all processes of a group, each page divided by those who share it."""
    numbers = [int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit()]
    return sum(_share(each) for each in numbers if _is_of(group, each)) / 1024


def _is_of(group: int, process: int) -> bool:
    try:
        return os.getpgid(process) == group
    except OSError:  # it has just ended
        return False


def _share(process: int) -> int:
    """Kilobytes."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def _size(folder: Path) -> float:
    """Megabytes on the disk."""
    return sum(each.lstat().st_blocks for each in folder.rglob("*")) / 2048
