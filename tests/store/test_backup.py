"""What a backup, a restore and a transfer promise: everything arrives as it was, or a sentence says why not."""

from __future__ import annotations

import gzip
import hashlib
import time
import tracemalloc
from io import BufferedReader, BytesIO
from itertools import chain, count, islice

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foundation.store import backup as backup_module
from foundation.store import keys, round_trips
from foundation.store.backup import (
    Damaged,
    NotEmpty,
    Reading,
    Unfinished,
    backup,
    check,
    decoded,
    encoded,
    restore,
    transfer,
    unzipped,
)
from foundation.store.log import Event, EventLog, layout
from foundation.store.log.seal import Sealer, verify
from foundation.store.sqlite import SqliteTable
from foundation.store.table import DATA, LOG, Key, Put, Table, Update

from .programs import exact

VALUES = [0, True, False, None, 1, -(2**62), "", "é", "🗳\n", b"", b"\x00\xff", [], [1, True, b"x"], {}]
VALUES += [{"bytes": "AAAA"}, {"map": {"bytes": b"y"}}, {"map": 1, "bytes": 2}, {"deep": [{"bytes": None}]}]


def everything(table) -> dict[Key, bytes]:
    """Every item with its types, events as they are known wherever they lie: True is not 1."""
    return {Key(item["PK"], item["SK"], name): line(item) for name, item in layout.everything(table)}


def line(item) -> bytes:
    return orjson.dumps(encoded(item), option=orjson.OPT_SORT_KEYS)


@pytest.fixture
def embedded(tmp_path, clock, monkeypatch):
    """Makes embedded stores, each empty, which take few items at once: here even a large restore is small."""
    monkeypatch.setattr(SqliteTable, "most_loaded", Table.most_loaded)
    made = []

    def make() -> SqliteTable:
        table = SqliteTable(str(tmp_path / f"store{len(made)}.sqlite3"), clock=clock)
        table.create()
        made.append(table)
        return table

    yield make
    for table in made:
        table.close()


def fill(table) -> None:
    """Values of every kind in both tables, more than one batch of them, and a log that is partly sealed."""
    for name in (DATA, LOG):
        table.write(*(Put({"PK": "P", "SK": f"{n:02d}", "value": v}, table=name) for n, v in enumerate(VALUES)))
    table.write(*(Put({"PK": f"Q{n}", "SK": "é#%", "GSI1PK": "shelf", "GSI1SK": f"{n}"}) for n in range(90)))
    for n in range(12):
        table.write(Put({"PK": "large", "SK": f"{n}", "text": "ö" * 50_000}))
    log = EventLog(table)
    for n in range(7):
        log.record(Event("ada", "ThingMade", {"number": n}), Put({"PK": "made", "SK": f"{n}"}))
    Sealer(table).seal()
    log.record(Event("ada", "ThingMade"))


@pytest.fixture
def full(embedded):
    table = embedded()
    fill(table)
    return table


@pytest.fixture
def file(full) -> bytes:
    return written(full)


def written(table) -> bytes:
    into = BytesIO()
    backup(table, into)
    return into.getvalue()


def restored(table, file: bytes) -> int:
    return restore(table, BytesIO(file), check(BytesIO(file)))


# --- the whole store, on every engine ---


def test_everything_is_all_data_and_then_all_of_the_log(table):
    assert list(table.everything()) == []
    for n in range(12):  # more than one page of each
        table.write(*(Put({"PK": f"P{n}", "SK": "a", "text": "x" * 100_000}, table=name) for name in (LOG, DATA)))
    found = [(name, item["PK"]) for name, item in table.everything()]
    assert [name for name, _ in found] == [DATA] * 12 + [LOG] * 12
    assert {pk for _, pk in found[:12]} == {pk for _, pk in found[12:]} == {f"P{n}" for n in range(12)}


def test_everything_leaves_out_what_has_expired(table, clock):
    for name, seconds in (("gone", 10), ("there", 11)):
        table.write(Put({"PK": name, "SK": "a", "ttl": int(clock.now) + seconds}))
    clock.now += 10
    assert [item["PK"] for _, item in table.everything()] == ["there"]


def test_a_backup_restored_anywhere_and_backed_up_again_is_the_same(table, embedded, full, file):
    restored(table, file)
    assert everything(table) == everything(full)
    back = embedded()
    restored(back, written(table))
    assert everything(back) == everything(full)


def test_a_transfer_there_and_back_is_the_same(table, embedded, full):
    assert transfer(full, table) == len(everything(full))
    back = embedded()
    transfer(table, back)
    assert everything(table) == everything(back) == everything(full)


@pytest.mark.deep
@pytest.mark.concurrent
def test_no_change_is_in_a_backup_without_its_event_though_others_write(table, embedded):
    """Somebody acts again and again, and the sealer seals; items are so large that both tables take several pages."""
    log, sealer = EventLog(table), Sealer(table)
    padding = {"padding": "x" * 90_000}

    numbers = count()

    def act() -> None:
        ballot = {"PK": f"BALLOT{next(numbers)}", "SK": "METADATA", **padding}
        log.record(Event("ada", "BallotCast", padding), Put(ballot))
        sealer.seal()

    for _ in range(14):
        act()
    copy = embedded()
    restored(copy, written_while(table, act))
    changes = sum(item["PK"].startswith("BALLOT") for _, item in copy.everything())
    assert changes >= 14
    assert copy.count(keys.events()) >= changes
    assert_goes_on(copy)


def written_while(table, act) -> bytes:
    """A backup during which somebody acts after every fourth line, in the data as well as in the log."""

    class Busy(BytesIO):
        lines = 0

        def write(self, text) -> int:
            self.lines += 1
            if self.lines % 4 == 0 and self.lines <= 60:
                act()
            return super().write(text)

    into = Busy()
    backup(table, into)
    return into.getvalue()


def assert_goes_on(copy) -> None:
    """The copy's log is whole, takes a new event under a new number, and can be sealed."""
    assert verify(copy).flaw is None
    assert copy.get(keys.SYNC)["last_event_id"] == EventLog(copy).newest_checkpoint()["event_id"]
    numbers = [event["event_id"] for event in EventLog(copy).since(0)]
    assert len(numbers) == len(set(numbers))
    assert EventLog(copy).record(Event("ada", "ThingMade")) > max(numbers)
    Sealer(copy).seal()
    assert verify(copy).flaw is None


def test_the_last_event_number_is_never_behind_the_events(embedded, full):
    """DynamoDB may read it first and newer events after it; here it looks as it would then."""
    full.write(Update(keys.EVENT_NUMBER, set={"last": 3}))
    copy = embedded()
    restored(copy, written(full))
    assert_goes_on(copy)


def test_items_are_loaded_into_both_tables_at_one_moment(table):
    old, new = ({"PK": "P", "SK": "a", "value": value} for value in ("old", b"\x00new"))
    table.load([(DATA, old), (LOG, old)])
    table.load([(DATA, new), (DATA, {**old, "SK": "b", "GSI1PK": "shelf", "GSI1SK": "1"})])
    there = [(DATA, new), (DATA, {**old, "SK": "b", "GSI1PK": "shelf", "GSI1SK": "1"}), (LOG, old)]
    assert sorted((name, exact(item)) for name, item in table.everything()) == sorted(
        (name, exact(item)) for name, item in there
    )


def test_of_what_cannot_be_loaded_nothing_is_there_and_writers_wait_for_the_disk_again(embedded):
    table = embedded()
    with pytest.raises(TypeError):
        table.load([(DATA, {"PK": "P", "SK": "a"}), (DATA, {"PK": "P", "SK": "b", "value": object()})])
    assert everything(table) == {}
    table.write(Put({"PK": "P", "SK": "a"}))
    assert table._writers.opened_writer().connection.execute("PRAGMA synchronous").fetchone() == (2,)


# --- the embedded store is copied as of one moment ---


class Nowhere:
    """A file that counts what it is given and keeps nothing."""

    size = 0

    def write(self, text) -> None:
        self.size += len(text)


def many(table, number: int):
    for start in range(0, number, 100):
        table.write(*(Put({"PK": f"P{n % 7}", "SK": f"{n}", "text": "x" * 200}) for n in range(start, start + 100)))
    return table


def peak(act) -> int:
    """How many bytes the act needs at most."""
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.deep
def test_a_backup_takes_as_little_memory_for_10_000_items_as_for_few(embedded):
    table, nowhere = many(embedded(), 10_000), Nowhere()
    assert peak(lambda: backup(table, nowhere)) < 200_000
    assert nowhere.size > 2_000_000


@pytest.mark.deep
def test_a_restore_takes_no_more_memory_than_a_few_batches(embedded):
    table, copy = many(embedded(), 8000), embedded()
    file = BytesIO(written(table))
    assert peak(lambda: restore(copy, file)) < 1_000_000 < len(file.getvalue()) / 2


# --- what is in the file ---


def test_the_first_line_says_what_it_is_and_the_last_that_it_is_whole(full, file):
    first, *items, last = file.splitlines(keepends=True)
    checkpoint = EventLog(full).newest_checkpoint()
    header = orjson.loads(first)
    assert header.pop("made_at").endswith("Z")
    assert header == {
        "plenum_backup": 1,
        "store_format": 1,
        "checkpoint": {"event_id": checkpoint["event_id"], "hash": checkpoint["hash"]},
        "tables": [DATA, LOG],
    }
    digest = hashlib.sha256(file.removesuffix(last)).hexdigest()
    assert orjson.loads(last) == {"items": len(items), "sha256": digest}


SALT = keys.game_salt("session", 1)


def test_salts_of_anonymous_rounds_are_left_out_of_every_copy(embedded):
    table, copy, file = embedded(), embedded(), BytesIO()
    table.write(Put({"PK": SALT.pk, "SK": SALT.sk, "salt": b"\x01"}), Put({"PK": "SALT", "SK": "METADATA"}))
    backup(table, file)
    assert b'"salt"' not in file.getvalue()
    assert transfer(table, copy) == check_items(file) == 1
    assert [item["PK"] for _, item in copy.everything()] == ["SALT"]


def test_a_backup_says_which_secret_elections_were_open(embedded):
    table = embedded()
    place, about = keys.election("Board"), {"allow_vote": True, "secret_ballot": True, "lots_commitment": "5"}
    for number, changed in enumerate(({}, {"allow_vote": False}, {"secret_ballot": False})):
        other = keys.election(f"Board {number}")
        table.write(Put({"PK": other.pk, "SK": other.sk, **about, "lots_commitment": str(number), **changed}))
    (found,) = backup(table, BytesIO()).open
    assert found == backup_module.tag({"lots_commitment": "0"})
    assert place.pk not in found


def check_items(file: BytesIO) -> int:
    file.seek(0)
    return sum(1 for _ in Reading(file))


def test_salts_in_a_backup_of_an_earlier_version_are_not_restored(embedded, monkeypatch):
    table, copy, file = many(embedded(), 400), embedded(), BytesIO()
    table.write(Put({"PK": SALT.pk, "SK": SALT.sk, "salt": b"\x01"}))
    with monkeypatch.context() as earlier:
        earlier.setattr("foundation.store.backup._is_salt", lambda key: False)
        assert backup(table, file).items == 401
    assert b'"salt"' in file.getvalue()
    with monkeypatch.context() as killed:
        killed.setattr("foundation.store.backup._fill", broken_off(after=2))
        with pytest.raises(KeyboardInterrupt):
            restore(copy, BytesIO(file.getvalue()), check(BytesIO(file.getvalue())))
    assert restore(copy, BytesIO(file.getvalue()), check(BytesIO(file.getvalue()))) == 400
    assert copy.get(SALT) is None
    assert sum(1 for _ in copy.everything()) == 400


def broken_off(after: int):
    """A restore that is killed when it has written so many batches."""
    fill = backup_module._fill

    def some(table, entries, done, sha256, progress, **options):
        first = list(islice(backup_module.batches(entries), after))
        fill(table, chain.from_iterable(first), done, sha256, progress, **options)
        raise KeyboardInterrupt

    return some


def test_what_is_to_be_finished_is_finished_before_the_store_counts_as_whole(embedded, full, file):
    copy, seen = embedded(), []
    sha256 = check(BytesIO(file))

    def killed() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        restore(copy, BytesIO(file), sha256, finish=killed)
    with pytest.raises(Unfinished):
        backup(copy, BytesIO())
    restore(copy, BytesIO(file), sha256, finish=lambda: seen.append(copy.get(keys.RESTORING)))
    assert seen[0]["items"] == sum(1 for _ in copy.everything())
    assert copy.get(keys.RESTORING) is None


NESTED = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**62), 2**62) | st.text(max_size=3) | st.binary(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["bytes", "map", "x"]), inner, max_size=2)
    ),
    max_leaves=8,
)


@pytest.mark.deep
@settings(max_examples=200, deadline=None)
@given(NESTED)
def test_every_value_comes_back_from_json_as_it_was(value):
    assert repr(decoded(orjson.loads(orjson.dumps(encoded(value))))) == repr(value)


def test_a_compressed_backup_is_recognised_by_its_content(file):
    for kept in (file, gzip.compress(file)):
        assert check(unzipped(BufferedReader(BytesIO(kept)))) == check(BytesIO(file))


# --- damage ---


def changed_byte(file: bytes) -> bytes:
    return file.replace(b"ThingMade", b"ThingMede", 1)


def missing_line(file: bytes) -> bytes:
    lines = file.splitlines(keepends=True)
    return b"".join(lines[:5] + lines[6:])


def swapped_lines(file: bytes) -> bytes:
    lines = file.splitlines(keepends=True)
    return b"".join([*lines[:5], lines[6], lines[5], *lines[7:]])


def changed_header(file: bytes) -> bytes:
    return file.replace(b'"made_at":"2', b'"made_at":"3', 1)


DAMAGES = [
    (changed_byte, "was changed"),
    (changed_header, "was changed"),
    (swapped_lines, "was changed"),
    (missing_line, "should have .* items, but has"),
    (lambda file: file[:-1], "cut short"),
    (lambda file: file[: len(file) // 2], "cut short"),
    (lambda file: file[: file.rindex(b"\n", 0, -1) + 1], "cut short"),
    (lambda file: file + b"more", "goes on after its last line"),
    (lambda file: file.replace(b"{", b"[", 9), "Line 1 .* damaged"),
    (lambda file: file.replace(b'"PK"', b'"PX"', 1), "Line 2 .* damaged"),
    (lambda file: file.replace(b'"table":"vote_data"', b'"table":"vote_date"', 1), "table that there is not"),
    (lambda file: file.replace(b'"plenum_backup":1', b'"plenum_backup":2', 1), "has the format 2"),
    (lambda file: file[file.index(b"\n") + 1 :], "no backup of Plenum"),
    (lambda file: b"", "cut short"),
    (lambda file: b"x" * 5_000_000, "Line 1 .* damaged"),
]


@pytest.mark.few(5)
@pytest.mark.parametrize(("damage", "words"), DAMAGES)
def test_a_damaged_file_is_refused_with_a_sentence(file, damage, words):
    with pytest.raises(Damaged, match=words):
        check(BytesIO(damage(file)))


@pytest.mark.parametrize("damage", [lambda packed: packed[:-20], lambda packed: packed[:60] + b"\0\0" + packed[62:]])
def test_a_damaged_compressed_file_is_refused_with_a_sentence(file, damage):
    with pytest.raises(Damaged, match=r"cut short|cannot be unpacked|damaged"):
        check(unzipped(BufferedReader(BytesIO(damage(gzip.compress(file))))))


def test_a_damaged_pipe_leaves_a_mark_that_nothing_goes_on_from(embedded, file):
    table = embedded()
    with pytest.raises(Damaged, match=r"was changed.*not whole now"):
        restore(table, BytesIO(changed_byte(file)))
    for act in (lambda: restored(table, file), lambda: restore(table, BytesIO(file)), lambda: written(table)):
        with pytest.raises(Unfinished, match="not whole"):
            act()


def test_a_file_that_changes_between_its_two_readings_is_noticed(embedded, full, file):
    table = embedded()
    full.write(Update(Key("P", "00"), set={"value": 9}))
    with pytest.raises(Damaged, match="changed while it was read"):
        restore(table, BytesIO(written(full)), check(BytesIO(file)))
    with pytest.raises(Unfinished):
        restored(table, file)


# --- only into an empty store, and on from where it was ---


@pytest.mark.parametrize("name", [DATA, LOG])
def test_a_store_that_is_not_empty_is_refused_and_stays_as_it_is(embedded, full, file, name):
    table = embedded()
    table.write(Put({"PK": "P", "SK": "00", "mine": True}, table=name))
    before = everything(table)
    for act in (lambda: restored(table, file), lambda: restore(table, BytesIO(file)), lambda: transfer(full, table)):
        with pytest.raises(NotEmpty, match="not empty"):
            act()
    assert everything(table) == before


class Breaking(BytesIO):
    """Somebody presses Ctrl+C after some lines."""

    lines = 150

    def readline(self, size=-1) -> bytes:
        self.lines -= 1
        if self.lines < 0:
            raise KeyboardInterrupt
        return super().readline(size)


def test_an_interrupted_restore_of_the_same_file_goes_on_where_it_was(embedded, full, file):
    table = embedded()
    with pytest.raises(KeyboardInterrupt):
        restore(table, Breaking(file), check(BytesIO(file)))
    done = table.get(keys.RESTORING)["items"]
    assert 0 < done < 150
    with pytest.raises(Unfinished, match="same file again"):
        written(table)
    table.write(Put({"PK": "P", "SK": "00", "value": "kept as it is: written before"}))
    restored(table, file)
    assert table.get(Key("P", "00"))["value"] == "kept as it is: written before"
    assert everything(table).keys() == everything(full).keys()


def test_an_interrupted_restore_does_not_go_on_with_another_file(embedded, full, file):
    table = embedded()
    with pytest.raises(KeyboardInterrupt):
        restore(table, Breaking(file), check(BytesIO(file)))
    full.write(Update(Key("P", "00"), set={"value": 9}))
    with pytest.raises(Unfinished, match="same file again"):
        restored(table, written(full))


def test_an_interrupted_pipe_is_not_gone_on_with(embedded, file):
    table = embedded()
    with pytest.raises(KeyboardInterrupt):
        restore(table, Breaking(file))
    with pytest.raises(Unfinished, match="Start again with a new one"):
        restored(table, file)


def test_a_whole_pipe_leaves_no_mark(embedded, full, file):
    table = embedded()
    restore(table, BytesIO(file))
    assert everything(table) == everything(full)


def test_a_transfer_notices_what_does_not_arrive_as_it_was(embedded, full):
    class Forgetful(SqliteTable):
        def load(self, entries) -> None:
            super().load([each for each in entries if (each[1]["PK"], each[1]["SK"]) != ("made", "3")])

    table = Forgetful(embedded().path)
    with pytest.raises(Damaged, match="made / 3 did not arrive"):
        transfer(full, table)
    with pytest.raises(Unfinished):
        written(table)


def test_a_transfer_misses_what_should_live_longer_and_not_what_has_expired_meanwhile(embedded):
    class Forgetful(SqliteTable):
        def load(self, entries) -> None:
            super().load([each for each in entries if "ttl" not in each[1]])

    now = int(time.time())
    source = SqliteTable(embedded().path, clock=lambda: now - 60)
    source.write(Put({"PK": "session", "SK": "a", "ttl": now - 5}))
    transfer(source, Forgetful(embedded().path))
    source.write(Put({"PK": "session", "SK": "b", "ttl": now + 9999}))
    with pytest.raises(Damaged, match="session / b did not arrive"):
        transfer(source, Forgetful(embedded().path))


def test_a_restore_writes_in_batches(embedded):
    table, copy = many(embedded(), 2000), embedded()
    file = written(table)
    with round_trips.count_round_trips() as made:
        assert restored(copy, file) == 2000
    assert made.count <= 30


def test_leases_are_not_taken_along_and_do_not_make_a_store_full(embedded):
    source, target = embedded(), embedded()
    for table in (source, target):
        place = keys.lease("mail")
        table.write(Put({"PK": place.pk, "SK": place.sk, "holder": table.path}))
    source.write(Put({"PK": "a", "SK": "1"}))
    assert transfer(source, target) == 1
    assert target.get(keys.lease("mail"))["holder"] == target.path
