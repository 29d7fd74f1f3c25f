"""The index of the log: whatever is asked, it finds just what reading the whole log would find."""

from __future__ import annotations

import threading
from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foundation.store import keys, round_trips
from foundation.store.log import Event, EventLog, layout, seal
from foundation.store.log import search as log_search
from foundation.store.log.seal import Sealer, verify
from foundation.store.log.search import Query, as_of, extend_index, flaw_in, rebuild, search
from foundation.store.sqlite import SqliteTable
from foundation.store.table import LOG, Delete, Put, Update

from .spread import LAYOUTS, place_of, place_of_event

START = datetime(2026, 11, 15, 12, tzinfo=UTC)
ACTORS = ("Ada", "Bo", "a#b%")
ELECTIONS = ("Board", "BOARD", "Door", "ﬁne")
HOOKS = (
    ("ElectionUpdated", lambda name: {"election_name": name}),
    ("BallotCast", lambda name: {"election_name": name, "voter_name": "x"}),
    ("ElectionRenamed", lambda name: {"election_name": name, "new_name": "Door"}),
    ("UserRegistered", lambda name: {"name": name}),
)


class Clock:
    """Goes on a second whenever it is looked at."""

    def __init__(self):
        self.now = START

    def __call__(self):
        self.now += timedelta(seconds=1)
        return self.now


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of four numbers, so that a short log has many."""
    for module in (log_search, seal):
        monkeypatch.setattr(module, "BLOCK_EVENTS", 4)


@pytest.fixture(params=LAYOUTS)
def table(tmp_path, request):
    table = request.param(f"{tmp_path}/plenum.sqlite3")
    table.create()
    return table


def record(table, steps, clock=None):
    """Acts as numbers say them; every fifth number is left void."""
    log = EventLog(table, clock or Clock())
    for actor, election, act in steps:
        event_type, said = HOOKS[act]
        log.record(Event(ACTORS[actor], event_type, said(ELECTIONS[election])))
        if (actor, act) == (0, 0):
            log.void(table.increment(keys.EVENT_NUMBER, "last"))


def everything(table, wanted, limit=3, before=None):
    """All that is found, page by page."""
    numbers = []
    for _ in range(200):
        found = search(table, wanted, limit=limit, before=before)
        assert len(found.events) <= limit
        numbers += [event["event_id"] for event in found.events]
        if (before := found.before) is None:
            return numbers
    raise AssertionError("the pages do not end")


def plainly(table, wanted):
    """The same by reading the whole log."""
    return [event["event_id"] for event in EventLog(table).since(0) if wanted.fits(event)][::-1]


STEPS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 3)), max_size=40)
ASKED = st.builds(
    Query,
    actor=st.sampled_from(("", "ADA", "a#b%", "nobody")),
    event_type=st.sampled_from(("", "BallotCast", "ElectionRenamed")),
    election=st.sampled_from(("", "board", "Door", "fine")),
    ballots=st.booleans(),
    since=st.sampled_from(("", "2026-11-15T12:00:08.000Z", "2026-11-15T12:00:30.000Z")),
    until=st.sampled_from(("", "2026-11-15T12:00:20.000Z", "2026-11-15T12:00:39.500Z")),
)


@pytest.mark.deep
@settings(max_examples=40, deadline=None)
@given(steps=STEPS, more=STEPS, wanted=ASKED, batch=st.integers(1, 6), limit=st.integers(1, 5))
def test_a_search_finds_what_reading_the_whole_log_finds(tmp_path_factory, steps, more, wanted, batch, limit):
    with pytest.MonkeyPatch.context() as patched:
        for module in (log_search, seal):
            patched.setattr(module, "BLOCK_EVENTS", 4)
        patched.setattr(seal, "EVENTS_PER_CHECKPOINT", batch)
        table = SqliteTable(str(tmp_path_factory.mktemp("log") / "plenum.sqlite3"))
        table.create()
        record(table, steps)
        Sealer(table).seal()
        assert everything(table, wanted, limit) == plainly(table, wanted)
        record(table, more)
        assert everything(table, wanted, limit) == plainly(table, wanted)
        Sealer(table).seal()
        assert everything(table, wanted, limit) == plainly(table, wanted)
        assert verify(table).index_flaw is None
        table.close()


def test_voters_acts_are_apart_from_organisers_acts(table):
    record(table, [(0, 0, 0), (1, 0, 1), (1, 0, 1), (0, 0, 0)])
    Sealer(table).seal()
    assert everything(table, Query(election="Board")) == [5, 4, 3, 1]
    assert everything(table, Query(election="Board", ballots=False)) == [5, 1]


def test_a_rename_is_found_under_both_names(table):
    record(table, [(1, 0, 2)])
    Sealer(table).seal()
    assert everything(table, Query(election="Board")) == everything(table, Query(election="Door")) == [1]


def test_a_spelling_of_a_name_that_was_changed_is_listed_once(table):
    EventLog(table).record(Event("Ada", "ElectionRenamed", {"election_name": "Board", "new_name": "BOARD"}))
    Sealer(table).seal()
    assert everything(table, Query(election="board")) == [1]
    assert verify(table).index_flaw is None


@pytest.mark.parametrize("asked", [{}, {"actor": "Bo"}])
def test_a_search_by_time_takes_both_ends(table, small_blocks, asked):
    record(table, [(1, 0, 0)] * 20)
    Sealer(table).seal()
    record(table, [(1, 0, 0)] * 3, lambda: START + timedelta(seconds=21))
    since, until = (f"2026-11-15T12:00:{second:02d}.000Z" for second in (5, 9))
    assert everything(table, Query(since=since, until=until, **asked)) == [9, 8, 7, 6, 5]
    assert everything(table, Query(since="2026-11-15T12:00:20.000Z", **asked)) == [23, 22, 21, 20]
    assert everything(table, Query(until="2026-11-15T12:00:02.000Z", **asked)) == [2, 1]


@pytest.mark.parametrize(("since", "until", "expected"), [("12:08:00", "12:08:40", [2]), ("12:01:30", "12:05:00", [6])])
def test_times_that_go_back_a_little_hide_nothing(table, small_blocks, monkeypatch, since, until, expected):
    """As they do where several machines record and their clocks differ."""
    monkeypatch.setattr(log_search, "BATCH_BLOCKS", 1)
    for seconds in (50, 500, 60, 70, 400, 100, 450, 460):
        EventLog(table, lambda seconds=seconds: START + timedelta(seconds=seconds)).record(Event("Bo", "ThingMade"))
    Sealer(table).seal()
    for names in ({}, {"actor": "Bo"}):
        wanted = Query(since=f"2026-11-15T{since}.000Z", until=f"2026-11-15T{until}.000Z", **names)
        assert everything(table, wanted, limit=1) == plainly(table, wanted) == expected


@pytest.mark.few(1)
def test_a_search_by_time_reads_little_of_a_long_log(table, small_blocks, monkeypatch):
    clock = Clock()
    record(table, [(1, 0, 0)] * 150, lambda: clock() + (clock.now - START) * 600)  # ten minutes from one to the next
    Sealer(table).seal()
    when = EventLog(table).find(100)["when_occurred"]
    read = Counter()
    for name, size in (("page", lambda found: len(found.items)), ("get_many", len)):
        true = getattr(table, name)

        def counting(*words, name=name, size=size, true=true, **options):
            found = true(*words, **options)
            read[name] += size(found)
            return found

        monkeypatch.setattr(table, name, counting)
    assert [event["event_id"] for event in search(table, Query(since=when, until=when)).events] == [100]
    assert read.total() < 30 * (1 if table.log_partitions == 1 else 2)


@pytest.mark.few(1)
def test_a_look_is_bounded_and_the_next_goes_on(table, small_blocks, monkeypatch):
    monkeypatch.setattr(log_search, "MAX_BATCHES_PER_LOOK", 3)
    record(table, [(1, 0, 0), *[(2, 1, 0)] * 200])
    Sealer(table).seal()
    wanted = Query(actor="a#b%", event_type="BallotCast")
    first = search(table, wanted)
    assert first.events == []
    assert first.before == 201 - 29 * 4, "three looks at ten blocks each"
    assert everything(table, wanted) == []


def test_what_is_not_sealed_is_looked_through_in_bounds_too(table, monkeypatch):
    monkeypatch.setattr(log_search, "BATCH_UNSEALED_EVENTS", 2)
    record(table, [(1, 0, 0), *[(2, 1, 0)] * 50])
    found = search(table, Query(actor="Bo"), limit=2)
    assert (found.events, found.before) == ([], 52 - 2 * log_search.MAX_BATCHES_PER_LOOK)
    assert everything(table, Query(actor="Bo"), limit=2) == [1]


@pytest.mark.parametrize("unsealed", [0, 30])
def test_a_page_of_a_filtered_log_waits_for_three_round_trips_in_a_row(table, unsealed):
    """How far the log is sealed, and the first of its index; what that says, and what is not sealed; the events."""
    record(table, [(1 + n % 2, 0, 0) for n in range(120)])
    Sealer(table).seal()
    record(table, [(1, 0, 0)] * unsealed)
    with round_trips.count_round_trips() as asked:
        assert len(search(table, Query(election="Board", event_type="ElectionUpdated"), limit=50).events) == 50
    assert asked.in_a_row <= 3


@pytest.mark.deep
@pytest.mark.parametrize("before", [1, 2, 10**12])
def test_any_number_may_be_asked_for(table, before):
    record(table, [(1, 0, 0)])
    Sealer(table).seal()
    for wanted in (Query(), Query(actor="Bo")):
        assert len(search(table, wanted, before=before).events) == (before > 1)


# --- sealers at once, and killed ones ---


def test_a_sealer_that_was_killed_before_its_checkpoint_does_no_harm(table, monkeypatch, log_entries):
    record(table, [(1, 0, 0)] * 5)
    sealer = Sealer(table)

    def killed(*arguments):
        assert flaw_in(table, log_entries(table, 1, 5)) is None, "the index is there before the checkpoint"
        raise KeyboardInterrupt

    monkeypatch.setattr(sealer, "_store", killed)
    with pytest.raises(KeyboardInterrupt):
        sealer.seal()
    record(table, [(1, 0, 1), (2, 1, 0)] * 2)
    Sealer(table).seal()
    assert verify(table).index_flaw is None
    assert everything(table, Query(actor="Bo")) == plainly(table, Query(actor="Bo"))


def test_a_slow_sealer_that_has_read_less_takes_nothing_away(table, log_entries):
    record(table, [(1, 0, 0)] * 6)
    slow = log_entries(table, 1, 3)
    Sealer(table).seal()
    extend_index(table, 0, slow)
    assert verify(table).index_flaw is None
    assert everything(table, Query(actor="Bo")) == [6, 5, 4, 3, 2, 1]


def test_a_sealer_that_had_read_further_and_was_killed_leaves_nothing_twice(table, log_entries, monkeypatch):
    record(table, [(1, 0, 0)] * 6)
    extend_index(table, 0, log_entries(table, 1, 6))
    monkeypatch.setattr(seal, "EVENTS_PER_CHECKPOINT", 4)
    sealer = Sealer(table)
    sealer._next_batch(None)
    assert verify(table).index_flaw is None
    assert everything(table, Query(actor="Bo")) == [6, 5, 4, 3, 2, 1]
    sealer.seal()
    assert verify(table).index_flaw is None
    assert everything(table, Query(actor="Bo")) == [6, 5, 4, 3, 2, 1]


@pytest.fixture
def log_entries():
    def entries(table, first, last):
        there = {event["event_id"]: event for event in layout.each(table, first, last)}
        return [(number, there.get(number)) for number in range(first, last + 1)]

    return entries


@pytest.mark.deep
def test_several_sealers_at_once_make_one_index(table, small_blocks):
    record(table, [(n % 3, n % 4, n % 4) for n in range(60)])
    sealers = [threading.Thread(target=Sealer(table).seal) for _ in range(3)]
    for each in sealers:
        each.start()
    record(table, [(n % 3, n % 4, n % 4) for n in range(60)])
    for each in sealers:
        each.join()
    Sealer(table).seal()
    verdict = verify(table)
    assert (verdict.flaw, verdict.index_flaw) == (None, None)


@pytest.mark.few(1)
def test_a_batch_of_a_thousand_people_fits_the_limits_of_a_write(table):
    log = EventLog(table)
    writes = []
    for number in range(1, 1001):
        place = place_of(table, number, "2026-11-15T12:00:00.000Z")
        said = {"event_id": number, "when_occurred": "2026-11-15T12:00:00.000Z", "event_data": {}}
        writes.append(
            Put({"PK": place.pk, "SK": place.sk, "actor": f"p{number}", "event_type": "T", **said}, table=LOG)
        )
    for start in range(0, 1000, 100):
        table.write(*writes[start : start + 100])
    table.increment(keys.EVENT_NUMBER, "last", 1000)
    assert Sealer(table).seal() == 1000
    assert verify(table).index_flaw is None
    assert [event["actor"] for event in search(table, Query(actor="P777")).events] == ["p777"]
    assert log.newest_checkpoint()["event_id"] == 1000


# --- what is wrong with it is named, and it can be made again ---

AGAIN = " “plenum seal --reindex” makes the index again from the log."


@pytest.fixture
def indexed(table, small_blocks):
    record(table, [(1, 0, 1), (2, 2, 0)] * 5)
    Sealer(table).seal()
    return table


@pytest.mark.parametrize(
    ("kind", "name", "numbers", "sentence"),
    [
        ("actor", "Bo", [5], "Event 7 is missing from the index by actor."),
        ("actor", "Bo", [5, 6, 7], "The index by actor names event 6, which does not belong there."),
        ("type", "BallotCast", [], "Event 5 is missing from the index by type."),
        ("election", "Door", [8], "Event 6 is missing from the index by election."),
        ("ballots", "Board", [7], "Event 5 is missing from the index by ballots."),
    ],
)
def test_an_edited_item_is_named_and_mended(indexed, kind, name, numbers, sentence):
    indexed.write(Update(keys.log_index(kind, name, 5), set={"numbers": numbers}))
    verdict = verify(indexed)
    assert (verdict.flaw, verdict.index_flaw) == (None, sentence + AGAIN)
    assert list(rebuild(indexed, 10)) == [4, 8, 10]
    assert verify(indexed).index_flaw is None


def test_a_moment_that_was_changed_is_named(indexed):
    moments = indexed.get(keys.moments(1))["moments"]
    indexed.write(Update(keys.moments(1), set={"moments": moments[:-1] + b"\7"}))
    assert verify(indexed).index_flaw == f"The index has another time for event 4.{AGAIN}"


def test_an_item_that_was_deleted_is_named(indexed):
    indexed.write(Delete(keys.log_index("actor", "Bo", 9)))
    assert verify(indexed).index_flaw == f"Event 9 is missing from the index by actor.{AGAIN}"


def test_a_log_sealed_before_there_was_an_index_gets_one(table, monkeypatch, small_blocks):
    monkeypatch.setattr(seal, "extend_index", lambda *arguments: None)
    record(table, [(1, 0, 1)] * 6)
    Sealer(table).seal()
    monkeypatch.undo()
    for module in (log_search, seal):
        monkeypatch.setattr(module, "BLOCK_EVENTS", 4)
    record(table, [(1, 0, 1)])
    Sealer(table).seal()
    assert verify(table).index_flaw == f"Event 1 is missing from the index by actor.{AGAIN}"
    list(rebuild(table, 7))
    assert verify(table).index_flaw is None
    assert everything(table, Query(actor="Bo")) == [7, 6, 5, 4, 3, 2, 1]


def test_a_flaw_of_the_index_hides_none_of_the_log(indexed):
    indexed.write(Update(keys.log_index("actor", "Bo", 1), set={"numbers": []}))
    event = EventLog(indexed).find(9)
    indexed.write(Update(place_of_event(indexed, event), set={"actor": "mallory"}))
    verdict = verify(indexed)
    assert verdict.flaw == "Event 9 is not what was sealed."
    assert verdict.index_flaw == f"Event 1 is missing from the index by actor.{AGAIN}"


def test_an_index_ahead_of_the_checkpoint_is_no_flaw(table, log_entries):
    record(table, [(1, 0, 0)] * 4)
    extend_index(table, 0, log_entries(table, 1, 4))
    assert flaw_in(table, log_entries(table, 1, 2)) is None


def test_entries_that_do_not_belong_mislead_nobody(indexed):
    for name in ("Bo", "nobody"):
        place = keys.log_index("actor", name, 5)
        indexed.write(Update(place, set={"upto": 8, "numbers": [2, 5, 6, 7, 8, 99_999]}))
    assert everything(indexed, Query(actor="Bo")) == plainly(indexed, Query(actor="Bo"))
    assert everything(indexed, Query(actor="nobody")) == []


# --- as a backup takes it ---


@pytest.mark.few(3)
@pytest.mark.parametrize("sealed", [0, 3, 4, 7, 10])
def test_a_backup_begun_earlier_takes_the_index_as_it_was_then(indexed, tmp_path, sealed):
    copy = SqliteTable(f"{tmp_path}/copy.sqlite3")
    copy.create()
    items = [item for name, item in layout.everything(indexed) if name == LOG]
    left = [as_of(item, sealed) for item in items if "upto" in item]
    events = [item for item in items if item["PK"] == "EVENTS" and item["event_id"] <= sealed]
    for item in [each for each in left if each] + events:
        copy.write(Put(item, table=LOG))
    copy.write(Update(keys.EVENT_NUMBER, set={"last": sealed}))
    record(copy, [(0, 3, 2), (1, 1, 1)] * 6)  # others than there were, under the same numbers
    assert Sealer(copy).seal() == sealed + 12
    assert verify(copy).index_flaw is None
    assert everything(copy, Query(actor="Bo")) == plainly(copy, Query(actor="Bo"))
