"""The commands backup, restore and transfer, as somebody types them."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from io import BufferedReader, BytesIO, StringIO, TextIOWrapper

import orjson
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError, OutputWrapper

from store import keys
from store.backup import encoded
from store.connect import connect
from store.log import Event, EventLog
from store.log.seal import verify
from store.table import DATA, LOG, Put
from upkeep.progress import shown_on

from .test_commands import run


def everything(table) -> list[bytes]:
    """Every item; the order of its attributes is nobody's business."""
    return sorted(orjson.dumps(encoded(list(entry)), option=orjson.OPT_SORT_KEYS) for entry in table.everything())


def by_place(table) -> dict[tuple[str, str, str], bytes]:
    return {
        (name, item["PK"], item["SK"]): orjson.dumps(encoded(item), option=orjson.OPT_SORT_KEYS)
        for name, item in table.everything()
    }


@pytest.fixture
def used(site):
    """A site where a few things have happened, not all of them sealed."""
    log = EventLog(site)
    for n in range(5):
        log.record(Event("ada", "ThingMade", {"bytes": "no"}), Put({"PK": "THING", "SK": f"{n}", "digest": b"\xff"}))
    run("seal")
    log.record(Event("ada", "ThingMade"))
    return site


@pytest.fixture
def elsewhere(settings, tmp_path):
    """Makes another site, not even created, the one that commands work on."""

    def go(name: str = "other"):
        settings.STORE_URL = f"sqlite://{tmp_path}/{name}.sqlite3"
        return connect(settings.STORE_URL)

    return go


def test_the_demo_comes_back_from_its_backup(site, elsewhere, tmp_path):
    """As it was, but for the ties between voters and ballots of the secret elections that are open."""
    run("demo")
    run("seal")
    file, before = str(tmp_path / "plenum.jsonl.gz"), by_place(site)
    before = {place: item for place, item in before.items() if place[1] != keys.publishing().pk}  # a sealer's own
    open_ones = {pk for _, pk, sk in before if sk == "SALT"}
    items = len(before) - len(open_ones)
    assert run("backup", file).startswith(f"{items} items are in the backup; SHA-256 ")
    other = elsewhere()
    checkpoint = EventLog(site).newest_checkpoint()
    said = f"{items} items were restored.\nCheckpoint {checkpoint['event_id']}:{checkpoint['hash']}"
    assert run("restore", file, "--send-mail") == said
    after = by_place(other)
    changed = {place for place in before.keys() | after.keys() if before.get(place) != after.get(place)}
    assert {pk for name, pk, _ in changed if name == DATA} - {"ELECTIONS"} == open_ones
    assert {pk for name, pk, _ in changed if name == LOG} == {"EVENTS", "SEQUENCE"}
    unlinked = [event for event in other.each(keys.events()) if event["event_type"] == "BallotsUnlinked"]
    assert len(unlinked) == len(open_ones) > 0
    assert verify(other).flaw is None
    assert run("demo") == "The demo content is there already."


def test_a_backup_is_nobody_elses_to_read_and_leaves_nothing_beside_it(used, tmp_path):
    folder = tmp_path / "backups"
    folder.mkdir()
    for name in ("a.jsonl", "a.jsonl.gz"):
        run("backup", str(folder / name))
        assert (folder / name).stat().st_mode & 0o777 == 0o600
    assert sorted(os.listdir(folder)) == ["a.jsonl", "a.jsonl.gz"]
    assert gzip.decompress((folder / "a.jsonl.gz").read_bytes()).count(b"\n") == len(everything(used)) + 2


def test_a_file_that_is_there_is_not_written_over(used, tmp_path):
    file = tmp_path / "precious"
    file.write_text("mine")
    with pytest.raises(CommandError, match="is there already"):
        run("backup", str(file))
    assert file.read_text() == "mine"


def test_a_folder_that_is_not_there_ends_in_a_sentence(used, tmp_path):
    with pytest.raises(CommandError, match="cannot be written: No such file"):
        run("backup", str(tmp_path / "nowhere" / "file"))
    with pytest.raises(CommandError, match="is no file"):
        run("restore", str(tmp_path / "nowhere"))


def test_a_store_that_is_not_there_leaves_no_file(elsewhere, tmp_path):
    elsewhere()
    with pytest.raises(CommandError, match="create_tables"):
        run("backup", str(tmp_path / "file"))
    assert not list(tmp_path.glob("file*"))


def test_standard_output_holds_the_backup_and_nothing_else(used, elsewhere, monkeypatch, capsysbinary):
    stderr, before = StringIO(), everything(used)
    call_command("backup", "-", stderr=stderr)
    piped = capsysbinary.readouterr().out
    assert "items are in the backup" in stderr.getvalue()
    other = elsewhere()
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BufferedReader(BytesIO(piped))))
    run("restore", "-", stderr=stderr)
    assert everything(other) == before


def test_a_reader_who_goes_away_gets_a_sentence(site, settings):
    for n in range(50):
        site.write(Put({"PK": "LARGE", "SK": f"{n}", "text": "x" * 100_000}))
    command = [sys.executable, "manage.py", "backup", "-"]
    environment = os.environ | {"STORE_URL": settings.STORE_URL}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.read(10)
        process.stdout.close()
        said = process.stderr.read().decode()
    assert process.returncode == 1
    assert said.strip() == "CommandError: Whoever read the backup went away before its end."


def test_a_damaged_file_writes_nothing(used, elsewhere, tmp_path):
    file = tmp_path / "file"
    run("backup", str(file))
    file.write_bytes(file.read_bytes().replace(b"ThingMade", b"ThingMede", 1))
    other = elsewhere()
    with pytest.raises(CommandError, match="was changed"):
        run("restore", str(file))
    other.create()
    assert everything(other) == []


def test_the_store_in_use_is_refused(used, tmp_path):
    run("backup", str(tmp_path / "file"))
    with pytest.raises(CommandError, match="not empty"):
        run("restore", str(tmp_path / "file"))


def test_what_a_restore_would_mean_to_an_open_secret_election_is_said(site, tmp_path):
    stderr = StringIO()
    run("backup", str(tmp_path / "before"), stderr=stderr)
    assert "Secret elections" not in stderr.getvalue()
    place = keys.salt("Board")
    site.write(Put({"PK": place.pk, "SK": place.sk, "salt": b"\x01"}))
    run("backup", str(tmp_path / "during"), stderr=stderr)
    assert "Secret elections that are open: 1." in stderr.getvalue()


def test_a_transfer_from_store_to_store(used, settings, tmp_path):
    target = f"sqlite://{tmp_path}/target.sqlite3"
    assert (
        run("transfer", settings.STORE_URL, target)
        == f"{len(everything(used))} items were copied, and are the same there."
    )
    assert everything(connect(target)) == everything(used)
    with pytest.raises(CommandError, match="not empty"):
        run("transfer", settings.STORE_URL, target)
    with pytest.raises(CommandError, match="must start with"):
        run("transfer", settings.STORE_URL, "postgres://x")


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("stream", "said"), [(Terminal, "\rBackup: 2,000 items"), (StringIO, "")])
def test_progress_is_shown_to_whoever_watches(stream, said, monkeypatch):
    monkeypatch.setattr("upkeep.progress.SECONDS_BETWEEN", 0)
    output = stream()
    with shown_on(OutputWrapper(output), "Backup") as progress:
        progress(2000)
    assert output.getvalue().startswith(said)
    assert output.getvalue().endswith("a second \n" if said else "")
    assert bool(output.getvalue()) == bool(said)
