"""The format of a store: an upgrade to an invented next format, stores that are too new, and what says which it is."""

from __future__ import annotations

import runpy
import shutil
from contextlib import ExitStack, closing
from functools import partial
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command, get_commands, load_command_class
from django.test import Client
from django.urls import reverse

from accounts.rules import Role
from foundation.store import formats, keys
from foundation.store.backup import backup, check, restore, unzipped
from foundation.store.sqlite import SqliteTable
from foundation.store.table import Delete, Item, Key, Missing, Put, Span, Table
from operations.upkeep import upgrading
from operations.upkeep.commands import StoreCommand
from operations.upkeep.jobs import LOG as SEALING
from operations.upkeep.jobs import Leases
from operations.upkeep.replay import quietly
from operations.upkeep.upgrading import Busy, UpgradeStep, upgrade
from tests.people import sign_in
from tests.test_interruptions import Interrupted, Killed

NOW, NEXT = formats.FORMAT, formats.FORMAT + 1
ROOT = Path(__file__).parents[2]
THINGS = [Key("THING", f"{number:02d}") for number in range(6)]


def output(command: str, *arguments: str) -> str:
    text = StringIO()
    call_command(command, *arguments, stdout=text, stderr=text)
    return text.getvalue()


def refused(command: str, *arguments: str) -> str:
    with pytest.raises(CommandError) as error:
        output(command, *arguments)
    return str(error.value)


def contents(store: Table) -> dict[Key, Item]:
    """Everything but leases, which are about processes."""
    items = {Key(item["PK"], item["SK"], name): item for name, item in store.everything()}
    return {key: item for key, item in items.items() if not key.pk.startswith("LEASE#")}


# --- an invented next format ---


def double(table: Table, progress: Any) -> None:
    """Give every thing its double. Safe to repeat, and to interrupt anywhere."""
    for done, thing in enumerate(THINGS, 1):
        doubled = 2 * table.get(thing)["value"]
        table.write(Put({"PK": "DOUBLE", "SK": thing.sk, "value": doubled}))
        progress(done)


def note(table: Table, progress: Any) -> None:
    """Fails unless the step before it was finished."""
    assert len(list(table.each(Span("DOUBLE")))) == len(THINGS)
    table.write(Put({"PK": "NOTE", "SK": "NOTE"}))


@pytest.fixture
def older(site, monkeypatch) -> Table:
    """A store of today's format, for a program that writes and serves only the next one."""
    output("create_tables")
    for number, thing in enumerate(THINGS):
        site.write(Put({"PK": thing.pk, "SK": thing.sk, "value": number}, when=Missing()))
    monkeypatch.setattr(formats, "FORMAT", NEXT)
    monkeypatch.setattr(formats, "OLDEST_SERVED", NEXT)
    monkeypatch.setattr(StoreCommand, "oldest", NEXT)
    steps = (
        UpgradeStep(NEXT, "double", "Every thing gets its double", double),
        UpgradeStep(NEXT, "note", "A note is left", note),
    )
    monkeypatch.setattr(upgrading, "STEPS", steps)
    return site


def test_the_command_lists_the_steps_then_upgrades_once(older):
    before = contents(older)
    assert "- Every thing gets its double." in output("upgrade", "--look")
    assert contents(older) == before
    assert f"was upgraded to format {NEXT}" in output("upgrade")
    assert older.get(Key("DOUBLE", "05"))["value"] == 10
    assert f"There is nothing to upgrade: the store has format {NEXT}." in output("upgrade")


def test_no_start_takes_a_store_that_has_to_be_upgraded_or_whose_upgrade_was_killed(older):
    assert f"The store has the format {NOW}" in refused("create_tables")
    with pytest.raises(Killed):
        upgrade(Interrupted(older, at=len(THINGS) + 5, how="killed"), quietly)
    assert formats.format_of(older) == NOW
    assert "run “plenum upgrade”" in refused("tick")


def test_an_upgrade_killed_after_any_write_goes_on_to_the_same_end(older, tmp_path):
    copies = Copying(older, tmp_path)
    upgrade(copies, quietly)
    expected = contents(older)
    assert copies.made > len(THINGS) + 2
    for number in range(copies.made):
        with closing(SqliteTable(str(tmp_path / f"after-{number}.sqlite3"))) as left:
            left.write(Delete(keys.lease(SEALING.name)))  # which is free half a minute later
            upgrade(left, quietly)
            assert contents(left) == expected, number


class Copying:
    """A table whose file is copied after every write."""

    def __init__(self, store: Table, folder: Path):
        self._table, self.folder, self.made = store, folder, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def write(self, *writes: Any, **options: Any) -> None:
        self._table.write(*writes, **options)
        self._table.purge_journal()  # writes the journal into the file
        shutil.copy(self._table.path, self.folder / f"after-{self.made}.sqlite3")
        self.made += 1


def test_of_two_upgrades_at_once_the_second_waits_and_finds_nothing_to_do(older):
    first = ExitStack()
    assert first.enter_context(Leases(older).held(SEALING.name))

    def rest(seconds: float) -> None:
        first.close()
        upgrade(older, quietly)

    assert upgrade(older, quietly, rest) == NEXT


def test_an_upgrade_does_not_wait_for_ever(older):
    with Leases(older).held(SEALING.name), pytest.raises(Busy, match="Stop the site and try again"):
        upgrade(older, quietly, lambda seconds: None)
    assert formats.format_of(older) == NOW


def test_a_paused_site_can_be_upgraded(older):
    place = keys.PAUSE
    pause = {"by": "plenum", "since": "2026-11-15T20:00:00.000Z", "minutes": 30, "sentence": ""}
    older.write(Put({"PK": place.pk, "SK": place.sk, **pause}))
    output("upgrade")
    assert formats.format_of(older) == NEXT


def test_a_format_that_is_still_served_needs_no_upgrade_and_is_marked_by_a_start(older, monkeypatch):
    monkeypatch.setattr(formats, "OLDEST_SERVED", NOW)
    output("create_tables")
    assert formats.format_of(older) == NEXT


# --- today's format ---


def test_an_empty_store_has_no_format_until_its_tables_are_made(site):
    assert formats.format_of(site) is None
    output("create_tables")
    assert formats.format_of(site) == NOW
    assert set(contents(site)) == set(formats.PLACES)


def test_a_start_completes_a_mark_that_was_cut_off(site):
    output("create_tables")
    site.write(Delete(formats.PLACES[1]))
    output("create_tables")
    assert len(site.get_many(formats.PLACES)) == 2


def test_a_start_does_not_mark_a_store_that_is_being_restored(site):
    site.write(Put({"PK": keys.RESTORING.pk, "SK": keys.RESTORING.sk, "sha256": None, "items": 0}))
    output("create_tables")
    assert formats.format_of(site) is None


def test_a_transfer_takes_the_format_along(site, tmp_path):
    output("create_tables")
    url = f"sqlite://{tmp_path}"
    with closing(SqliteTable(str(tmp_path / "new.sqlite3"))) as new:
        output("transfer", f"{url}/plenum.sqlite3", f"{url}/new.sqlite3")
        assert formats.format_of(new) == NOW
    formats.mark(site, NEXT)
    assert f"has the format {NEXT}" in refused("transfer", f"{url}/plenum.sqlite3", f"{url}/another.sqlite3")


# --- too new ---

ARGUMENTS = {
    "pause": [],
    "reset_second_factor": ["Olga"],
    "backup": ["/nowhere/backup"],
    "backup_made": ["/nowhere/backup"],
    "forget": ["Ada"],
}
ELSEWHERE = {"restore", "transfer", "version"}  # commands for another store than the site's, or for none


def commands() -> list[str]:
    ours = (name for name, app in get_commands().items() if app == "operations.upkeep")
    return [name for name in ours if isinstance(load_command_class("operations.upkeep", name), StoreCommand)]


def test_every_command_refuses_a_store_that_a_later_version_has_written(site, settings):
    formats.mark(site, NEXT)
    settings.PORT = 0
    before = contents(site)
    names = [name for name in commands() if name not in ELSEWHERE]
    assert len(names) > 14
    for name in names:
        assert f"The store has the format {NEXT}, and this Plenum reads up to {NOW}" in refused(
            name, *ARGUMENTS.get(name, [])
        ), name
    assert contents(site) == before


def test_a_backup_of_a_later_format_is_refused(site, tmp_path):
    formats.mark(site, NEXT)
    with open(tmp_path / "backup", "wb") as file:
        backup(site, file)
    with open(tmp_path / "backup", "rb") as file, pytest.raises(formats.TooNew, match=f"of has the format {NEXT}"):
        check(unzipped(file))
    other = SqliteTable(str(tmp_path / "other.sqlite3"))
    with closing(other), open(tmp_path / "backup", "rb") as file:
        other.create()
        with pytest.raises(formats.TooNew):
            restore(other, unzipped(file))
        assert contents(other) == {}


def test_no_server_starts_on_a_store_that_is_too_new(site, tmp_path, settings, monkeypatch):
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", "")  # which the configuration sets for the processes it starts
    settings.DATA_DIR, settings.WORKER = tmp_path, "apart"
    server = SimpleNamespace(log=SimpleNamespace(warning=lambda sentence: None))
    start = partial(runpy.run_path(str(ROOT / "config/gunicorn.py"))["on_starting"], server)
    start()
    assert formats.format_of(site) == NOW
    formats.mark(site, NEXT)
    with pytest.raises(SystemExit, match=f"The store has the format {NEXT}"):
        start()


def test_a_store_that_does_not_answer_keeps_no_server_from_starting(tmp_path):
    assert formats.refusal(SqliteTable(str(tmp_path / "nothing.sqlite3"))) is None


def test_a_server_whose_store_was_upgraded_elsewhere_is_not_ready(site):
    formats.mark(site, NOW)
    assert Client().get("/readyz").status_code == 200
    formats.mark(site, NEXT)
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.content) == (
        503,
        b"A newer version has upgraded the store. Install that version here.\n",
    )


def test_a_worker_ends_when_it_no_longer_understands_the_store(site):
    now, reads = [0.0], []
    watch = formats.Watch(Counting(site, reads), every=60, ticking=lambda: now[0])
    formats.mark(site, NEXT)
    assert watch()
    assert reads == []
    now[0] = 60
    assert not watch()
    assert not watch()
    assert len(reads) == 1
    assert f"The store has the format {NEXT}" in watch.refused


def test_a_worker_goes_on_while_the_store_does_not_answer(tmp_path):
    watch = formats.Watch(SqliteTable(str(tmp_path / "nothing.sqlite3")), every=0)
    assert watch()


class Counting:
    """A table that records reads of several items."""

    def __init__(self, store: Table, reads: list[Any]):
        self._table, self.reads = store, reads

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def get_many(self, places: Any) -> dict[Key, Item]:
        self.reads.append(places)
        return self._table.get_many(places)


# --- shown ---


def test_the_system_page_shows_the_format(site):
    owner = sign_in("Olga", Role.OWNER)
    assert "not marked yet" in owner.get(reverse("system")).content.decode()
    formats.prepare(site)
    assert f"<dt>Format</dt><dd>{NOW}</dd>" in owner.get(reverse("system")).content.decode()


def test_the_version_is_printed_with_the_format(capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["manage.py", "version"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(ROOT / "manage.py"), run_name="__main__")
    assert ended.value.code == 0
    printed = capsys.readouterr().out
    assert printed.startswith("Plenum ")
    assert f"Format {NOW}; serves {NOW} and later" in printed
