"""`python -m tests.bench [PART ...]`: measures the parts named, or all, prints tables and writes build/bench.json."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from .report import Report

PARTS = ("voting", "live", "store", "tally", "starting")
BUILD = Path(__file__).parents[2] / "build"


def main(names: list[str]) -> int:
    if unknown := [name for name in names if name not in PARTS]:
        print(f"There is no part {unknown[0]!r} to measure. There are: {', '.join(PARTS)}.", file=sys.stderr)
        return 2
    for name in names or PARTS:
        part = import_module(f"tests.bench.{name}")  # only those named: `tally` also runs where Django is not installed
        report = Report(name, BUILD)
        part.measure(report)
        report.finish()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
