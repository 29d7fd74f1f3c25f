"""Move the event log to another number of partitions."""

import time
from argparse import ArgumentParser
from typing import Any

from store import formats
from store.log import layout, moving
from upkeep.commands import StoreCommand
from upkeep.progress import shown_on
from upkeep.upgrading import alone


class Command(StoreCommand):
    help = (
        "Spreads the events over so many partitions, or brings them together again. Stop the site and make a backup "
        "first: until the end it is not served. May be interrupted and run again: it goes on where it was stopped."
    )
    oldest = None
    waits = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--partitions",
            type=int,
            metavar="NUMBER",
            help=f"1 to {layout.MOST}; a new log on DynamoDB has {layout.SPREAD}, an embedded one 1. Unless said "
            f"otherwise: where a move has begun, its own, else {layout.SPREAD}",
        )

    def handle(self, *, partitions: int | None, **options: Any) -> None:
        there = moving.header(self.table)
        if there.moving is None:
            formats.check(self.table)
        else:
            self.stdout.write(f"A move to {there.moving['to']} partitions has begun and was cut off; it goes on.")
        wanted = partitions or (there.moving["to"] if there.moving else layout.SPREAD)
        if there.moving is None and there.partitions == wanted:
            self.stdout.write(f"There is nothing to move: events lie in {wanted} partitions.")
            return
        with (
            alone(self.table, self._wait),
            shown_on(self.stderr, "Copied") as copied,
            shown_on(self.stderr, "Removed where they were") as removed,
        ):
            moving.move(self.table, wanted, copied, removed)
        self.stdout.write(f"Events lie in {wanted} partitions now. “plenum verify” reads the whole log there.")

    def _wait(self, seconds: float) -> None:
        if not self.waits:
            self.stderr.write("Somebody seals or moves just now, or was killed at it. Waiting, half a minute at most.")
            self.waits = True
        time.sleep(seconds)
