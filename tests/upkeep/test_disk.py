"""Bad days: a disk that runs full, is full or cannot be written; no memory. Pages answer, and what is wrong is said."""

from __future__ import annotations

import asyncio
import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from accounts import sessions
from accounts.rules import Role
from config import errors
from config.web import Application, requests
from config.web.application import NO_ROOM
from config.web.connections import CURRENT, Connection, Connections
from foundation.store import keys
from foundation.store.log import EventLog
from foundation.store.sqlite import SqliteTable
from foundation.store.table import Put, Unavailable, Unwritable
from operations.upkeep import system
from operations.upkeep.management.commands import collectstatic
from operations.upkeep.system import MEGABYTE, REPEAT_WARNING_SECONDS, Disk, DiskWatch

from .test_jobs import Clocks

# --- the store's disk ---


@contextmanager
def full(site: SqliteTable) -> Iterator[None]:
    """No page more than there are: SQLite says what it says of a disk without room."""
    connection = site._writers.opened_writer().connection
    (most,) = connection.execute("PRAGMA max_page_count").fetchone()
    connection.execute("PRAGMA max_page_count = 1")  # which SQLite takes as: what there is
    try:
        yield
    finally:
        connection.execute(f"PRAGMA max_page_count = {most}")


def large_item(name: str) -> Put:
    return Put({"PK": name, "SK": "1", "text": "x" * 300_000})


def test_a_full_disk_is_a_sentence_and_nothing_is_half_written(site):
    with full(site), pytest.raises(Unwritable, match="cannot be written: its disk is full"):
        site.write(large_item("a"), large_item("b"))
    assert site.get(large_item("a").key) is None
    site.write(large_item("a"))
    assert site.get(large_item("a").key) is not None


def test_on_a_full_disk_pages_answer_and_writes_get_an_honest_503(site, person, signed_in, caplog, monkeypatch):
    # so that every page would note when somebody was last seen
    monkeypatch.setattr(sessions, "LAST_SEEN_INTERVAL_SECONDS", -1)
    client = signed_in(person("Ada"))
    client.raise_request_exception = False
    texts = {"name": "New", "description": "x" * 15_000, "electorate": "listed", "method": "schulze", "seats": "1"}
    form = {**texts, "unranked": "below", "results_visible": "closed", "time_zone": "UTC"}
    before = EventLog(site).newest_checkpoint(), site.get(keys.COUNTS)
    with full(site):
        while (answer := client.post("/elections/new/all/", form | {"name": os.urandom(8).hex()})).status_code == 302:
            pass  # into what is left of the last page
        for path in ("/", "/elections/", "/me/", "/elections/new/all/"):
            assert client.get(path).status_code == 200, path
    text = answer.content.decode()
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert "Nothing can be saved right now" in text
    assert "so nothing was changed" in text
    assert site.path not in text, "where the store lies is nobody's business"
    assert any("its disk is full" in getattr(record, "words", "") for record in caplog.records)
    assert (EventLog(site).newest_checkpoint(), site.get(keys.COUNTS)) == before
    assert client.post("/elections/new/all/", form).status_code == 302, "as soon as there is room"


def test_a_file_of_the_queue_that_cannot_be_made_is_a_sentence(tmp_path):
    table = SqliteTable(f"{tmp_path}/plenum.sqlite3")
    table.create()
    (tmp_path / "plenum.sqlite3-queue").mkdir()
    with pytest.raises(Unwritable, match=r"cannot be written: Is a directory\."):
        table.write(large_item("a"))
    (tmp_path / "plenum.sqlite3-queue").rmdir()
    table.write(large_item("a"))


def test_a_store_that_cannot_be_opened_is_not_said_to_be_missing(tmp_path):
    (tmp_path / "plenum.sqlite3").mkdir()
    with pytest.raises(Unavailable, match=r"cannot be opened: unable to open database file"):
        SqliteTable(f"{tmp_path}/plenum.sqlite3").get(keys.SYNC)
    with pytest.raises(Unavailable, match=r"is not there yet; run: python manage\.py create_tables"):
        SqliteTable(f"{tmp_path}/another.sqlite3").get(keys.SYNC)


@pytest.mark.parametrize(
    ("may_write", "why"),
    [(True, r"attempt to write a readonly database\. Check who owns the file"), (False, r"Permission denied\.")],
)
def test_a_store_that_is_not_ours_to_write_says_why(tmp_path, monkeypatch, may_write, why):
    table = SqliteTable(f"{tmp_path}/plenum.sqlite3")
    table.create()
    table._writers.opened_writer().connection.execute("PRAGMA query_only = ON")  # SQLite says what it says then
    monkeypatch.setattr(os, "access", lambda *arguments: may_write)  # whoever runs the tests may be allowed everything
    with pytest.raises(Unwritable, match=rf"cannot be written: {why}"):
        table.write(large_item("a"))
    assert table.get(keys.SYNC) is None


# --- said before, and while ---


def test_little_room_is_said_on_the_pages_about_the_site(site, signed_in, monkeypatch):
    owner = signed_in("Olga", Role.OWNER)
    monkeypatch.setattr(system, "LOW_MB", 1)
    assert "MB are free on the disk of" not in owner.get("/admin/").content.decode()
    monkeypatch.setattr(system, "LOW_MB", 10**9)
    for path in ("/admin/", "/admin/system/", "/admin/log/"):
        assert "MB are free on the disk of" in owner.get(path).content.decode()
    assert "MB are free" not in owner.get("/").content.decode()


def test_little_room_is_said_in_the_log_at_once_then_hourly_and_so_is_its_end(monkeypatch, caplog):
    clocks = Clocks()
    watch = DiskWatch(lambda: clocks.ticks)
    monkeypatch.setattr(system, "disks", lambda: [Disk(Path("data"), 7 * MEGABYTE, is_read_only=False, has_names=True)])
    monkeypatch.setattr(system, "LOW_MB", 7)
    watch.look()
    assert caplog.messages == []
    monkeypatch.setattr(system, "LOW_MB", 8)
    for seconds in (0, REPEAT_WARNING_SECONDS - 1, 1):
        clocks.pass_(seconds)
        watch.look()
    assert caplog.messages == ["little room", "little room"]
    assert caplog.records[0].free_megabytes == 7
    monkeypatch.setattr(system, "LOW_MB", 7)
    watch.look()
    watch.look()
    assert caplog.messages.count("room again") == 1


def test_free_room_is_a_metric_for_each_disk(client, site):
    text = client.get("/metrics").content.decode()
    assert f'plenum_disk_free_bytes{{folder="{system.disks()[0].folder}"}} ' in text
    assert system.disks()[0].free > 0


def test_the_disk_of_a_store_elsewhere_is_not_ours(settings, tmp_path):
    settings.DATA_DIR, settings.STORE_URL = tmp_path, "dynamodb://eu-central-1"
    assert [each.folder for each in system.disks()] == [tmp_path]
    settings.DATA_DIR = tmp_path / "not there yet"
    assert system.disks() == []


def test_a_full_disk_is_what_readyz_names_and_not_the_worker_that_cannot_write(client, site, monkeypatch):
    monkeypatch.setattr(system, "MIN_FREE_BYTES", 2**62)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.content.decode() == f"The disk holding {system.disks()[0].folder} is full.\n"
    assert client.get("/readyz?store").status_code == client.get("/healthz").status_code == 200


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"is_read_only": True}, "The disk holding /data is read-only."),
        ({"free": 10}, "The disk holding /data is full."),
        ({"has_names": False}, "The disk holding /data is full."),
        ({}, ""),
    ],
)
def test_what_is_wrong_with_a_disk(fields, sentence):
    well = {"folder": "/data", "free": 2**30, "is_read_only": False, "has_names": True}
    assert system.Disk(**well | fields).trouble == sentence


def test_static_files_are_not_touched_on_a_disk_without_room(site, monkeypatch, settings, tmp_path):
    monkeypatch.setattr(collectstatic, "NEEDED_MB", 2**40)
    settings.DATA_DIR = settings.STATIC_ROOT = tmp_path
    said, manifest = StringIO(), tmp_path / "staticfiles.json"
    manifest.write_text("{}")
    before = manifest.stat().st_mtime_ns
    call_command("collectstatic", interactive=False, verbosity=0, stderr=said)
    assert "The existing static files are kept." in said.getvalue()
    assert manifest.stat().st_mtime_ns == before
    settings.STATIC_ROOT = settings.STATIC_ROOT / "nothing"
    with pytest.raises(CommandError, match="MB left"):
        call_command("collectstatic", interactive=False, verbosity=0)


def test_static_files_are_collected_again_only_after_a_change(site, settings, tmp_path):
    settings.STATICFILES_DIRS, settings.STATIC_ROOT = [tmp_path / "ours"], tmp_path / "static"
    source, copy = tmp_path / "ours" / "page.css", tmp_path / "static" / "page.css"
    source.parent.mkdir()
    source.write_text("old")

    def collect(**options: bool) -> str:
        said = StringIO()
        call_command("collectstatic", interactive=False, stdout=said, **options)
        return said.getvalue()

    assert "copied" in collect()
    assert collect() == ""
    assert "copied" in collect(clear=True)
    source.write_text("new")
    os.utime(source, (in_an_hour := time.time() + 3600, in_an_hour))  # Django compares times, to the second
    assert "copied" in collect()
    assert copy.read_text() == "new"
    copy.unlink()
    assert "copied" in collect()
    assert collect() == ""


# --- files for what is large ---


def no_room(*arguments, **words):
    """A file as it is on a full disk."""
    return open("/dev/full", "r+b")


def test_a_request_that_cannot_be_kept_is_refused_with_a_sentence(monkeypatch):
    monkeypatch.setattr(requests, "SpooledTemporaryFile", no_room)
    received = [{"type": "http.request", "body": b"x" * 200_000, "more_body": False}, {"type": "http.disconnect"}]
    sent = []

    async def receive():
        return received.pop(0)

    async def send(message):
        sent.append(message)

    async def ask():
        CURRENT.set(Connection(asyncio.Protocol(), Connections(most=16)))
        scope = {"type": "http", "headers": [(b"content-length", b"200000")]}
        await Application(lambda environ, start_response: pytest.fail("it was answered"))(scope, receive, send)

    asyncio.run(ask())
    assert (sent[0]["status"], sent[1]["body"].decode()) == (503, f"{NO_ROOM[1]}\n")


# --- what a page says of it ---


@pytest.mark.parametrize(
    ("error", "title"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "Nothing can be saved right now"),
        (OSError(errno.EROFS, "Read-only file system"), "Nothing can be saved right now"),
        (Unwritable("x"), "Nothing can be saved right now"),
        (MemoryError(), "Not available right now"),
    ],
)
def test_a_machine_in_trouble_is_a_503_and_the_next_page_is_there(client, site, monkeypatch, error, title):
    def fails(*arguments, **words):
        raise error

    client.raise_request_exception = False
    with monkeypatch.context() as patch:
        patch.setattr("foundation.store.sqlite.SqliteTable.page", fails)
        answer = client.get("/")
    assert (answer.status_code, title in answer.content.decode()) == (503, True)
    assert answer["Retry-After"] == "5"
    assert client.get("/").status_code == 200


def test_another_error_of_the_system_is_still_our_mistake():
    assert errors.classify(OSError(errno.ENOENT, "No such file"))[0] == 500
    assert errors.classify(None)[0] == 500
