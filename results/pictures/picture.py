"""A picture, and the table that says the same."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.utils.safestring import SafeString

WHOLE = ("panels", "full", "wide", "rows")


@dataclass(frozen=True, slots=True)
class Table:
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Picture:
    title: str
    drawn: SafeString  # an svg element; or rows of words with bars, side by side where there is room
    note: str = ""  # how to read it, and what it leaves out
    table: Table | None = field(default=None)  # None where the page's own tables say the same
    kind: str = ""  # a class for the look of it
    alone: bool = False  # whether nothing stands beside it, although it would take half a row only

    @property
    def is_whole(self) -> bool:
        """Whether it takes a whole row."""
        return self.kind in WHOLE

    @property
    def css_class(self) -> str:
        return f"{self.kind or 'plain'}{' alone' if self.alone else ''}"
