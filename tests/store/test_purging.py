"""The embedded store leaves nothing behind of what it was asked to forget, not even the order in which things came."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from foundation.store import purging
from foundation.store.sqlite import SqliteTable, writers
from foundation.store.table import Delete, Key, Put, Span, Unavailable


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
    file.purge_journal()
    assert b"secret" not in bytes_of(file)
    assert b"new words" in bytes_of(file)


@pytest.mark.deep
def test_rewriting_leaves_no_copy_of_rows_that_were_moved_between_pages(file):
    """Rows of random keys that come, change and go among others: pages are split, merged and freed."""
    chance = random.Random(1)
    names = [f"{chance.getrandbits(128):032x}" for _ in range(1000)]
    for name in names:
        file.write(Put({"PK": "a", "SK": name, "text": f"secret {name}"}), Put({"PK": "a", "SK": f"{name}-stays"}))
        file.write(Put({"PK": "a", "SK": chance.choice(names), "text": "secret " * chance.randrange(1, 80)}))
    for name in names:
        file.write(Delete(Key("a", name)))
    file.write(purging.purge_mark())
    assert purging.purge_journal(file) == 1
    assert purging.rewrite_file(file)
    assert b"secret" not in bytes_of(file)
    assert file.count(Span("a")) == 1000
    assert not purging.has_remnants(file)


def test_what_is_deleted_while_the_file_is_rewritten_keeps_the_mark(file, monkeypatch):
    file.write(purging.purge_mark())
    compact = SqliteTable.compact

    def meanwhile(self):
        self.write(purging.purge_mark())
        return compact(self)

    monkeypatch.setattr(SqliteTable, "compact", meanwhile)
    assert purging.rewrite_file(file)
    assert purging.has_remnants(file)


def test_a_long_read_keeps_the_journal_and_holds_up_nobody(file):
    """As a backup does: clearing up gives up at once and is tried again."""
    file.write(Put({"PK": "a", "SK": "1"}))
    reading = file.everything()
    next(reading)
    file.write(Put({"PK": "a", "SK": "2"}))
    with pytest.raises(Unavailable, match="reading for long"):
        file.purge_journal()
    file.write(Put({"PK": "a", "SK": "3"}))
    reading.close()
    file.purge_journal()
    assert file.count(Span("a")) == 3


def test_compacting_gives_unused_space_back(file):
    for number in range(300):
        file.write(Put({"PK": "a", "SK": str(number), "text": "x" * 1000}))
    for number in range(1, 300):
        file.write(Delete(Key("a", str(number))))
    size = Path(file.path).stat().st_size
    assert file.unused_share() > 0.5
    assert file.compact()
    assert file.unused_share() < 0.1
    assert Path(file.path).stat().st_size < size / 2


def test_compacting_that_would_keep_writers_waiting_is_given_up(file, monkeypatch):
    for number in range(300):
        file.write(Put({"PK": "a", "SK": str(number), "text": "x" * 1000}))
    monkeypatch.setattr(writers, "REWRITE_SECONDS", -1.0)
    monkeypatch.setattr(writers, "INSTRUCTIONS_BETWEEN_CHECKS", 1)
    assert not file.compact()
    file.write(Put({"PK": "a", "SK": "more"}))
    assert file.count(Span("a")) == 301


def test_rows_lie_in_the_order_of_their_keys_not_in_that_of_their_arrival(file):
    names = [f"{number:04d}" for number in range(500)]
    random.Random(1).shuffle(names)
    for name in names:
        file.write(Put({"PK": "a", "SK": name, "text": f"row {name}."}))
    file.compact()
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
            with suppress(Unavailable):  # somebody is reading just now
                file.purge_journal()
                file.compact()
        for each in acts:
            each.result()
    assert file.count(Span("a")) == 200
