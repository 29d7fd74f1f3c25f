"""A log is moved to other partitions as a whole, wherever it is cut off, and nobody writes where nobody looks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from store import formats, keys
from store.log import Event, EventLog, layout, moving
from store.log.layout import HalfMoved
from store.log.moving import CannotMove, move
from store.log.seal import Sealer, verify
from store.sqlite import SqliteTable
from store.table import LOG, Put, Table
from tests.test_interruptions import Interrupted, Killed

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def few_at_once(monkeypatch):
    monkeypatch.setattr(moving, "A_HANDFUL", 4)


@pytest.fixture
def opened(tmp_path):
    """Further processes on the same store."""
    made: list[Table] = []

    def open_() -> Table:
        made.append(SqliteTable(f"{tmp_path}/plenum.sqlite3"))
        made[0].create()
        return made[-1]

    yield open_
    for table in made:
        table.close()


def filled(table: Table) -> Table:
    """Sealed up to a void number, then some more, with a gap that nobody has settled."""
    log = EventLog(table, lambda: NOW)
    for n in range(7):
        log.record(Event("ada", "ThingMade", {"n": n}))
    log.void(table.increment(keys.event_number(), "last"))
    log.record(Event("ada", "ThingMade"))
    Sealer(table).seal()
    table.increment(keys.event_number(), "last")  # taken by somebody who then died
    for n in range(4):
        log.record(Event("bo", "ThingMade", {"n": n}))
    return table


def places(table: Table) -> set[str]:
    return {item["PK"] for name, item in table.everything() if name == LOG and keys.holds_events(item["PK"])}


def told(table: Table) -> tuple[list[dict], str]:
    return list(EventLog(table).since(0)), verify(table).hash


@pytest.mark.parametrize(("first", "then"), [(1, 4), (4, 1), (2, 6), (6, 4), (3, 3)])
def test_the_log_is_the_same_wherever_it_lies(opened, first, then):
    table = filled(opened())
    before = told(table)
    move(table, first)
    move(table, then)
    assert places(table) <= {f"EVENTS#{n:02d}" for n in range(then)} if then > 1 else places(table) == {"EVENTS"}
    assert told(table) == before
    assert moving.header(table) == layout.Header(then if then > 1 else None, 14)
    assert EventLog(table).record(Event("ada", "ThingMade")) == 15
    Sealer(table).seal()
    assert (verify(table).sealed, verify(table).flaw) == (15, None)


@pytest.mark.parametrize("how", ["killed", "unanswered"])
@pytest.mark.parametrize(("first", "then"), [(1, 4), (4, 2)])
def test_cut_off_at_any_write_it_is_refused_or_whole_and_goes_on(opened, tmp_path, monkeypatch, first, then, how):
    monkeypatch.setattr(SqliteTable, "at_once", Table.at_once)
    whole = filled(opened())
    move(whole, first)
    before, kept = told(whole), list(whole.everything())
    for at in range(1, 30):
        table = SqliteTable(f"{tmp_path}/{at}.sqlite3")
        table.create()
        table.load(kept)
        interrupted = Interrupted(table, at, how)
        try:
            move(interrupted, then)
        except (Killed, formats.StoreError):
            if moving.header(table).moving is None:
                assert told(table) == before
            else:
                refused(table)
            assert len({event["event_id"] for event in somewhere(table)}) == len(before[0])
            move(table, then)
        assert told(table) == before
        assert places(table) <= {f"EVENTS#{n:02d}" for n in range(then)}
        table.close()
        if interrupted.writes < at:
            return
    raise AssertionError("the move does not end")


def somewhere(table: Table) -> list[dict]:
    return [item for name, item in table.everything() if name == LOG and keys.holds_events(item["PK"])]


def refused(table: Table) -> None:
    """Nobody reads half a log, nobody adds to it, and no site starts on it."""
    for act in (verify, Sealer.seal, lambda table: EventLog(table).record(Event("ada", "ThingMade"))):
        with pytest.raises(HalfMoved, match="spread_log"):
            act(Sealer(table) if act is Sealer.seal else table)
    assert formats.refusal(table) == layout.HALF_MOVED
    watch = formats.Watch(table, every=0)
    assert not watch()
    assert watch.refused == layout.HALF_MOVED


def test_a_move_that_has_begun_is_finished_before_another(opened):
    table = filled(opened())
    with pytest.raises(Killed):
        move(Interrupted(table, 3, "killed"), 4)
    with pytest.raises(CannotMove, match="being moved to 4 partitions already"):
        move(table, 16)
    move(table, 4)
    move(table, 16)
    assert layout.partitions_of(table) == 16


def test_of_two_that_move_at_once_one_is_refused(opened):
    one, other = filled(opened()), opened()
    before = told(one)

    def overtaken(done: int) -> None:
        move(other, 4)

    with pytest.raises(CannotMove, match="Somebody else"):
        move(one, 4, copying=overtaken)
    assert told(one) == before


@pytest.mark.parametrize("many", [0, -1, 65])
def test_partitions_are_bounded(opened, many):
    with pytest.raises(CannotMove):
        move(opened(), many)


def test_nothing_is_moved_while_a_backup_is_restored(opened):
    table = filled(opened())
    place = keys.restoring()
    table.write(Put({"PK": place.pk, "SK": place.sk, "sha256": None, "items": 0}))
    with pytest.raises(CannotMove, match="restored"):
        move(table, 4)


# --- others meanwhile ---


def test_a_process_that_believes_the_old_layout_writes_where_the_log_looks(opened):
    slow, mover = filled(opened()), opened()
    assert layout.partitions_of(slow) == 1
    move(mover, 4)
    assert EventLog(slow).record(Event("slow", "ThingMade")) == 15
    assert EventLog(mover).find(15)["actor"] == "slow"
    assert "EVENTS" not in places(mover)


def test_who_took_a_number_before_the_move_records_under_a_new_one_after_it(opened):
    slow, mover = filled(opened()), opened()
    slow.is_distant = True  # or nobody takes one beforehand

    def moved(number: int):
        if number == 15:
            move(mover, 4)
        return ()

    assert EventLog(slow).record(Event("slow", "ThingMade"), noting=moved) == 16
    assert EventLog(mover).is_void(15)
    assert [event["event_id"] for event in EventLog(mover).since(13)] == [14, 16]
    assert "EVENTS" not in places(mover)


def test_who_took_a_number_before_the_move_is_refused_while_it_lasts(opened):
    slow, mover = filled(opened()), opened()
    slow.is_distant = True

    def cut_off(number: int):
        with pytest.raises(Killed):
            move(Interrupted(mover, 6, "killed"), 4)
        return ()

    with pytest.raises(HalfMoved):
        EventLog(slow).record(Event("slow", "ThingMade"), noting=cut_off)
    move(mover, 4)
    assert "slow" not in {event["actor"] for event in EventLog(mover).since(0)}


def test_who_is_numbered_at_once_is_refused_while_the_move_lasts_and_lies_right_after_it(opened):
    slow, mover = filled(opened()), opened()
    assert layout.partitions_of(slow) == 1
    with pytest.raises(Killed):
        move(Interrupted(mover, 6, "killed"), 4)
    with pytest.raises(HalfMoved):
        EventLog(slow).record(Event("slow", "ThingMade"))
    move(mover, 4)
    assert EventLog(slow).record(Event("slow", "ThingMade")) == 15, "who was refused was given no number"
    assert "EVENTS" not in places(mover)


@pytest.mark.parametrize("killed_at", [0, 8])
def test_a_sealer_that_read_while_events_were_moved_seals_nothing_of_it(opened, killed_at):
    slow, mover = filled(opened()), opened()
    late = Sealer(slow, clock=lambda: NOW + timedelta(minutes=5))
    since = late.log.since

    def moved(number: int):
        events = list(since(number))[1:]  # as if some had been away already
        if killed_at:
            with pytest.raises(Killed):
                move(Interrupted(mover, killed_at, "killed"), 4)
        else:
            move(mover, 4)
        return iter(events)

    late.log.since = moved
    with pytest.raises(HalfMoved):
        late.seal()
    late.log.since = since
    move(mover, 4)
    assert late.seal() == 5
    assert verify(mover).flaw is None
    assert EventLog(mover).newest_checkpoint()["voids"] == [10]


def test_who_only_reads_hears_of_a_move_within_a_minute(opened, monkeypatch):
    reader, mover = filled(opened()), opened()
    before = told(reader)
    move(mover, 4)
    monkeypatch.setattr(layout, "BELIEVED", 0.0)
    assert told(reader) == before
