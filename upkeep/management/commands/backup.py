"""Write everything the store holds into one file."""

import gzip
import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import CommandError

from store.backup import backup
from upkeep.commands import StoreCommand
from upkeep.progress import shown_on


class Command(StoreCommand):
    help = (
        "Writes all items of both tables as JSON lines, while the site runs. "
        "It leaves out what ties secret ballots to their voters: in a secret election that is open, those who have "
        "voted could not change or withdraw their ballots after a restore."
    )
    oldest = 0

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="a new file, compressed if its name ends in .gz; - for standard output")

    def handle(self, file: str, **options: Any) -> None:
        with _opened(file) as lines, shown_on(self.stderr, "Backup") as progress:
            summary = backup(self.table, lines, progress)
        said = self.stderr if file == "-" else self.stdout
        said.write(f"{summary.items} items are in the backup; SHA-256 {summary.sha256}.")
        if summary.salts:
            self.stderr.write(
                f"Secret elections that are open: {summary.salts}. The backup does not say whose which ballot is; "
                "should you restore it, what was cast by now counts, and can no longer be changed or withdrawn."
            )


@contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    if name == "-":
        with _piped() as lines:
            yield lines
    elif os.path.lexists(name):
        raise CommandError(f"{name} is there already; choose another name.")
    else:
        with _written_whole(Path(name)) as raw:
            if name.endswith(".gz"):
                with gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
                    yield packed  # type: ignore[misc]
            else:
                yield raw


@contextmanager
def _piped() -> Iterator[BinaryIO]:
    try:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    except BrokenPipeError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains once more when it ends
        raise CommandError("Whoever read the backup went away before its end.") from error


@contextmanager
def _written_whole(path: Path) -> Iterator[BinaryIO]:
    """A file that has its name only once it is whole and on disk, and is nobody else's to read."""
    part = path.with_name(path.name + ".part")
    try:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "wb", buffering=1024 * 1024) as raw:
            yield raw
            raw.flush()
            os.fsync(raw.fileno())
        os.replace(part, path)
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        with suppress(OSError):
            os.unlink(part)
