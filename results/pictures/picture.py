"""A picture, and the table that says the same."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.utils.safestring import SafeString


@dataclass(frozen=True, slots=True)
class Table:
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Picture:
    title: str
    svg: SafeString  # one or several svg elements, side by side where there is room
    note: str = ""  # how to read it, and what it leaves out
    table: Table | None = field(default=None)  # None where the page's own tables say the same
    kind: str = ""  # a class for the look of it
