"""Which backups of a folder are kept: few of what is secret and open, none of it once it is over, the rest by age."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from operations.upkeep import archive as keeping
from operations.upkeep.archive import (
    ENCRYPTED,
    Policy,
    Record,
    StoredBackup,
    complete_record,
    delete,
    expired,
    found_in,
    write_record,
)
from operations.upkeep.doctor import site_checks
from operations.upkeep.doctor.health import Grade

NOW = datetime(2026, 11, 15, 3, 15, tzinfo=UTC)


def name_for(made_at: datetime) -> str:
    return f"plenum-{made_at:%Y%m%dT%H%M%SZ}.jsonl.gz.age"


def kept(days_ago: int, *open_: str, whole: bool = True) -> StoredBackup:
    made_at = NOW - timedelta(days=days_ago)
    return StoredBackup(name_for(made_at), made_at, whole, frozenset(open_))


def days_gone(backups: list[StoredBackup], policy: Policy | None = None, all_sealed: bool = True) -> list[int]:
    gone = expired(backups, policy or Policy(), NOW, all_sealed)
    return [(NOW - each.made_at).days for each in backups if each.name in gone]


def test_what_is_older_than_it_may_be_goes():
    assert days_gone([kept(n) for n in range(40)]) == [36, 37, 38, 39]
    assert days_gone([kept(n) for n in range(10)], Policy(days=7)) == [8, 9]


def test_the_newest_whole_ones_stay_however_old_they_are():
    assert days_gone([kept(n) for n in (100, 200, 300, 400)]) == [400]
    assert days_gone([kept(100), kept(200, whole=False), kept(300), kept(400), kept(500)]) == [500]


def test_without_a_whole_one_nothing_goes():
    assert days_gone([kept(n, "a", whole=False) for n in range(50)]) == []
    assert days_gone([]) == []


def test_of_an_open_secret_election_the_newest_few_are_kept():
    backups = [kept(0, "a"), kept(1, "a"), kept(2, "a"), kept(3, "a"), kept(4)]
    assert days_gone(backups) == [2, 3]
    assert days_gone(backups, Policy(copies=1)) == [1, 2, 3]
    assert days_gone(backups, Policy(copies=4)) == []
    assert days_gone(backups, Policy(keeps_all=True)) == []


def test_one_that_is_not_whole_is_no_copy_to_rely_on():
    assert days_gone([kept(0, "a"), kept(1, "a", whole=False), kept(2, "a"), kept(3, "a")]) == [3]


def test_what_was_made_while_a_secret_election_was_open_goes_when_it_is_over_and_a_newer_one_is_there():
    backups = [kept(0), kept(1, "a"), kept(2, "a"), kept(3)]
    assert days_gone(backups) == [1, 2]
    assert days_gone(backups, Policy(keeps_all=True)) == []
    assert days_gone(backups[1:]) == []


def test_until_it_is_sealed_it_stays():
    """A result that needs a lot can then still be had from it."""
    assert days_gone([kept(0), kept(1, "a"), kept(2, "a")], all_sealed=False) == []


def test_elections_that_overlap_are_each_judged_by_themselves():
    assert days_gone([kept(0, "b"), kept(1, "a", "b"), kept(2, "a"), kept(3)]) == [1, 2]
    assert days_gone([kept(0, "a", "b"), kept(1, "a", "b"), kept(2, "b"), kept(3, "a"), kept(4)]) == [2, 3]


def test_a_folder_is_read_as_it_was_written(tmp_path):
    for number in range(3):
        path = tmp_path / name_for(NOW - timedelta(days=number))
        record = path.with_name(path.name + ".json")
        path.write_bytes(b"12345")
        write_record(record, Record(2, "1:00", ["a"]))
        if number < 2:  # the third was never declared complete
            assert complete_record(path) == Record(2, "1:00", ["a"], bytes=5)
        assert record.stat().st_mode & 0o777 == 0o600
    (tmp_path / name_for(NOW - timedelta(days=1))).write_bytes(b"1234")  # it has lost a byte
    for name in ("plenum-20260101T000000Z.jsonl.gz", "plenum-2026-01-01.jsonl.gz", "diary.txt"):
        (tmp_path / name).write_text("")
    found = found_in(tmp_path)
    expected = [(True, {"a"}), (False, {"a"}), (False, {"a"}), (False, set())]
    assert [(each.is_complete, set(each.open)) for each in found] == expected
    delete(tmp_path, [each.name for each in found])
    assert sorted(each.name for each in tmp_path.iterdir()) == ["diary.txt", "plenum-2026-01-01.jsonl.gz"]


def test_a_record_of_an_earlier_version_is_read(tmp_path):
    path = tmp_path / name_for(NOW)
    path.write_bytes(b"12345")
    path.with_name(path.name + ".json").write_text('{"made_at": "", "bytes": 5, "checkpoint": "", "open": ["a"]}')
    assert found_in(tmp_path) == [StoredBackup(path.name, NOW, is_complete=True, open=frozenset("a"))]


@pytest.mark.parametrize("words", ["", "[]", "{}", "{", '{"bytes": 0, "open": 1}'])
def test_a_record_that_cannot_be_read_is_as_none(tmp_path, words):
    path = tmp_path / name_for(NOW)
    path.write_text("")
    path.with_name(path.name + ".json").write_text(words)
    (found,) = found_in(tmp_path)
    assert not found.is_complete


# --- what an earlier version has left ---


def test_backups_that_anybody_can_read_are_found_and_told_of(tmp_path):
    plain = ["plenum-2026-09-17.jsonl.gz", "plenum-20261116T010000Z.jsonl.gz"]  # as 0.1.0 named them, and as we do
    for name in plain:
        (tmp_path / name).write_bytes(b"\x1f\x8b...")
    (tmp_path / "plenum-20261117T010000Z.jsonl.gz.age").write_bytes(ENCRYPTED + b"v1\n...")
    (tmp_path / "plenum-20261117T010000Z.jsonl.gz.age.json").write_text("{}")
    (tmp_path / "notes.txt").write_text("")
    assert [path.name for path in keeping.unencrypted_in(tmp_path)] == plain
    assert keeping.unencrypted_in(tmp_path / "nowhere") == []
    (finding,) = site_checks.check_old_backups(tmp_path)
    assert (finding.grade, "plenum-2026-09-17.jsonl.gz" in finding.sentence) == (Grade.WARNING, True)
