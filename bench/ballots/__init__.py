"""Part `ballots`: the load of an election day, on the embedded store and the real server."""

from __future__ import annotations

import tempfile
from pathlib import Path

from ..people import start_django
from ..report import Report
from . import bare, growth, processor, sustained, weight
from . import day as days
from .server import serving

VOTERS = 12_000


def measure(report: Report, scale: float = 1.0) -> None:
    """A smaller scale takes shorter turns with fewer voters."""
    report.build.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=report.build) as name:
        start_django(name)
        folder = Path(name)
        _served(report, folder, scale)
        processor.measure(report, days.prepare(folder / "cpu.sqlite3", processor.voters_needed(scale)), scale)
        growth.measure(report, folder, scale)


def _served(report: Report, folder: Path, scale: float) -> None:
    from django.conf import settings

    day = days.prepare(folder / "served.sqlite3", max(200, int(VOTERS * scale)))
    with days.on(day):
        *coming, visitor = days.browsers(day.voters)
    (folder / "served").mkdir()
    with serving(folder / "served", day.url, settings.SECRET_KEY) as port:
        held = sustained.measure(report, day, sustained.Voters(coming, port), scale)
        weight.measure(report, visitor, port)
    bare.measure(report, folder, held, scale)
