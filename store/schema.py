"""Every type of item and of event, declared once, by the app that writes it.

Masks and sheets for auditors, erasure from the log, the export of personal data, replay and the tables in
docs/reference/types.md are derived from these declarations. What nobody has declared is shown to nobody.

Fields are declared as words: `voted:bool` is a field and its kind, and one without a kind is a text. A `person`, the
`people` of a list and an `address` identify somebody, so that the log can forget them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import cached_property
from types import ModuleType
from typing import Any

from .replay import Act, Exempt, nothing_kept
from .table import Item, Key, Span

KEYS = ("PK", "SK", "GSI1PK", "GSI1SK")
ON_EVERY_ITEM = frozenset((*KEYS, "entity_type"))
IDENTIFYING = ("person", "people", "address")
WITHHELD = object()  # what a rule puts in place of a value that is hidden
OF_ANNOTATIONS = {"str": "text", "bool": "bool", "int": "int", "tuple": "list"}

Rule = Callable[[Item, Any], Item | None]  # what of an item may be seen by somebody who may know so much


def parsed(words: str) -> dict[str, str]:
    """Fields and their kinds; where a field stands twice, the later kind counts."""
    return {name: kind or "text" for name, _, kind in (word.partition(":") for word in words.split())}


def fields_of(kind: type, *without: str) -> str:
    """The fields of a dataclass, as a declaration writes them."""
    names = {each.name: str(each.type).partition(" ")[0].partition("[")[0] for each in fields(kind)}
    return " ".join(f"{name}:{OF_ANNOTATIONS.get(of, 'any')}" for name, of in names.items() if name not in without)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of the relational view: how its rows are found, and what is in them."""

    name: str
    label: Any
    about: Any
    cells: str  # each a field; one of kind `person` or `election` leads there, one of kind `asked` was asked for
    natural_key: str  # its leading part first
    asked_by: str = ""
    span: Callable[[Any], Span | None] | None = None  # by what was asked; without one, audit/tables has a reader for it
    backwards: bool = False
    leads: tuple[tuple[Any, str, str], ...] = ()  # links of a row: what they say, to which sheet, by which field

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(parsed(self.cells))

    @property
    def key(self) -> tuple[str, ...]:
        return tuple(self.natural_key.split())

    @property
    def filters(self) -> tuple[str, ...]:
        return tuple(self.asked_by.split())

    @property
    def of_election(self) -> bool:
        """Whether it can only be read for one election."""
        return "election" in self.filters


@dataclass(frozen=True, slots=True)
class Export:
    """A file of what somebody is given who asks for all that is kept about them."""

    name: str
    about: Any
    read: Callable[[Any], Iterable[Item]]


@dataclass(frozen=True, slots=True)
class Parting:
    """What becomes of somebody's things when they are removed, for whoever is about to decide it."""

    counts: Callable[[Any], tuple[int, ...]]
    sentences: tuple[Any, ...]  # one about each `count`, in singular and plural


@dataclass(frozen=True)
class ItemType:
    """Items that are alike: where they lie, what is in them, and who may know what of it."""

    label: str
    key: Callable[..., Key]
    shown: str = ""  # to auditors; of a type without any such field they see nothing
    hidden: str = ""
    inside: str = ""  # names that may be shown deeper in its fields
    rule: Rule | None = None
    lists: tuple[Span, ...] = ()  # of the index, that auditors may open
    closed_lists: tuple[Span, ...] = ()  # of the index, that they may not
    replay: str | tuple[Exempt, ...] = ()  # why it is not made again, or which of its fields are not
    left_behind: str = ""  # why its partition may outlive it
    sheets: tuple[Sheet, ...] = ()
    exports: tuple[Export, ...] = ()
    partings: tuple[Parting, ...] = ()

    @cached_property
    def place(self) -> Key:
        """What the keys of all such items begin with."""
        key = self.written(lambda name: "")
        return Key(beginning(key.pk), beginning(key.sk), key.table)

    def written(self, word: Callable[[str], str]) -> Key:
        """A key with such words in place of names, and with zeros for numbers."""
        needed = (each for each in inspect.signature(self.key).parameters.values() if each.default is each.empty)
        return self.key(*(0 if each.annotation in (int, "int") else word(each.name) for each in needed))

    def has(self, key: Key) -> bool:
        return key.table == self.place.table and fits(self.place.pk, key.pk) and fits(self.place.sk, key.sk)

    @cached_property
    def fields(self) -> dict[str, str]:
        return parsed(f"{self.shown} {self.hidden}")

    @cached_property
    def visible(self) -> frozenset[str]:
        return frozenset(parsed(self.shown)) | ON_EVERY_ITEM

    @cached_property
    def visible_inside(self) -> frozenset[str]:
        return self.visible | frozenset(parsed(self.inside))

    @cached_property
    def exempt(self) -> tuple[Exempt, ...]:
        rows = (Exempt(self.replay),) if isinstance(self.replay, str) else self.replay
        left = (Exempt(self.left_behind, within=self.place),) if self.left_behind else ()
        here = tuple(replace(row, like=self.place) for row in rows)
        return (*here, *(replace(row, like=self.place._replace(sk="")) for row in left))


@dataclass(frozen=True)
class EventType:
    """Events that are alike: what happens when they are replayed, and what they say."""

    name: str
    step: Act
    shown: str = ""  # to auditors
    hidden: str = ""
    inside: str = ""
    own: str = ""  # what the person called `name` gave of themselves: it goes when the log forgets them
    is_told: bool = False  # to the person called `name`, whoever did it, when they ask for all that is kept about them
    sentence: Any = None  # in the history of an election: a text with `who` and `name`, or a function that makes it

    @cached_property
    def fields(self) -> dict[str, str]:
        return parsed(f"{self.shown} {self.hidden}")

    @cached_property
    def visible(self) -> frozenset[str]:
        return frozenset(parsed(f"{self.shown} {self.inside}"))

    @cached_property
    def withheld(self) -> frozenset[str]:
        """What somebody gave of themselves, and may have hidden: the log's pages do not show it either."""
        return frozenset(self.own.split()) - self.visible

    @cached_property
    def naming(self) -> tuple[str, ...]:
        """The fields that name people, besides who did it."""
        return tuple(name for name, kind in self.fields.items() if kind in IDENTIFYING)


class Schema:
    """All types there are."""

    def __init__(self) -> None:
        self.items: tuple[ItemType, ...] = ()
        self.events: dict[str, EventType] = {}

    def declare(self, *modules: ModuleType) -> None:
        self.items = tuple(each for module in modules for each in getattr(module, "ITEMS", ()))
        self.events = {each.name: each for module in modules for each in getattr(module, "EVENTS", ())}

    @contextmanager
    def with_types(self, items: Iterable[ItemType] = (), events: Iterable[EventType] = ()) -> Iterator[None]:
        """For a while there are these as well, and count before the others."""
        before = self.items, self.events
        self.items = (*items, *self.items)
        self.events = self.events | {each.name: each for each in events}
        try:
            yield
        finally:
            self.items, self.events = before

    def type_of(self, key: Key) -> ItemType | None:
        return next((each for each in self.items if each.has(key)), None)

    def event_type(self, name: str) -> EventType:
        """Of one that nobody has declared, nothing is known."""
        return self.events.get(name) or EventType(name, nothing_kept)

    @property
    def exempt(self) -> tuple[Exempt, ...]:
        return tuple(row for each in self.items for row in each.exempt)

    @property
    def acts(self) -> dict[str, Act]:
        return {name: each.step for name, each in self.events.items()}

    @property
    def sheets(self) -> dict[str, Sheet]:
        return {sheet.name: sheet for each in self.items for sheet in each.sheets}

    @property
    def partings(self) -> list[Parting]:
        return [parting for each in self.items for parting in each.partings]

    @property
    def exports(self) -> list[Export]:
        return [export for each in self.items for export in each.exports]


SCHEMA = Schema()


def beginning(text: str) -> str:
    """What all keys made like this one begin with, up to the `#`; one without a `#` is always the same. Nothing stands
    for any: keys that are only a name or a number."""
    head, mark, _rest = text.partition("#")
    return "" if not head or head.isdigit() else head + mark


def fits(pattern: str, text: str) -> bool:
    return text.startswith(pattern) if not pattern or pattern.endswith("#") else text == pattern
