"""Bring the figures of the admin overview up to date."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from upkeep.commands import StoreCommand
from upkeep.log import figures
from upkeep.worker.jobs import LOG
from upkeep.worker.leases import Leases


class Command(StoreCommand):
    help = "Counts what was sealed since the last time into the figures of the overview; the worker does so by itself."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--again", action="store_true", help="forget the figures and count the whole log anew")

    def handle(self, *, again: bool = False, **options: Any) -> None:
        with Leases(self.table).held(LOG.name) as ours:  # who seals the log counts it, too
            if not ours:
                raise CommandError("The worker is at it just now. Please try again.")
            if again:
                figures.reset(self.table)
            self.stdout.write(f"{figures.update(self.table)} events counted.")
