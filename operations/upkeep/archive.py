"""Backup files: written atomically or into a pipe, reopened, and recorded; and how long those in a folder are kept.

Beside each backup in the folder is a small record: how large it is, and which secret elections were open then, under
pseudonyms. So the machine that makes backups knows which to delete without being able to read them.

Two backups made while a secret election was open can be compared (docs/explanation/threats.md): if only one person
voted in between, the new ballot is theirs. So only the newest few are kept of an open election, and none once it is
closed and sealed and a newer backup contains all of it.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import BinaryIO, cast

from django.core.management.base import CommandError

from foundation.acts.storage import now_text, table
from foundation.store import keys
from foundation.store.backup import unzipped
from foundation.store.table import Put
from operations.upkeep import input_files

NAME = re.compile(r"plenum-\d{8}T\d{6}Z\.jsonl\.gz(\.age)?")
FOLDER = Path("/var/lib/plenum-backups")  # where deploy/plenum-backup.service puts them
MIN_BACKUPS = 3  # the newest complete ones are kept, however old
PACKED = ".gz"
ENCRYPTED = b"age-encryption.org/"  # how a file begins that age has written
HOW_TO_DECRYPT = (
    "The backup is encrypted. Have age decrypt it on the way: age --decrypt -i KEYFILE FILE | plenum restore -"
)


# --- writing ---


@contextmanager
def to_pipe() -> Iterator[BinaryIO]:
    try:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains again at exit
        if isinstance(error, BrokenPipeError):
            raise CommandError("Whoever read the backup went away before its end.") from error
        raise CommandError(f"The backup cannot be written: {input_files.reason(error)}.") from error


@contextmanager
def to_file(path: Path) -> Iterator[BinaryIO]:
    """A file that gets its name only once it is complete and on disk, and that only its owner can read. Compressed if
    its name says so."""
    if os.path.lexists(path):
        raise CommandError(f"{path} is there already; choose another name.")
    part = path.with_name(path.name + ".part")
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "wb", buffering=1024 * 1024) as raw:
            if PACKED in path.suffixes:
                with gzip.GzipFile("", "wb", 6, raw, mtime=0) as packing:
                    yield cast(BinaryIO, packing)
            else:
                yield raw
            raw.flush()
            os.fsync(raw.fileno())
        os.replace(part, path)
    except OSError as error:
        way = f" Or let your shell write it: plenum backup - > {path}" if isinstance(error, PermissionError) else ""
        raise CommandError(f"{path} cannot be written: {input_files.reason(error)}.{way}") from error
    finally:
        with suppress(OSError):
            os.unlink(part)


# --- reading ---


def opened(file: io.BufferedReader) -> BinaryIO:
    """The lines of a backup, decompressed as needed."""
    if file.peek(len(ENCRYPTED)).startswith(ENCRYPTED):
        raise CommandError(HOW_TO_DECRYPT)
    return unzipped(file)


# --- recording ---


def record_backup(items: int, size: int, checkpoint: str) -> None:
    """Record for monitoring that there is a backup, and when. This is not an act of a person, so there is no event."""
    place = keys.LAST_BACKUP
    fields = {"items": items, "bytes": size, "checkpoint": checkpoint}
    table().write(Put({"PK": place.pk, "SK": place.sk, "ended_at": now_text(), **fields}))


@dataclass(frozen=True, slots=True)
class Record:
    """What `backup` knows of the backup it has written, and, once that is complete, its size."""

    items: int
    checkpoint: str
    open: Sequence[str]  # secret elections, by `foundation.store.backup.tag`
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class StoredBackup:
    """A backup in the folder. One without a record was made by hand: only its age counts."""

    name: str
    made_at: datetime
    is_complete: bool
    open: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Policy:
    days: int = 35
    copies: int = 2  # of an open secret election
    keeps_all: bool = False  # whatever was open


# --- in the folder ---


def write_record(path: Path, record: Record) -> None:
    """Only its owner can read it, and it is never there in part."""
    part = path.with_name(path.name + ".part")
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(asdict(record), file)
    os.replace(part, path)


def complete_record(path: Path) -> Record:
    """The record beside a backup, completed by its size. Raises `TypeError` or `ValueError` if it is none."""
    record = replace(Record(**json.loads(record_path(path).read_text())), bytes=path.stat().st_size)
    write_record(record_path(path), record)
    return record


def found_in(folder: Path) -> list[StoredBackup]:
    """Every backup in the folder, newest first."""
    names = sorted((each.name for each in folder.iterdir() if NAME.fullmatch(each.name)), reverse=True)
    return [_backup_at(folder / name) for name in names]


def _backup_at(path: Path) -> StoredBackup:
    made_at = datetime.strptime(path.name.split(".")[0].removeprefix("plenum-"), "%Y%m%dT%H%M%S%z")
    try:
        record = json.loads(record_path(path).read_text())
        return StoredBackup(path.name, made_at, path.stat().st_size == record.get("bytes"), frozenset(record["open"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return StoredBackup(path.name, made_at, is_complete=False)


def record_path(path: Path) -> Path:
    return path.with_name(path.name + ".json")


def unencrypted_in(folder: Path) -> list[Path]:
    """Unencrypted backups, by their names and first bytes. Empty if there is no such folder or we may not read it."""
    found = []
    try:
        for path in folder.iterdir():
            if path.is_file() and ".jsonl" in path.name and not path.name.endswith(".json"):
                with path.open("rb") as file:
                    found += [path] if file.read(len(ENCRYPTED)) != ENCRYPTED else []
    except OSError:
        return []
    return sorted(found)


def delete(folder: Path, names: Iterable[str]) -> None:
    """The record is deleted last, so that after an interruption the next run still knows of the backup."""
    for name in names:
        with suppress(FileNotFoundError):
            os.unlink(folder / name)
        with suppress(FileNotFoundError):
            os.unlink(record_path(folder / name))


# --- what to delete ---


def expired(backups: Sequence[StoredBackup], policy: Policy, now: datetime, all_sealed: bool) -> list[str]:
    """Which of these backups, given newest first, to delete. The newest complete one is always kept."""
    newest = next((each for each in backups if each.is_complete), None)
    if newest is None:
        return []
    older = [each for each in backups if each.made_at < newest.made_at]
    gone = {each.name for each in _surplus(backups, MIN_BACKUPS) if now - each.made_at > timedelta(days=policy.days)}
    if not policy.keeps_all:
        gone |= {each.name for each in older if all_sealed and each.open - newest.open}
        for election in newest.open:
            made_then = [each for each in backups if election in each.open]
            gone |= {each.name for each in _surplus(made_then, policy.copies)}
    return [each.name for each in older if each.name in gone]


def _surplus(backups: Iterable[StoredBackup], count: int) -> Iterator[StoredBackup]:
    """Those after so many complete ones."""
    complete = 0
    for each in backups:
        if complete >= count:
            yield each
        complete += each.is_complete
