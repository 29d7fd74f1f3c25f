"""Part `replay`: how many events `replay --check` handles per second of CPU time.

`make bench PART=replay BEFORE=REVISION` measures that revision in alternating rounds with this one.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from . import data
from .report import Report, at_least
from .rounds import alternate
from .server import OLD, revisions, work_folder

VOTERS = 1500
ROUNDS = 5
GOAL = at_least(5000)
LOGS = {"casts": "log_of_casts", "events of all kinds": "log_of_all_kinds"}


def measure(report: Report, scale: float = 1.0) -> None:
    with work_folder(report.build) as folder:
        roots = revisions(folder)
        report.table("Events in a second of processor time", OLD if OLD in roots else "")
        for label, log in LOGS.items():
            site = folder / log
            data.make(log, site, voters=max(20, round(VOTERS * scale)))
            turns = [partial(_rate, site, root) for root in roots.values()]
            report.row(label, "/s", alternate(turns, ROUNDS if scale >= 1 else 1, warm_up=False), GOAL)


def _rate(site: Path, root: Path) -> float:
    return float(data.make("replayed", site, root)["rate"])
