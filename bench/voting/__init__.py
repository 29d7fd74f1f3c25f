"""Part `voting`: a voter's way over HTTP beside pages that do nothing, how soon a result is seen, and how both grow.

`make bench PART=voting BEFORE=REVISION` measures that revision by turns with this one. `STEP=pages` is one step alone.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from ..ballots.server import ROOT
from ..report import Report
from . import closing, disk, growth, pages
from .paste import begin
from .revisions import checked_out

STEPS = {each.__name__.rpartition(".")[2]: each.measure for each in (pages, disk, closing, growth)}


def measure(report: Report, scale: float = 1.0) -> None:
    """A smaller scale takes shorter turns with fewer voters."""
    report.build.mkdir(parents=True, exist_ok=True)
    begin(report)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=report.build) as name:
        folder, roots = Path(name), {"Plenum": ROOT}
        if before := os.environ.get("BEFORE"):
            roots["before"] = checked_out(before, folder / "before")
        for step in [os.environ["STEP"]] if os.environ.get("STEP") else STEPS:
            STEPS[step](report, roots, folder / step, scale)
