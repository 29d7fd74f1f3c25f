"""What is asked of a table: every round trip, in words, with the kinds of items it is about instead of their keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from itertools import groupby
from pkgutil import iter_modules
from typing import Any
from unittest.mock import patch

from store import keys
from store.table import DATA, LOG, Key, Numbered, Span, Table, Write, opened

TABLES = {"data": DATA, "log": LOG}


@dataclass(frozen=True, slots=True)
class Kind:
    """One row of the tables in store/keys: what lies under keys of that form."""

    name: str
    table: str
    pk: str
    sk: str
    index: str = ""

    @classmethod
    def of(cls, row: str) -> Kind:
        name, table, pk, sk, index, _readers = (cell.strip() for cell in row.strip("|\n").split("|"))
        return cls(name, TABLES[table], pk, sk, index.partition(" / ")[0])

    def is_under(self, key: Key) -> bool:
        return key.table == self.table and _fits(self.pk, key.pk) and _fits(self.sk, key.sk)

    def is_in(self, span: Span) -> bool:
        if span.index:
            return _fits(self.index, span.pk)
        return span.table == self.table and _fits(self.pk, span.pk) and self._is_held_by(span)

    def _is_held_by(self, span: Span) -> bool:
        """Where a sort key has names in it, as far as it can be told: by what comes before the first of them."""
        begins, ours = span.prefix or span.first or "", _literal(self.sk)
        return span.holds(self.sk) if ours == self.sk else begins[: len(ours)] == ours[: len(begins)]


@cache
def _fits(form: str, text: str) -> bool:
    """`{…}` in the form of a key stands for a name or a number, `…` for any ending, and `[…]` for what need not be."""
    stands_for = {"…": ".*", "[": "(?:", "]": ")?"}
    parts = re.split(r"(\{[^}]*\}|[…\[\]])", form)
    expression = "".join("[^#]*" if each[:1] == "{" else stands_for.get(each, re.escape(each)) for each in parts)
    return bool(form) and re.fullmatch(expression, text) is not None


def _literal(form: str) -> str:
    return re.split(r"[{…\[]", form)[0]


@cache
def kinds() -> tuple[Kind, ...]:
    """Every kind of item there is; those whose keys begin with a name come last, because they fit nearly everything."""
    rooms = (import_module(f"store.keys.{each.name}") for each in iter_modules(keys.__path__))
    rows = [row for room in rooms for row in (room.__doc__ or "").splitlines() if re.match(r"\| .*\| (data|log) ", row)]
    return tuple(sorted(map(Kind.of, rows), key=lambda kind: (kind.index.startswith("{"), kind.name)))


@cache
def name_of(key: Key) -> str:
    name = next((kind.name for kind in kinds() if kind.is_under(key)), "")
    assert name, f"No table in store/keys has {key}."
    return name


@cache
def name_of_all(span: Span) -> str:
    """A span of several kinds is a whole partition."""
    names = [kind.name for kind in kinds() if kind.is_in(span)]
    assert names, f"No table in store/keys has {span}."
    if span.index or len(set(names)) == 1 or set(names) == {"ballot", "secret ballot"}:
        return names[0]
    return f"all of {span.pk.partition('#')[0]}"


# --- listening ---


def _names(asked: Iterable[Key]) -> str:
    return " + ".join(sorted({name_of(key) for key in asked}))


def _written(writes: Iterable[Write | Numbered]) -> str:
    """A counter that gives out a number in the same write is one of its items."""
    counters = (write.key for write in writes if isinstance(write, Numbered))
    return _names([*(part.key for part in opened(writes)), *counters])


def _page(span: Span) -> str:
    return f"{'index' if span.index else 'list'} {name_of_all(span)}"


class Ear:
    """Hears what is asked of a table, in order."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def hears(self, act: Callable[..., Any], words: Callable[..., str]) -> Callable[..., Any]:
        def asked(*arguments: Any, **more: Any) -> Any:
            arguments = tuple(list(each) if isinstance(each, Iterator) else each for each in arguments)
            self.heard.append(words(*arguments))
            return act(*arguments, **more)

        return asked

    def take(self) -> list[str]:
        heard, self.heard = self.heard, []
        return heard


@contextmanager
def listening(table: Table) -> Iterator[Ear]:
    """Until the end, whatever is asked of the table by anybody is heard; a long read is heard page by page."""
    ear = Ear()
    words: dict[str, Callable[..., str]] = {
        "get": lambda key: f"get {name_of(key)}",
        "get_many": lambda asked: f"get {_names(asked)}",
        "page": _page,
        "count": lambda span: f"count {name_of_all(span)}",
        "write": lambda *writes: f"write {_written(writes)}",
        "put_all": lambda items: f"put {_names(Key(each['PK'], each['SK']) for each in items)}",
        "increment": lambda key, *_: f"add {name_of(key)}",
    }
    heard = {name: ear.hears(getattr(table, name), say) for name, say in words.items()}
    with patch.multiple(table, **heard, values=partial(Table.values, table)):
        yield ear


def in_words(heard: list[str]) -> str:
    """Equal trips that follow each other are told once, with their number."""
    told = [(words, len(list(same))) for words, same in groupby(heard)]
    return "; ".join(words if times == 1 else f"{times} × {words}" for words, times in told)
