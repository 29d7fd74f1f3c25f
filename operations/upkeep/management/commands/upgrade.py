"""Upgrade a store written by an earlier version to the format of this one."""

import time
from argparse import ArgumentParser
from functools import partial
from typing import Any

from foundation.store import formats
from operations.upkeep.commands import StoreCommand, show_count
from operations.upkeep.upgrading import steps_from, upgrade


class Command(StoreCommand):
    help = (
        "Runs every step from the store's format to the one this version writes. Stop the site and make a backup "
        "first. Can be interrupted and run again: it continues with the unfinished step."
    )
    oldest = 0
    waits = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--look", action="store_true", help="only print what would be done")

    def handle(self, *, look: bool, **options: Any) -> None:
        number = formats.format_of(self.table)
        if number in (None, formats.FORMAT):
            self.stdout.write(f"There is nothing to upgrade: the store has format {formats.FORMAT}.")
            return
        self.stdout.write(f"The store has format {number}; this version writes {formats.FORMAT}.")
        for step in steps_from(number or 0):
            self.stdout.write(f"- {step.title}.")
        if not look:
            upgrade(self.table, partial(show_count, self.stderr), self._wait)
            self.stdout.write(f"The store was upgraded to format {formats.FORMAT}.")

    def _wait(self, seconds: float) -> None:
        if not self.waits:
            self.stderr.write("Another process is sealing or upgrading, or was killed. Waiting, at most half a minute.")
            self.waits = True
        time.sleep(seconds)
