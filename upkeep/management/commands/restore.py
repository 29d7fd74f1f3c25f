"""Fill an empty store from a backup."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from ballots.services import unlink_all
from store.backup import check, restore, unzipped
from upkeep.commands import StoreCommand, say_unlinked
from upkeep.progress import shown_on


class Command(StoreCommand):
    help = (
        "Restores a backup into a store that is empty. A file is checked whole before anything is written, and an "
        "interrupted restore of the same file goes on; what comes through a pipe is checked at its end. "
        "In secret elections that were open when the backup was made, what was cast by then counts, but nobody can "
        "change or withdraw it: no backup says whose which ballot is."
    )
    oldest = None

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="what the command backup wrote, compressed or not; - for standard input")

    def handle(self, file: str, **options: Any) -> None:
        try:
            items = self._from_pipe() if file == "-" else self._from_file(Path(file))
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}.") from error
        self.stdout.write(f"{items} items were restored.")

    def _from_file(self, path: Path) -> int:
        if not path.is_file():
            raise CommandError(f"{path} is no file; to read from a pipe, name it - and let it be standard input.")
        with path.open("rb") as raw, shown_on(self.stderr, "Check") as progress:
            sha256 = check(unzipped(raw), progress)
        self.table.create()
        with path.open("rb") as raw, shown_on(self.stderr, "Restore") as progress:
            return restore(self.table, unzipped(raw), sha256, progress, self._unlink)

    def _from_pipe(self) -> int:
        self.stderr.write("From a pipe, the backup is checked at its end: until then the store is not whole.")
        self.table.create()
        with shown_on(self.stderr, "Restore") as progress:
            return restore(self.table, unzipped(sys.stdin.buffer), progress=progress, finish=self._unlink)

    def _unlink(self) -> None:
        say_unlinked(self.stderr, unlink_all())
