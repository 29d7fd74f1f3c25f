"""Casts on a disk whose sync takes its time, as that of a small rented machine does: this one's may be too fast to see
what waiting for it costs."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median

from ..report import Report
from ..rounds import Comparison, take_turns
from . import site as sites
from .pages import A_SECOND
from .paste import paste
from .site import Site, Size
from .walking import CASTING, closed

SOURCE = Path(__file__).with_name("slow_disk.c")
SYNC = 4_000  # microseconds
ROUNDS, VOTERS = 5, 2_000
FASTER = 1.3  # than before
TRIED = """
import os, tempfile, time
with tempfile.TemporaryFile() as file:
    start = time.perf_counter()
    for _ in range(20):
        os.fsync(file.fileno())
    print((time.perf_counter() - start) / 20 * 1000)
"""


def measure(report: Report, roots: Mapping[str, Path], folder: Path, scale: float) -> None:
    report.say(f"\nCasts where the disk takes {SYNC / 1000:.0f} ms for a sync")
    if (compiler := shutil.which("cc")) is None:
        report.say("  Left out: there is no C compiler to make such a disk with.")
        return
    folder.mkdir()
    slow = slow_disk(compiler, folder)
    report.figure("disk.sync.milliseconds", "a sync", sync_of(slow), "ms")
    voters = max(20, round(VOTERS * scale))
    with ExitStack() as stack:
        standing: dict[str, Site] = {}
        for name, root in roots.items():
            sites.make(root, folder / name, Size(voters, elections=1, signed_in=voters))
            standing[name] = stack.enter_context(sites.served(root, folder / name, slow))
        turns = [partial(closed, each, CASTING, scale) for each in standing.values()]
        found = dict(zip(standing, take_turns(turns, ROUNDS if scale >= 1 else 1), strict=True))
        for site in standing.values():
            site.check()
    rates = {name: tuple(each.rate for each in turns) for name, turns in found.items()}
    _report(report, rates)


def slow_disk(compiler: str, folder: Path) -> dict[str, str]:
    """The environment of a process that has such a disk."""
    library = folder / "slow_disk.so"
    subprocess.run([compiler, "-O", "-shared", "-fPIC", "-o", library, SOURCE], check=True)
    return {"LD_PRELOAD": str(library), "SYNC_MICROSECONDS": str(SYNC)}


def sync_of(environment: Mapping[str, str]) -> float:
    """Milliseconds that a sync takes there."""
    done = subprocess.run([sys.executable, "-c", TRIED], env=dict(environment), check=True, capture_output=True)
    return float(done.stdout)


def _report(report: Report, rates: Mapping[str, tuple[float, ...]]) -> None:
    report.figure("disk.cast.per_second", "casts, eight at once", median(rates["Plenum"]), "/s")
    if "before" in rates:
        report.heading("Casts on that disk, and before", "before")
        beside = Comparison(rates["Plenum"], rates["before"])
        report.compare("disk.cast", "casts on a slow disk", beside, A_SECOND, peer="before", at_least=FASTER)
    columns = [f"casts on a disk whose sync takes {SYNC / 1000:.0f} ms", "a second"]
    paste(report, columns, [[name, median(each)] for name, each in rates.items()])
