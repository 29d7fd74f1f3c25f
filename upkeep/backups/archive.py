"""Backup files: written atomically, encrypted to keys that are stored elsewhere, reopened, and recorded."""

from __future__ import annotations

import gzip
import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, cast

from django.core.management.base import CommandError

from acts.storage import now_text, table
from store import keys
from store.backup import Summary, unzipped
from store.table import Put

from . import age, input_files

PACKED = ".gz"


# --- writing ---


class Counting:
    """A file that counts the bytes written to it."""

    def __init__(self, file: BinaryIO):
        self.file = file
        self.bytes = 0

    def write(self, data: bytes) -> int:
        self.bytes += len(data)
        return self.file.write(data)

    def flush(self) -> None:
        self.file.flush()


@contextmanager
def encrypted_and_packed(file: BinaryIO, recipients: Sequence[str], packed: bool) -> Iterator[BinaryIO]:
    """A stream that compresses, then encrypts, then writes to the file; complete only if nothing failed."""
    encrypting = age.Encrypting(file, recipients) if recipients else None
    inner = cast(BinaryIO, encrypting or file)
    if packed:
        with gzip.GzipFile("", "wb", 6, inner, mtime=0) as packing:
            yield cast(BinaryIO, packing)
    else:
        yield inner
    if encrypting is not None:
        encrypting.finish()


@contextmanager
def to_pipe() -> Iterator[BinaryIO]:
    try:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except BrokenPipeError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains again at exit
        raise CommandError("Whoever read the backup went away before its end.") from error


@contextmanager
def to_file(path: Path) -> Iterator[BinaryIO]:
    """A file that gets its name only once it is complete and on disk, and that only its owner can read."""
    if os.path.lexists(path):
        raise CommandError(f"{path} is there already; choose another name.")
    part = path.with_name(path.name + ".part")
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "wb", buffering=1024 * 1024) as raw:
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


def is_encrypted(file: io.BufferedReader) -> bool:
    return file.peek(len(age.VERSION)).startswith(age.VERSION)


def opened(file: io.BufferedReader, identities: Sequence[str]) -> BinaryIO:
    """The lines of a backup, decrypted and decompressed as needed."""
    if is_encrypted(file):
        file = io.BufferedReader(age.Decrypting(file, identities), buffer_size=age.CHUNK_BYTES)
    return unzipped(file)


def identities_of(path: str) -> list[str]:
    try:
        return age.identities_in(input_files.text(path))
    except OSError as error:
        raise CommandError(f"The identity {path} cannot be read: {input_files.reason(error)}.") from error
    except (age.BadKey, UnicodeDecodeError) as error:
        reason = error if isinstance(error, age.BadKey) else "It is no text."
        raise CommandError(f"The identity {path} cannot be used. {reason}") from error


# --- recording ---


def record_backup(summary: Summary, size: int) -> None:
    """Record for monitoring that there is a backup, and when. This is not an act of a person, so there is no event."""
    place = keys.LAST_BACKUP
    fields = {"items": summary.items, "bytes": size, "checkpoint": summary.checkpoint}
    table().write(Put({"PK": place.pk, "SK": place.sk, "ended_at": now_text(), **fields}))
