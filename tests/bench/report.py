"""One format for all results: a Markdown table that grows while measuring, and the same rows as JSON."""

from __future__ import annotations

import json
import os
import platform
import sqlite3
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import median, quantiles
from typing import Any, TextIO

FILE = "bench.json"
LINE = "| {:<44} | {:>9} | {:>9} | {:<8} | {:>6} | {:<13} | {:<16} | {:<6} |"
RULE = "|" + "|".join("-" * width for width in (46, 11, 11, 10, 8, 15, 18, 8)) + "|"


@dataclass(frozen=True, slots=True)
class Goal:
    """A limit for the figure itself or, with `of_ratio`, for the ratio of ours to the peer's."""

    limit: float
    is_minimum: bool = False
    of_ratio: bool = False

    def is_met(self, value: float) -> bool:
        return value >= self.limit if self.is_minimum else value <= self.limit

    def __str__(self) -> str:
        of = "ratio " if self.of_ratio else ""
        return f"{of}{'>=' if self.is_minimum else '<='} {readable(self.limit)}"


def at_most(limit: float) -> Goal:
    return Goal(limit)


def at_least(limit: float) -> Goal:
    return Goal(limit, is_minimum=True)


def ratio_at_most(limit: float) -> Goal:
    return Goal(limit, of_ratio=True)


def ratio_at_least(limit: float) -> Goal:
    return Goal(limit, is_minimum=True, of_ratio=True)


@dataclass
class Report:
    """The rows of one part."""

    part: str
    build: Path
    output: TextIO = field(default_factory=lambda: sys.stdout)
    rows: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.build.mkdir(parents=True, exist_ok=True)

    def table(self, title: str, peer: str = "") -> None:
        """Begin a table in which the second column of figures is this peer's."""
        self.say(f"\n{title}\n")
        self.say(LINE.format("", "new", peer, "unit", "ratio", "middle half", "goal", ""))
        self.say(RULE)

    def row(self, label: str, unit: str, figures: Sequence[Sequence[float]], goal: Goal | None = None) -> None:
        """Ours and perhaps the peer's, round by round; a ratio is the median of the ratios of the rounds."""
        new, old = median(figures[0]), median(figures[1]) if len(figures) > 1 else None
        ratio, low, high = _ratios(*figures) if len(figures) > 1 and all(figures[1]) else (None, None, None)
        judged = ratio if goal and goal.of_ratio else new
        goal = goal if judged is not None else None
        met = goal.is_met(judged) if goal and judged is not None else None
        self.rows.append(
            {"label": label, "unit": unit, "new": new, "old": old, "ratio": ratio, "low": low, "high": high}
            | {"goal": str(goal) if goal else None, "met": met}
        )
        spread = f"{readable(low)} to {readable(high)}" if low is not None and high is not None else ""
        verdict = {True: "met", False: "MISSED", None: ""}[met]
        cells = (label, readable(new), readable(old), unit, readable(ratio), spread, str(goal or ""), verdict)
        self.say(LINE.format(*cells))

    def say(self, text: str) -> None:
        print(text, file=self.output, flush=True)

    def finish(self) -> None:
        """Sum up, and put the rows beside those of other parts."""
        judged = [each for each in self.rows if each["met"] is not None]
        path = self.build / FILE
        try:
            everything = json.loads(path.read_text())
        except (FileNotFoundError, ValueError):
            everything = {}
        everything |= {"machine": machine(), self.part: {"measured_at": _now(), "rows": self.rows}}
        path.write_text(json.dumps(everything, indent=1, ensure_ascii=False) + "\n")
        self.say(f"\nGoals met: {sum(each['met'] for each in judged)} of {len(judged)}. All figures: {path}")


def machine() -> dict[str, Any]:
    versions = {"python": platform.python_version(), "sqlite": sqlite3.sqlite_version}
    return versions | {"cores": os.cpu_count(), "system": platform.platform()}


def readable(value: float | None) -> str:
    """Three significant digits, or the whole number where it has more."""
    if value is None:
        return ""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def _ratios(ours: Sequence[float], theirs: Sequence[float]) -> tuple[float, float, float]:
    """The median, and the bounds of the middle half."""
    ratios = [mine / other for mine, other in zip(ours, theirs, strict=True)]
    if len(ratios) == 1:
        return ratios[0], ratios[0], ratios[0]
    low, middle, high = quantiles(ratios, n=4, method="inclusive")
    return middle, low, high


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
