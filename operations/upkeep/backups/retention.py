"""How long the backups in a folder are kept, and the records that show which to delete.

Beside each backup is a small record: how large it is, and which secret elections were open then, under pseudonyms. So
the machine that makes backups knows which to delete without being able to read them.

Two backups made while a secret election was open can be compared (docs/explanation/threats.md): if only one person
voted in between, the new ballot is theirs. So only the newest few are kept of an open election, and none once it is
closed and sealed and a newer backup contains all of it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from .archive import ENCRYPTED

NAME = re.compile(r"plenum-\d{8}T\d{6}Z\.jsonl\.gz(\.age)?")
FOLDER = Path("/var/lib/plenum-backups")  # where deploy/plenum-backup.service puts them
MIN_BACKUPS = 3  # the newest complete ones are kept, however old


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
    """Unencrypted backups. Empty if the folder does not exist or we may not read it."""
    try:
        return sorted(path for path in folder.iterdir() if path.is_file() and _is_plain(path))
    except OSError:
        return []


def _is_plain(path: Path) -> bool:
    """By its name and first bytes: a backup, compressed or not, that is not encrypted."""
    if ".jsonl" not in path.name or path.name.endswith(".json"):
        return False
    with path.open("rb") as file:
        return file.read(len(ENCRYPTED)) != ENCRYPTED


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
