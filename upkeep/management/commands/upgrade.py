"""Bring a store that an earlier version has written to the format of this one."""

import time
from argparse import ArgumentParser
from functools import partial
from typing import Any

from store import formats
from upkeep.backups import retention as keeping
from upkeep.commands import StoreCommand
from upkeep.progress import show_count
from upkeep.upgrading import steps_from, upgrade


class Command(StoreCommand):
    help = (
        "Takes every step from the format the store has to the one this version writes. Stop the site and make a "
        "backup first. May be interrupted and run again: it goes on with the step at which it was stopped."
    )
    oldest = 0
    waits = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--look", action="store_true", help="say what would be done, and do nothing")

    def handle(self, *, look: bool, **options: Any) -> None:
        self._upgrade(look)
        if found := keeping.unencrypted_in(keeping.FOLDER):
            self.stderr.write(
                f"Backups in {keeping.FOLDER} that are not encrypted: {', '.join(path.name for path in found)}. Of an "
                "earlier version, they may tie secret ballots to voters, and nobody deletes them by itself: set "
                "BACKUP_RECIPIENTS, make a new backup, and delete them, here and wherever copies of them lie."
            )

    def _upgrade(self, look: bool) -> None:
        number = formats.format_of(self.table)
        if number in (None, formats.FORMAT):
            self.stdout.write(f"There is nothing to upgrade: the format is {formats.FORMAT}.")
            return
        self.stdout.write(f"The store has the format {number}; this version writes {formats.FORMAT}.")
        for step in steps_from(number or 0):
            self.stdout.write(f"- {step.title}.")
        if not look:
            upgrade(self.table, partial(show_count, self.stderr), self._wait)
            self.stdout.write(f"The store is upgraded, and has the format {formats.FORMAT} now.")

    def _wait(self, seconds: float) -> None:
        if not self.waits:
            self.stderr.write(
                "Somebody seals or upgrades just now, or was killed at it. Waiting, half a minute at most."
            )
            self.waits = True
        time.sleep(seconds)
