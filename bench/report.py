"""What was measured: a table to read as it grows, and the same figures as flat JSON."""

from __future__ import annotations

import json
import os
import platform
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from .rounds import Comparison

FILE = "bench.json"
LINE = "  {:<38}{:>11}{:>11}  {:<10}{:>7}   {:<15}{}"

Figure = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Unit:
    """How a figure is written for people, and in the name it has in the file."""

    sign: str
    word: str
    less_is_better: bool = False


OPERATIONS = Unit("ops/s", "ops_per_second")
ITEMS = Unit("items/s", "items_per_second")
SECONDS = Unit("s", "seconds", less_is_better=True)
MILLISECONDS = Unit("ms", "milliseconds", less_is_better=True)
MICROSECONDS = Unit("µs/item", "microseconds_per_item", less_is_better=True)


@dataclass
class Report:
    """The figures of one part. Every key begins with the part's name."""

    part: str
    build: Path
    output: TextIO = field(default_factory=lambda: sys.stdout)
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    figures: dict[str, Figure] = field(default_factory=dict)
    _goals: dict[str, bool] = field(default_factory=dict)

    # --- while measuring ---

    def heading(self, title: str, peer: str = "bare") -> None:
        """Begin a table against this peer."""
        self.say(f"\n{title}")
        self.say(LINE.format("", "Plenum", peer, "", "ratio", "spread", "goal").rstrip())

    def compare(
        self,
        key: str,
        label: str,
        comparison: Comparison,
        unit: Unit = OPERATIONS,
        *,
        peer: str = "bare",
        at_least: float | None = None,
    ) -> None:
        """One line: ours, the peer's, and how many times as good ours is, with the goal where there is one."""
        ratio, low, high = comparison.ratio(less_is_better=unit.less_is_better)
        self._keep(key, unit.word, comparison.ours)
        self._keep(key, f"{peer.lower()}_{unit.word}", comparison.theirs)
        self._keep(key, f"ratio_to_{peer.lower()}", ratio)
        self._keep(key, f"ratio_to_{peer.lower()}_low", low)
        self._keep(key, f"ratio_to_{peer.lower()}_high", high)
        goal = "" if at_least is None else self._judge(key, f"{label.strip()}, against {peer}", ratio, at_least)
        spread = f"{readable(low)} to {readable(high)}"
        columns = (label, readable(comparison.ours), readable(comparison.theirs), unit.sign, readable(ratio), spread)
        self.say(LINE.format(*columns, goal).rstrip())

    def figure(self, key: str, label: str, value: float, sign: str) -> None:
        """One figure that has no peer."""
        self.figures[f"{self.part}.{key}"] = round(value, 6)
        self.say(f"  {label:<38}{readable(value):>11}  {sign}")

    def fact(self, key: str, value: Figure) -> None:
        """Something to know about the figures; kept in the file, said elsewhere."""
        self.figures[f"{self.part}.{key}"] = value

    def say(self, sentence: str) -> None:
        print(sentence, file=self.output, flush=True)

    # --- afterwards ---

    def finish(self) -> None:
        """Say which goals were met, and put the figures beside those of other parts."""
        self.say("")
        for label, met in self._goals.items():
            if not met:
                self.say(f"Missed: {label}.")
        self.say(f"Goals met: {sum(self._goals.values())} of {len(self._goals)}.")
        self.say(
            "A ratio is the median of the rounds, and over 1 where Plenum is better; the spread is their middle half."
        )
        self.say(f"All figures: {self._write()}")

    def _write(self) -> Path:
        self.build.mkdir(parents=True, exist_ok=True)
        path = self.build / FILE
        others = {key: value for key, value in _stored(path).items() if not key.startswith(f"{self.part}.")}
        measured_at = {f"{self.part}.measured_at": self.clock().isoformat(timespec="seconds")}
        everything = others | machine() | self.figures | measured_at
        fresh = path.with_suffix(".new")
        fresh.write_text(json.dumps(everything, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
        fresh.replace(path)
        return path

    def _keep(self, key: str, word: str, value: float) -> None:
        self.figures[f"{self.part}.{key}.{word}"] = round(value, 3)

    def _judge(self, key: str, label: str, ratio: float, at_least: float) -> str:
        met = ratio >= at_least
        self._goals[f"{label}: {readable(ratio)} of at least {readable(at_least)}"] = met
        self.fact(f"{key}.goal", at_least)
        self.fact(f"{key}.goal_met", met)
        return f"{'met' if met else 'missed'} (at least {readable(at_least)})"


def machine() -> dict[str, Figure]:
    return {
        "machine.cores": os.cpu_count() or 1,
        "machine.python": platform.python_version(),
        "machine.sqlite": sqlite3.sqlite_version,
        "machine.system": platform.platform(),
    }


def readable(value: float) -> str:
    """Three digits that matter, or all of the whole number where there are more."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def _stored(path: Path) -> dict[str, Figure]:
    """What the file holds; one that cannot be read is written anew, as everything in the build folder is."""
    try:
        stored = json.loads(path.read_text())
    except (FileNotFoundError, ValueError):
        return {}
    return stored if isinstance(stored, dict) else {}
