"""Where events lie makes no difference to whoever reads them."""

from __future__ import annotations

from functools import partial
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import settings as tried
from hypothesis import strategies as st

from foundation.store import formats, keys, round_trips
from foundation.store.backup import backup, check, restore, transfer
from foundation.store.log import Event, EventLog, layout
from foundation.store.log.seal import Sealer, verify
from foundation.store.log.search import Query, search
from foundation.store.sqlite import SqliteTable
from foundation.store.table import LOG, BadCursor, Delete, Put, Table
from tests.at_once import at_once
from tests.aws.engine import ours

from .spread import Distant, place_of

WHEN = "2026-11-15T12:00:00.000Z"


@pytest.fixture(scope="module")
def distant():
    with ours() as engine:
        yield engine.fresh


@pytest.fixture
def embedded(tmp_path):
    made: list[Table] = []

    def make(kind: type[SqliteTable] = SqliteTable) -> Table:
        made.append(kind(f"{tmp_path}/{len(made)}.sqlite3"))
        made[-1].create()
        return made[-1]

    yield make
    for table in made:
        table.close()


def record(table: Table, count: int) -> Table:
    log = EventLog(table)
    for n in range(count):
        log.record(Event(f"p{n % 3}", "ThingMade", {"n": n}))
    return table


def lying(table: Table) -> set[str]:
    return {item["PK"] for name, item in table.everything() if name == LOG and keys.holds_events(item["PK"])}


# --- a new log ---


@pytest.mark.deep
def test_a_new_log_on_a_distant_store_is_spread_and_an_embedded_one_is_not(distant, embedded):
    for table, partitions in ((distant(), 16), (embedded(), 1)):
        assert at_once(*[partial(formats.prepare, table)] * 4) == [None] * 4
        assert table.log_partitions == partitions
        assert EventLog(table).record(Event("ada", "ThingMade")) == 1
        formats.prepare(table)
        assert lying(table) == ({"EVENTS#01"} if partitions > 1 else {"EVENTS"})


@pytest.mark.deep
def test_all_of_it_on_a_distant_store(distant, embedded):
    """Sealed, verified, looked through, copied and restored."""
    table = distant()
    formats.prepare(table)
    with round_trips.count_round_trips() as asked:
        record(table, 20)
    assert (asked.count, asked.in_a_row) == (40, 40)
    Sealer(table).seal()
    record(table, 3)
    verdict = verify(table)
    assert (verdict.sealed, verdict.unsealed, verdict.flaw, verdict.index_flaw) == (20, 3, None, None)
    assert [event["event_id"] for event in search(table, Query(), limit=4).events] == [23, 22, 21, 20]
    assert [event["event_id"] for event in search(table, Query(actor="P0"), limit=4).events] == [21, 19, 16, 13]
    assert len(lying(table)) == 16
    file = BytesIO()
    backup(table, file)
    copy = embedded()
    restore(copy, BytesIO(file.getvalue()), check(BytesIO(file.getvalue())))
    assert list(EventLog(copy).since(0)) == list(EventLog(table).since(0))
    assert lying(copy) == {"EVENTS"}
    assert verify(copy).hash == verdict.hash


# --- copies ---


@pytest.mark.parametrize(("source", "target"), [(SqliteTable, Distant), (Distant, SqliteTable), (Distant, Distant)])
def test_a_copy_lies_as_it_does_in_the_store_that_it_is_written_into(embedded, source, target):
    table = record(embedded(source), 9)
    Sealer(table).seal()
    file = BytesIO()
    backup(table, file)
    assert b"EVENTS#" not in file.getvalue()
    restored, transferred = embedded(target), embedded(target)
    restore(restored, BytesIO(file.getvalue()))
    transfer(table, transferred)
    for copy in (restored, transferred):
        assert all(pk.startswith("EVENTS#") for pk in lying(copy)) == (target is Distant)
        assert sorted(layout.everything(copy), key=place_in) == sorted(layout.everything(table), key=place_in)
        assert verify(copy).hash == verify(table).hash
        assert EventLog(copy).record(Event("ada", "ThingMade")) == 10


def place_in(entry: tuple[str, dict]) -> tuple[str, str, str]:
    return entry[0], entry[1]["PK"], entry[1]["SK"]


def test_events_come_out_in_order_after_all_else(embedded):
    entries = list(layout.everything(record(embedded(Distant), 9)))
    assert [item["event_id"] for _name, item in entries[-9:]] == list(range(1, 10))
    assert {item["PK"] for _name, item in entries[-9:]} == {"EVENTS"}


# --- reading ---


@pytest.mark.deep
@tried(max_examples=25, deadline=None)
@given(
    gone=st.sets(st.integers(1, 30)),
    first=st.integers(0, 32),
    size=st.integers(0, 40),
    limit=st.integers(1, 9),
    backwards=st.booleans(),
)
def test_whatever_is_asked_it_is_what_one_partition_would_answer(tmp_path_factory, gone, first, size, limit, backwards):
    table = Distant(str(tmp_path_factory.mktemp("log") / "plenum.sqlite3"))
    table.create()
    table.increment(keys.EVENT_NUMBER, "last", 30)
    for number in set(range(1, 31)) - gone:
        place = place_of(table, number, WHEN)
        table.write(Put({"PK": place.pk, "SK": place.sk, "event_id": number}, table=LOG))
    last = first + size if size else None
    within = [n for n in range(first, 31 if last is None else last + 1) if 1 <= n <= 30 and n not in gone]
    expected = within[::-1] if backwards else within
    assert [event["event_id"] for event in layout.each(table, first, last, backwards=backwards)] == expected
    seen, cursor = [], None
    while True:
        page = layout.page(table, first, last, limit=limit, cursor=cursor, backwards=backwards)
        seen.append([event["event_id"] for event in page.items])
        if (cursor := page.cursor) is None:
            break
    assert seen == [expected[at : at + limit] for at in range(0, len(expected), limit)] or [[]]
    found = layout.first_of_all(table, first, last)
    assert (found or {}).get("event_id") == (within[0] if within else None)
    table.close()


def test_a_cursor_is_the_same_wherever_events_lie(embedded):
    one, many = record(embedded(), 9), record(embedded(Distant), 9)
    cursor = layout.page(many, limit=2, backwards=True).cursor
    for event in EventLog(many).since(0):  # the same moments
        place = keys.event(event["event_id"], event["when_occurred"])
        one.write(Delete(keys.event(event["event_id"], EventLog(one).find(event["event_id"])["when_occurred"])))
        one.write(Put({**event, "PK": place.pk}, table=LOG))
    pages = [layout.page(table, limit=2, cursor=cursor, backwards=True) for table in (one, many)]
    assert pages[0] == pages[1]
    with pytest.raises(BadCursor):
        layout.page(many, 8, limit=2, cursor=cursor.swapcase())


def test_a_page_asks_each_partition_once(embedded):
    table = record(embedded(Distant), 40)
    with round_trips.count_round_trips() as asked:
        assert len(layout.page(table, limit=10, backwards=True).items) == 10
    assert asked.count == 1 + 11, "the last number there is, and each partition in which one of eleven can lie"
    with round_trips.count_round_trips() as asked:
        layout.first_of_all(table, 7, 7)
    assert asked.count == 1


def test_an_event_that_lies_where_it_does_not_belong_is_missing(embedded):
    table = record(embedded(Distant), 9)
    Sealer(table).seal()
    event = EventLog(table).find(5)
    table.write(Put({**event, "PK": "EVENTS#02"}, table=LOG), Delete(place_of(table, 5, event["when_occurred"])))
    assert verify(table).flaw == "Event 5 is missing."
