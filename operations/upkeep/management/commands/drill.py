"""Test whether a backup can be restored, without affecting the site."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from operations.upkeep.backups import drill


class Command(BaseCommand):
    help = (
        "Restores a backup into a temporary store, verifies and replays it there, opens the main pages, reports how "
        "long each step took, and deletes everything again. Sends no mail and listens on no port. Temporary files take "
        "about four times the size of the store."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="a file written by the command backup; - for standard input")
        text = "the checkpoint printed when the backup was made, or an earlier one from a mail"
        parser.add_argument("--checkpoint", metavar="NUMBER:HASH", help=text)

    def handle(self, file: str, checkpoint: str | None, **options: Any) -> None:
        path = file if file == "-" else str(Path(file).absolute())
        with drill.temporary_site():
            self._step("Restored", lambda: self._call("restore", path))
            self._step("Verified", lambda: self._call("verify", checkpoint=checkpoint))
            self._step("Replayed", lambda: self._call("replay"))
            self._step("Pages opened", self._open_pages)
        self.stdout.write("The backup can be restored. The temporary store has been deleted.")

    def _step(self, what: str, act: Callable[[], None]) -> None:
        start = time.monotonic()
        act()
        self.stdout.write(f"{what} in {time.monotonic() - start:.1f} s.")

    def _call(self, command: str, *arguments: str, **options: Any) -> None:
        """Without their warnings about the consequences of a real restore."""
        call_command(command, *arguments, stdout=self.stdout, stderr=StringIO(), **options)

    def _open_pages(self) -> None:
        if flaws := drill.refused():
            raise CommandError(f"Pages that fail: {', '.join(flaws)}.")
