"""The commands backup, restore and transfer, as somebody types them."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from io import BufferedReader, BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from urllib.parse import urlsplit

import orjson
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError, OutputWrapper

from accounts import setup_link
from foundation.store import formats, keys
from foundation.store.backup import encoded
from foundation.store.connect import connect
from foundation.store.log import Event, EventLog
from foundation.store.table import Delete, Put
from operations.upkeep import heartbeats, server
from operations.upkeep.commands import show_count

from .test_commands import run


def everything(table) -> list[bytes]:
    """Every item that is kept; the order of its attributes is nobody's business. A sealer notes how far it has
    published when a quarter of an hour is over, and that is its own."""
    entries = (entry for entry in table.everything() if entry[1]["PK"] != keys.PUBLISHING.pk)
    return sorted(orjson.dumps(encoded(list(entry)), option=orjson.OPT_SORT_KEYS) for entry in entries)


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
    with pytest.raises(CommandError, match="is not a file"):
        run("restore", str(tmp_path / "nowhere"))


def test_a_store_that_is_not_there_leaves_no_file(elsewhere, tmp_path):
    elsewhere()
    with pytest.raises(CommandError, match="create_tables"):
        run("backup", str(tmp_path / "file"))
    assert not list(tmp_path.glob("file*"))


def test_standard_output_holds_the_backup_and_nothing_else(used, elsewhere, monkeypatch, capsysbinary):
    stderr, before = StringIO(), everything(used)
    call_command("backup", "-", stderr=stderr)
    content = capsysbinary.readouterr().out
    assert "items are in the backup" in stderr.getvalue()
    other = elsewhere()
    piped(monkeypatch, content)
    run("restore", "-", stderr=stderr)
    assert everything(other) == before


@pytest.mark.deep
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


def test_a_store_that_a_first_start_has_made_is_filled(used, elsewhere, tmp_path):
    """As after installing on a new machine: the site has run, and nobody has done anything yet."""
    before = everything(used)
    run("backup", str(tmp_path / "file"))
    other = elsewhere()
    other.create()
    formats.prepare(other)
    assert setup_link.new_link()
    worker = heartbeats.HeartbeatSender(other, {})
    worker.send()
    with pytest.raises(CommandError, match=r"systemctl stop plenum\.socket plenum plenum-worker"):
        run("restore", str(tmp_path / "file"))
    other.write(Delete(worker.place))
    run("restore", str(tmp_path / "file"))
    assert everything(other) == before, "and the link for a first owner is gone"


def test_a_store_in_use_is_moved_aside_if_that_is_wanted_and_nobody_is_at_work(used, settings, tmp_path):
    settings.DATA_DIR = Path(urlsplit(settings.STORE_URL).path).parent
    before = everything(used)
    run("backup", str(tmp_path / "file"))
    EventLog(used).record(Event("ada", "ThingMade"))
    lock = server.lock_folder(settings.DATA_DIR)
    for replace in ((), ("--replace",)):
        with pytest.raises(CommandError, match=r"server is using DATA_DIR .* Stop the site first: systemctl stop"):
            run("restore", str(tmp_path / "file"), *replace)
    os.close(lock)
    stderr = StringIO()
    run("restore", str(tmp_path / "file"), "--replace", stderr=stderr)
    assert everything(connect(settings.STORE_URL)) == before
    (moved,) = settings.DATA_DIR.glob("*.replaced-*")
    assert str(moved) in stderr.getvalue()
    assert len(everything(connect(f"sqlite://{moved}"))) > len(before)


def test_who_is_refused_is_told_what_to_do(used, tmp_path):
    run("backup", str(tmp_path / "file"))
    with pytest.raises(CommandError, match=r"not empty.*systemctl stop.*restore --replace.*plenum --with STORE_URL="):
        run("restore", str(tmp_path / "file"))


OPEN = {"allow_vote": True, "secret_ballot": True, "lots_commitment": "5"}


def test_that_a_secret_election_is_open_is_said(site, tmp_path):
    stderr = StringIO()
    run("backup", str(tmp_path / "before"), stderr=stderr)
    assert "secret elections" not in stderr.getvalue()
    place = keys.election("Board")
    site.write(Put({"PK": place.pk, "SK": place.sk, **OPEN}))
    run("backup", str(tmp_path / "during"), stderr=stderr)
    assert "Open secret elections: 1." in stderr.getvalue()


def test_a_transfer_from_store_to_store(used, settings, tmp_path):
    target = f"sqlite://{tmp_path}/target.sqlite3"
    assert run("transfer", settings.STORE_URL, target) == f"{len(everything(used))} items were copied and compared."
    assert everything(connect(target)) == everything(used)
    with pytest.raises(CommandError, match="not empty"):
        run("transfer", settings.STORE_URL, target)
    with pytest.raises(CommandError, match="must start with"):
        run("transfer", settings.STORE_URL, "postgres://x")


# --- encrypted on the way, by another program ---


def test_in_production_a_file_is_not_encrypted_only_if_that_is_said(used, settings, tmp_path, capsysbinary):
    settings.PRODUCTION = True
    with pytest.raises(CommandError, match=r"plenum backup - \| gzip \| age -R RECIPIENTS -o FILE"):
        run("backup", str(tmp_path / "a"))
    assert not (tmp_path / "a").exists()
    run("backup", str(tmp_path / "a"), "--unencrypted")
    run("backup", "-", stderr=StringIO())
    assert capsysbinary.readouterr().out.startswith(b'{"checkpoint"')


def test_an_encrypted_file_is_for_age_to_open(used, elsewhere, tmp_path, monkeypatch):
    file = tmp_path / "plenum.jsonl.gz.age"
    file.write_bytes(b"age-encryption.org/v1\n-> X25519 ...")
    other = elsewhere()
    with pytest.raises(CommandError, match=r"age --decrypt -i KEYFILE FILE \| plenum restore -"):
        run("restore", str(file))
    piped(monkeypatch, file.read_bytes())
    with pytest.raises(CommandError, match="age --decrypt"):
        run("restore", "-")
    other.create()
    assert everything(other) == []


def piped(monkeypatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BufferedReader(BytesIO(content))))


def test_an_empty_pipe_leaves_the_store_in_its_place(used, settings, monkeypatch):
    settings.DATA_DIR = Path(urlsplit(settings.STORE_URL).path).parent
    before = everything(used)
    piped(monkeypatch, b"")
    with pytest.raises(CommandError, match="Nothing came through the pipe"):
        run("restore", "-", "--replace")
    assert (everything(used), list(settings.DATA_DIR.glob("*.replaced-*"))) == (before, [])


@pytest.mark.parametrize("packed", [False, True])
def test_a_pipe_that_ends_early_is_refused_and_the_store_is_no_site(used, elsewhere, tmp_path, monkeypatch, packed):
    run("backup", str(tmp_path / "file"))
    whole = (tmp_path / "file").read_bytes()
    short = gzip.compress(whole)[:-200] if packed else whole[: whole.rindex(b"\n", 0, -1) + 1]
    other = elsewhere()
    piped(monkeypatch, short)
    with pytest.raises(CommandError, match=r"cut short.*The store is not whole now"):
        run("restore", "-", stderr=StringIO())
    assert other.get(keys.RESTORING)
    with pytest.raises(CommandError, match="not whole"):
        run("restore", str(tmp_path / "file"))


@pytest.mark.deep
def test_a_full_disk_behind_standard_output_gets_a_sentence(used, settings):
    environment = os.environ | {"STORE_URL": settings.STORE_URL}
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "manage.py", "backup", "-"]
        done = subprocess.run(command, env=environment, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert done.stderr.decode().strip() == "CommandError: The backup cannot be written: No space left on device."
    assert used.get(keys.LAST_BACKUP) is None


# --- kept in a folder, and told of ---


def make(folder: Path, moment: datetime, *options: str) -> str:
    """As deploy/backup does, with a program that encrypts nothing."""
    file = folder / f"plenum-{moment:%Y%m%dT%H%M%SZ}.jsonl.gz.age"
    run("backup", str(file), f"--record={file}.json", stderr=StringIO())
    return run("backup_made", str(file), *options)


def test_old_backups_of_the_folder_are_deleted_once_there_is_a_newer_one(used, tmp_path):
    place, moment = keys.election("Board"), datetime(2026, 11, 1, 3, tzinfo=UTC)
    for day in range(5):
        if day == 1:
            used.write(Put({"PK": place.pk, "SK": place.sk, **OPEN}))
        if day == 4:
            used.write(Delete(place))
        said = make(tmp_path, moment + timedelta(days=day), "--keep=3650")
    names = ["plenum-20261101T030000Z.jsonl.gz.age", "plenum-20261105T030000Z.jsonl.gz.age"]
    assert sorted(path.name for path in tmp_path.glob("plenum-*.age")) == names
    assert sorted(path.name for path in tmp_path.glob("plenum-*.json")) == [f"{name}.json" for name in names]
    size = (tmp_path / names[1]).stat().st_size
    assert said.splitlines() == [
        f"The newest backup is {tmp_path / names[1]}, {size} bytes.",
        *(f"Deleted: plenum-2026110{day}T030000Z.jsonl.gz.age" for day in (4, 3)),
    ]
    assert used.get(keys.LAST_BACKUP)["bytes"] == size


def test_what_is_no_backup_with_a_record_is_not_told_of(used, tmp_path):
    file = tmp_path / "plenum-20261101T030000Z.jsonl.gz.age"
    with pytest.raises(CommandError, match="at least 1"):
        run("backup_made", str(file), "--keep=0")
    with pytest.raises(CommandError, match="is not named as a backup"):
        run("backup_made", str(tmp_path / "backup"))
    with pytest.raises(CommandError, match=rf"{file.name}\.json cannot be used: No such file"):
        run("backup_made", str(file))
    for record in ("{", "[]", '{"items": 1}'):
        (tmp_path / f"{file.name}.json").write_text(record)
        file.write_text("")
        with pytest.raises(CommandError, match="is not what `backup --record` writes"):
            run("backup_made", str(file))
    assert used.get(keys.LAST_BACKUP) is None


def test_a_backup_that_fails_leaves_nothing_and_is_not_told_of(used, tmp_path, monkeypatch):
    def broken(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("operations.upkeep.management.commands.backup.backup", broken)
    for name in (str(tmp_path / "file"), "-"):
        with pytest.raises(CommandError, match="No space left on device"):
            run("backup", name, f"--record={tmp_path / 'record'}")
    assert list(tmp_path.glob("file*")) + list(tmp_path.glob("record*")) == []
    assert used.get(keys.LAST_BACKUP) is None


def test_a_pipe_is_not_told_of_as_only_its_end_knows_whether_it_is_complete(used, tmp_path):
    run("backup", "-", f"--record={tmp_path / 'record'}", stderr=StringIO())
    assert (tmp_path / "record").stat().st_mode & 0o777 == 0o600
    assert used.get(keys.LAST_BACKUP) is None
    with pytest.raises(CommandError, match="cannot be written: No such file"):
        run("backup", "-", f"--record={tmp_path / 'nowhere' / 'record'}", stderr=StringIO())


def test_a_backup_is_told_of_by_its_end(used, tmp_path):
    said = run("backup", str(tmp_path / "file"))
    told = used.get(keys.LAST_BACKUP)
    assert told["bytes"] == (tmp_path / "file").stat().st_size
    assert f"{told['items']} items" in said
    assert f"Checkpoint {told['checkpoint']}" in said
    assert told["ended_at"].endswith("Z")


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("stream", "said"), [(Terminal, "\rBackup: 2,000 items"), (StringIO, "")])
def test_progress_is_shown_to_whoever_watches(stream, said, monkeypatch):
    monkeypatch.setattr("operations.upkeep.commands.UPDATE_INTERVAL_SECONDS", 0)
    output = stream()
    with show_count(OutputWrapper(output), "Backup") as progress:
        progress(2000)
    assert output.getvalue().startswith(said)
    assert output.getvalue().endswith("a second \n" if said else "")
    assert bool(output.getvalue()) == bool(said)
