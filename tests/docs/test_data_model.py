"""The page about the data model against a store: each example has the key, type and attributes of items of its type."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from foundation.acts.storage import use_table
from foundation.store import keys
from foundation.store.connect import connect
from foundation.store.schema import SCHEMA
from foundation.store.table import DATA, LOG, Item, Key, Numbered, Put, Table, Write, opened
from parts.live.screens import snapshots
from parts.live.screens.presence import Presence
from tests.live.conftest import made as game_made  # noqa: F401 - a fixture
from tests.stories.live import tell_of_live_sessions
from tests.test_completeness import not_as_its_pattern
from tests.upkeep.test_commands import run

PAGE = (Path(__file__).parents[2] / "docs/explanation/data-model.md").read_text()
EXAMPLES = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]
TABLES = PAGE.partition("## Entities")[2].partition("\n## ")[0]


def label_of(item: Item) -> str:
    kind = SCHEMA.type_of(Key(item["PK"], item["SK"], LOG if "event_type" in item else DATA))
    return kind.label if kind else ""


class Remembering:
    """A table that remembers, by its type, every item as it was after a write."""

    def __init__(self, table: Table):
        self._table = table
        self.items: dict[str, list[Item]] = defaultdict(list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def write(self, *writes: Write | Numbered, token: str | None = None) -> None:
        self._table.write(*writes, token=token)
        self._remember(part.key for part in opened(writes))

    def put_all(self, items: Sequence[Item]) -> None:
        self._table.put_all(items)
        self._remember(Put(item).key for item in items)

    def _remember(self, changed: Iterable[Key]) -> None:
        for item in self._table.get_many(changed).values():
            self.items[label_of(item)].append(item)


@pytest.fixture
def stored(site, person, game_made, tmp_path, settings) -> dict[str, list[Item]]:  # noqa: F811
    """Items by type: of the demo, and of live sessions in which everything happens."""
    table = Remembering(site)
    with use_table(table):  # type: ignore[arg-type]
        tell_of_live_sessions(person, game_made)
        Presence().host_looks(snapshots.current(game_made().id))
    settings.STORE_URL = f"sqlite://{tmp_path}/demo.sqlite3"
    demo = connect(settings.STORE_URL)
    demo.create()
    run("demo")
    run("seal")
    for name, item in demo.everything():
        if name == DATA or keys.holds_events(item["PK"]):
            table.items[label_of(item)].append(item)
    demo.close()
    return table.items


def test_every_entity_has_an_example_of_its_type():
    told = set(re.findall(r"^\| [^|]+ \| `([A-Z_]+)` \|", TABLES, re.MULTILINE))
    assert told - {each.get("entity_type") for each in EXAMPLES} == set()


def test_examples_are_as_items_are_stored(stored):
    for example in EXAMPLES:
        label = label_of(example)
        items = stored[label]
        assert items, f"nothing is stored that is like {label}"
        always = set.intersection(*(set(item) for item in items))
        sometimes = set.union(*(set(item) for item in items))
        assert (label, always - set(example), set(example) - sometimes) == (label, set(), set())
        assert example.get("entity_type") in {item.get("entity_type") for item in items}, label
    data = (item for items in stored.values() for item in items if "event_type" not in item)
    assert [each for item in data for each in not_as_its_pattern(Key(item["PK"], item["SK"]), item)] == []
