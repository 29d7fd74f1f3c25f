"""The embedded store leaves nothing behind of what it was asked to forget, not even the order in which things came."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from store.sqlite import SqliteTable
from store.table import Delete, Key, Put, Span


@pytest.fixture
def file(tmp_path) -> SqliteTable:
    table = SqliteTable(str(tmp_path / "store.sqlite3"))
    table.create()
    return table


def bytes_of(table: SqliteTable) -> bytes:
    """Everything that lies in the store's folder."""
    return b"".join(path.read_bytes() for path in sorted(Path(table.path).parent.iterdir()))


def test_what_was_deleted_or_replaced_is_in_no_file(file):
    file.write(Put({"PK": "a", "SK": "1", "text": "deleted secret"}), Put({"PK": "a", "SK": "2", "text": "old secret"}))
    file.write(Delete(Key("a", "1")), Put({"PK": "a", "SK": "2", "text": "new words"}))
    assert b"deleted secret" in bytes_of(file)
    file.forget_deleted()
    assert b"secret" not in bytes_of(file)
    assert b"new words" in bytes_of(file)


def test_rows_lie_in_the_order_of_their_keys_not_in_that_of_their_arrival(file):
    names = [f"{number:04d}" for number in range(500)]
    random.Random(1).shuffle(names)
    for name in names:
        file.write(Put({"PK": "a", "SK": name, "text": f"row {name}."}))
    file.forget_deleted()
    raw = bytes_of(file)
    places = [raw.rindex(f"row {name}.".encode()) for name in sorted(names)]
    pages = [place // 8192 for place in places]
    within = [place for place, page in zip(places, pages, strict=True) if page == pages[100]]
    assert within in (sorted(within), sorted(within, reverse=True))
    assert file.count(Span("a")) == 500


def test_others_may_read_and_write_meanwhile(file):
    def act(number: int) -> None:
        file.write(Put({"PK": "a", "SK": str(number)}))
        assert file.get(Key("a", str(number)))

    with ThreadPoolExecutor(4) as pool:
        acts = [pool.submit(act, number) for number in range(200)]
        for _ in range(5):
            file.forget_deleted()
        for each in acts:
            each.result()
    assert file.count(Span("a")) == 200
