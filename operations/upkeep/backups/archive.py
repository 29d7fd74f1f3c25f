"""Backup files: written atomically or into a pipe, reopened, and recorded."""

from __future__ import annotations

import gzip
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, cast

from django.core.management.base import CommandError

from foundation.acts.storage import now_text, table
from foundation.store import keys
from foundation.store.backup import unzipped
from foundation.store.table import Put

from . import input_files

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
