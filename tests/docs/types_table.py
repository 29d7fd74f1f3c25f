"""The tables of docs/reference/types.md, from what is declared: written by `make reference`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import django

from foundation.store.keys.declared import sort_keys_of
from foundation.store.schema import SCHEMA, EventType, ItemType, parsed
from foundation.store.table import LOG

DOCUMENT = Path(__file__).parents[2] / "docs" / "reference" / "types.md"
BEGIN, END = "<!-- generated: make reference -->\n", "<!-- end of generated -->\n"


def written(text: str, rows: str) -> str:
    """The document with these rows in place of those that are there."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}{rows}{END}{rest.partition(END)[2]}"


def in_document(text: str) -> str:
    return text.partition(BEGIN)[2].partition(END)[0]


def tables() -> str:
    return "\n".join(_lines()).lstrip() + "\n"


def _lines() -> Iterator[str]:
    yield from _head(
        "Items", "item", "what it is", "`entity_type`", "table", "key", "index", "shown to auditors", "hidden"
    )
    yield from map(item_row, SCHEMA.items)
    yield from _head("Events", "event", "shown to auditors", "hidden", "names people")
    yield from (event_row(SCHEMA.events[name]) for name in sorted(SCHEMA.events))
    yield from _head("What replay compares", "item", "fields")
    yield from (f"| {each.label} | {_words(each.replayed)} |" for each in SCHEMA.items if each.replayed)


def _head(title: str, *columns: str) -> list[str]:
    return ["", f"## {title}", "", f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]


def item_row(item_type: ItemType) -> str:
    pattern = item_type.pattern
    table = "log" if pattern.table == LOG else "data"
    found = dict.fromkeys(filter(None, map(sort_keys_of, (*item_type.lists, *item_type.closed_lists))))
    lists = ", ".join(f"`{pk}` / `{sk}`" for pk, sk in found)
    shown, hidden = _words(item_type.shown), _words(item_type.hidden)
    place = f"{pattern.entity_type} | {table} | `{pattern.pk}` / `{pattern.sk}`"
    return f"| {item_type.label} | {pattern.about} | {place} | {lists} | {shown} | {hidden} |"


def event_row(event_type: EventType) -> str:
    shown, hidden = _words(event_type.shown), _words(event_type.hidden)
    return f"| {event_type.name} | {shown} | {hidden} | {', '.join(event_type.naming)} |"


def _words(declared: str) -> str:
    """A field that is declared twice has the kind that was said last."""
    return " ".join(name if kind == "text" else f"{name}:{kind}" for name, kind in parsed(declared).items())


def main() -> None:
    from tests import environment  # noqa: F401 - first: where all this happens is not the site in use

    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    DOCUMENT.write_text(written(DOCUMENT.read_text(), tables()))


if __name__ == "__main__":
    main()
