"""What an auditor is shown of an item: what its type declares as visible, and nothing else.

Undeclared types are hidden completely, and so is every attribute that is not named: anything added to the store later
stays hidden until it is declared deliberately.

Until a secret election is closed, no ballot and no count beyond the turnout is shown; the key under which a ballot lay
stays hidden after the close too. Published ballots are shown.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.utils.translation import gettext_lazy as _

from elections.turnout.counts import NOTHING_ALLOWED, Allowed
from foundation.store import keys
from foundation.store.keys.declared import beginning, fits
from foundation.store.schema import SCHEMA, WITHHELD, ItemType
from foundation.store.table import Item, Key, Span


class Hidden:
    """Placeholder for a hidden value."""

    def __str__(self) -> str:
        return str(_("hidden"))


HIDDEN = Hidden()


def type_of(key: Key) -> ItemType | None:
    """The declared type of such an item, if any of it is visible."""
    found = SCHEMA.type_of(key)
    return found if found and found.shown else None


def may_open(span: Span) -> bool:
    """Whether anything in the partition may be shown: unknown partitions are not even read."""
    if span.index:
        lists = (each.pk for item_type in SCHEMA.items for each in item_type.lists)
        return beginning(span.pk) in map(beginning, lists) or ("@" in span.pk and "#" not in span.pk)
    if fits(OF_GAMES, span.pk) and "#" in span.pk.removeprefix(OF_GAMES):
        return False  # a session's participants and their answers, whose number would reveal something
    places = (each.place for each in SCHEMA.items if each.shown)
    return any(span.table == each.table and fits(each.pk, span.pk) for each in places)


# --- which part of a partition may be read ---

OF_ELECTIONS = beginning(keys.election("").pk)
OF_POLLS = beginning(keys.poll("").pk)
OF_GAMES = beginning(keys.game("").pk)
VOTES = keys.votes("")[0].prefix


def is_of_election(pk: str) -> bool:
    return fits(OF_ELECTIONS, pk)


def readable_parts(span: Span, may: Allowed) -> list[Span]:
    """The parts of a partition that may be read; none if all of it is hidden.

    Secret ballots and votes in polls are not read at all, so that a page's length cannot reveal them; nor can they be
    asked for by prefix.
    """
    unread = may.unread if is_of_election(span.pk) else (VOTES,) if fits(OF_POLLS, span.pk) else ()
    if span.index or not unread:
        return [span]
    if span.prefix:
        overlaps = any(span.prefix.startswith(each) or each.startswith(span.prefix) for each in unread)
        return [] if overlaps else [span]
    firsts = (None, *(each[:-1] + chr(ord(each[-1]) + 1) for each in sorted(unread)))  # the first keys after them
    lasts = (*(each.removesuffix("#") for each in sorted(unread)), None)
    return [replace(span, first=first, last=last) for first, last in zip(firsts, lasts, strict=True)]


# --- masking an item ---


def mask_item(table: str, item: Item, may: Allowed = NOTHING_ALLOWED) -> Item | None:
    """The item with hidden values masked, its attributes sorted by name; `None` if all of it is hidden."""
    item_type = type_of(Key(item["PK"], item["SK"], table))
    seen = item_type.rule(item, may) if item_type and item_type.rule else item
    if item_type is None or seen is None:
        return None
    is_event = keys.holds_events(item["PK"])
    deeper = SCHEMA.event_type(item.get("event_type", "")).visible if is_event else item_type.visible_inside
    return {
        name: _mask_nested(value, deeper) if name in item_type.visible and value is not WITHHELD else HIDDEN
        for name, value in sorted(seen.items())
    }


def _mask_nested(value: Any, names: frozenset[str]) -> Any:
    """Nested attributes have names of their own, which must be declared, too."""
    if isinstance(value, dict):
        return {name: _mask_nested(each, names) if name in names else HIDDEN for name, each in value.items()}
    return [_mask_nested(each, names) for each in value] if isinstance(value, list) else value
