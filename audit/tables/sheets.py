"""The building blocks of the relational view: pages, rows, cells and links."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _

from acts.refusals import Refusal
from store.table import DATA, Item, Key

from .masks import Hidden
from .raw import Link, item_href

MAX_CELL_CHARS = 300  # characters of a cell on a page; files and item pages show all


class NoSuch(Refusal):
    """What was requested does not exist or is hidden; the message says which."""


@dataclass(frozen=True, slots=True)
class Cell:
    value: Any
    href: str = ""

    @property
    def is_hidden(self) -> bool:
        return isinstance(self.value, Hidden)

    @property
    def text(self) -> str:
        """The text shown on a page."""
        if self.value is None:
            return ""
        if isinstance(self.value, bool):
            return str(_("yes") if self.value else _("no"))
        text = as_text(self.value)
        return text if len(text) <= MAX_CELL_CHARS else f"{text[: MAX_CELL_CHARS - 1]}…"


def as_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, dict | list) else str(value)


@dataclass(frozen=True, slots=True)
class Row:
    cells: tuple[Cell, ...]
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    rows: list[Row]
    cursor: str | None = None
    count: int | None = None  # of the whole table, if a total is stored

    @property
    def leads(self) -> bool:
        """Whether its rows have links beside their cells."""
        return any(row.links for row in self.rows)


@dataclass(frozen=True, slots=True)
class TableQuery:
    """The filter of a table, and where the last page ended."""

    name: str = ""
    election: str = ""
    begins: str = ""
    ballot: str = ""
    number: int | None = None
    after: str = ""

    @property
    def cursor(self) -> str | None:
        return self.after or None


def href(relation: str, **values: Any) -> str:
    parameters = {name: word for name, word in values.items() if word not in ("", None)}
    return reverse("table", args=[relation]) + (f"?{urlencode(parameters)}" if parameters else "")


def person_cell(name: Any) -> Cell:
    """A person with a link to them; the site itself and strangers have no account."""
    return Cell(name, href("users", name=name) if isinstance(name, str) and name != "plenum" else "")


def election_cell(name: str) -> Cell:
    return Cell(name, href("elections", name=name))


def item_link(item: Item, table_name: str = DATA) -> Link:
    return Link(_("Item"), item_href(Key(item["PK"], item["SK"], table_name)))


def cells_of(item: Item, *names: str) -> tuple[Cell, ...]:
    return tuple(Cell(item.get(name)) for name in names)
