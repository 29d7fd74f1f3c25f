"""`python -m bench [PART ...]`: runs the parts named, or all, prints them and keeps the figures in build/bench.json."""

from __future__ import annotations

import sys
from pathlib import Path

from . import parts
from .report import Report

BUILD = Path(__file__).parent.parent / "build"


def main(names: list[str], build: Path = BUILD) -> int:
    try:
        chosen = parts.chosen(names)
    except parts.UnknownPart as unknown:
        print(unknown, file=sys.stderr)
        return 2
    for name, part in chosen.items():
        report = Report(name, build)
        part.measure(report)
        report.finish()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
