"""What is asked of a table: every round trip, in words, with the kinds of items it is about instead of their keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from itertools import groupby
from typing import Any
from unittest.mock import patch

from foundation.store import keys
from foundation.store.keys.declared import beginning, fits
from foundation.store.schema import SCHEMA, ItemType
from foundation.store.table import Key, Numbered, Span, Table, Write, opened


@cache
def name_of(key: Key) -> str:
    found = SCHEMA.type_of(key)
    assert found, f"No type is declared for {key}."
    return found.label


@cache
def name_of_all(span: Span) -> str:
    """A span of several types is a whole partition."""
    if not span.index and span.prefix:
        span = replace(span, prefix=keys.question_of(Key(span.pk, span.prefix))[1].sk)  # as in the first question
    names = [each.label for each in SCHEMA.items if is_in(each, span)]
    assert names, f"No type is declared for {span}."
    return names[0] if span.index or len(set(names)) == 1 else f"all of {span.pk.partition('#')[0]}"


def is_in(item_type: ItemType, span: Span) -> bool:
    if span.index:
        return any(_is_list(each.pk, span.pk) for each in (*item_type.lists, *item_type.closed_lists)) or (
            "@" in span.pk and "#" not in span.pk and item_type.key is keys.user
        )
    place = item_type.place
    return span.table == place.table and fits(place.pk, span.pk) and _is_held_by(place.sk, span)


def _is_list(declared: str, pk: str) -> bool:
    """Whether this is the list, or one of those lists that have a name after the `#`."""
    return pk == declared or (declared.endswith("#") and pk.startswith(beginning(declared)))


def _is_held_by(sk: str, span: Span) -> bool:
    """Where a sort key has names in it, as far as it can be told: by what comes before the first of them."""
    begins = span.prefix or span.first or ""
    return span.holds(sk) if sk and not sk.endswith("#") else begins[: len(sk)] == sk[: len(begins)]


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
