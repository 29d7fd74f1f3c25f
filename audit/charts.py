"""The small charts of the overview: numbers for the template to draw, each beside a table of the same data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from upkeep.log.figures import Day

HEIGHT_PX = 40  # of the picture of days, and each day is 10 wide


@dataclass(frozen=True, slots=True)
class Bar:
    label: str
    count: int
    percent: float  # of the longest


@dataclass(frozen=True, slots=True)
class Column:
    day: Day
    x: int
    y: float
    height: float


def bars(counts: Mapping[str, int]) -> list[Bar]:
    longest = max(counts.values(), default=0)
    return [
        Bar(label, count, round(100 * max(count, 0) / longest, 1) if longest > 0 else 0)
        for label, count in counts.items()
    ]


def columns(days: list[Day]) -> list[Column]:
    highest = max((day.cast for day in days), default=0) or 1
    heights = [round(HEIGHT_PX * day.cast / highest, 1) for day in days]
    return [
        Column(day, 10 * place + 1, HEIGHT_PX - high, high)
        for place, (day, high) in enumerate(zip(days, heights, strict=True))
    ]
