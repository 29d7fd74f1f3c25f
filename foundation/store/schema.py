"""Every type of item and of event, declared once, by the app that writes it; an item's key is declared with all keys.

Masks and sheets for auditors, erasure from the log, the export of personal data, what replay compares and the tables
in docs/reference/types.md are derived from these declarations. Undeclared fields and types are never shown.

Fields are declared as words: `voted:bool` is a field and its kind, and one without a kind is a text. A `person`, the
`people` of a list and an `address` identify a person, so that they can be erased from the log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import MISSING, dataclass, fields, replace
from functools import cached_property
from types import ModuleType
from typing import Any

from .keys import question_of
from .keys.declared import ENTITY_TYPE, PATTERNS, Pattern, fits
from .table import Item, Key, Span

KEYS = ("PK", "SK", "GSI1PK", "GSI1SK")
ON_EVERY_ITEM = frozenset((*KEYS, ENTITY_TYPE))
IDENTIFYING = ("person", "people", "address")
WITHHELD = object()  # put by a rule in place of a hidden value
OF_ANNOTATIONS = {"str": "text", "bool": "bool", "int": "int", "tuple": "list"}

Rule = Callable[[Item, Any], Item | None]  # the part of an item visible at this level of access


def parsed(declaration: str) -> dict[str, str]:
    """Fields and their kinds; if a field occurs twice, the later kind wins."""
    return {name: kind or "text" for name, _, kind in (word.partition(":") for word in declaration.split())}


def fields_of(kind: type, *without: str) -> str:
    """The fields of a dataclass, in the format of a declaration."""
    names = {each.name: str(each.type).partition(" ")[0].partition("[")[0] for each in fields(kind)}
    return " ".join(f"{name}:{OF_ANNOTATIONS.get(of, 'any')}" for name, of in names.items() if name not in without)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of the relational view: how its rows are found, and what is in them."""

    name: str
    label: Any
    about: Any
    cells: str  # each a field; kinds `person` and `election` become links, kind `asked` is taken from the filter
    natural_key: str  # its leading part first
    asked_by: str = ""
    span: Callable[[Any], Span | None] | None = (
        None  # by the filters; without one, operations/audit/tables has a reader for it
    )
    backwards: bool = False
    leads: tuple[tuple[Any, str, str], ...] = ()  # links of a row: label, sheet, field
    whole: Callable[[Item], Key] | None = None  # where the item of a row is, if the span only lists it
    # instead of a span: by the filters, at most so many rows of what may be shown, and where the next page begins
    read: Callable[[Any, int], tuple[list[Item], str | None]] | None = None

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
    """One file of the export of a person's data."""

    name: str
    about: Any
    read: Callable[[Any], Iterable[Item]]


@dataclass(frozen=True, slots=True)
class RemovalEffect:
    """What happens to a person's things on removal, shown before the decision."""

    counts: Callable[[Any], tuple[int, ...]]
    sentences: tuple[Any, ...]  # one about each `count`, in singular and plural


@dataclass(frozen=True)
class ItemType:
    """A type of item: where its items are stored, their fields, and who may see which."""

    label: str
    key: Callable[..., Key] | Key
    shown: str = ""  # to auditors; they see nothing of a type without such fields
    hidden: str = ""
    inside: str = ""  # names that may be shown deeper in its fields
    rule: Rule | None = None
    lists: tuple[Span, ...] = ()  # of the index, that auditors may open
    closed_lists: tuple[Span, ...] = ()  # of the index, that they may not
    replayed: str = ""  # those of its fields that follow from the log, and are compared with it
    value: type | None = None  # the dataclass whose defaults stand for fields that an earlier version did not store
    sheets: tuple[Sheet, ...] = ()
    exports: tuple[Export, ...] = ()
    removal_effects: tuple[RemovalEffect, ...] = ()

    @cached_property
    def pattern(self) -> Pattern:
        """What is declared with the key: its parts, the entity type, and what the item is."""
        return PATTERNS[self.key]

    @cached_property
    def place(self) -> Key:
        """The common prefix of the keys of all such items."""
        pattern = self.pattern
        return Key(pattern.pk.partition("{")[0], pattern.sk.partition("{")[0], pattern.table)

    def has(self, key: Key) -> bool:
        _question, key = question_of(key)
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
    def defaults(self) -> dict[str, Any]:
        """What each replayed field is where it is not stored; nothing, unless the dataclass says otherwise."""
        return {name: self.unstored.get(name) for name in parsed(self.replayed)}

    @cached_property
    def unstored(self) -> dict[str, Any]:
        """What fields are where they are not stored."""
        declared = {each.name: each.default for each in fields(self.value)} if self.value else {}
        return {name: value for name, value in declared.items() if value is not MISSING}

    def with_more(self, more: MoreFields) -> ItemType:
        shown, hidden = f"{self.shown} {more.shown}".strip(), f"{self.hidden} {more.hidden}".strip()
        sheets = tuple(replace(each, cells=f"{each.cells} {more.cells}") for each in self.sheets)
        return replace(self, shown=shown, hidden=hidden, sheets=sheets)


@dataclass(frozen=True)
class EventType:
    """A type of event, and its fields."""

    name: str
    shown: str = ""  # to auditors
    hidden: str = ""
    inside: str = ""
    own: str = ""  # what the person called `name` provided about themselves; erased with them from the log
    is_told: bool = False  # included in the data export of the person called `name`, whoever the actor was
    sentence: Any = None  # in the history of an election: a text with `who` and `name`, or a function that returns it

    @cached_property
    def fields(self) -> dict[str, str]:
        return parsed(f"{self.shown} {self.hidden}")

    @cached_property
    def visible(self) -> frozenset[str]:
        return frozenset(parsed(f"{self.shown} {self.inside}"))

    @cached_property
    def withheld(self) -> frozenset[str]:
        """Hidden fields that a person provided about themselves; the log's pages do not show them either."""
        return frozenset(self.own.split()) - self.visible

    @cached_property
    def naming(self) -> tuple[str, ...]:
        """The fields that name people, apart from the actor."""
        return tuple(name for name, kind in self.fields.items() if kind in IDENTIFYING)

    def with_more(self, more: MoreFields) -> EventType:
        return replace(self, shown=f"{self.shown} {more.shown}", hidden=f"{self.hidden} {more.hidden}")


@dataclass(frozen=True)
class MoreFields:
    """Fields that a part adds to a type of another: of items, by its label, or of events, by its name."""

    of: str
    shown: str = ""
    hidden: str = ""
    cells: str = ""  # in the sheets of the type


class Schema:
    """All declared types."""

    def __init__(self) -> None:
        self.items: tuple[ItemType, ...] = ()
        self.events: dict[str, EventType] = {}

    def declare(self, *modules: ModuleType) -> None:
        self.items = tuple(each for module in modules for each in getattr(module, "ITEMS", ()))
        self.events = {each.name: each for module in modules for each in getattr(module, "EVENTS", ())}
        for more in (each for module in modules for each in getattr(module, "MORE_FIELDS", ())):
            self.items = tuple(each.with_more(more) if each.label == more.of else each for each in self.items)
            if more.of in self.events:
                self.events[more.of] = self.events[more.of].with_more(more)

    def type_of(self, key: Key) -> ItemType | None:
        return next((each for each in self.items if each.has(key)), None)

    def event_type(self, name: str) -> EventType:
        """An undeclared type has no fields."""
        return self.events.get(name) or EventType(name)

    @property
    def sheets(self) -> dict[str, Sheet]:
        return {sheet.name: sheet for each in self.items for sheet in each.sheets}

    @property
    def removal_effects(self) -> list[RemovalEffect]:
        return [effect for each in self.items for effect in each.removal_effects]

    @property
    def exports(self) -> list[Export]:
        return [export for each in self.items for export in each.exports]


SCHEMA = Schema()
