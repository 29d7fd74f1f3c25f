"""Update the figures of the admin overview."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from upkeep.commands import StoreCommand
from upkeep.log import figures
from upkeep.worker.jobs import LOG
from upkeep.worker.leases import Leases


class Command(StoreCommand):
    help = "Adds newly sealed events to the figures of the admin overview. The worker does this automatically."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--again", action="store_true", help="delete the figures and count the whole log again")

    def handle(self, *, again: bool = False, **options: Any) -> None:
        with Leases(self.table).held(LOG.name) as ours:  # whoever seals the log also counts it
            if not ours:
                raise CommandError("The worker is updating them at the moment. Please try again.")
            if again:
                figures.reset(self.table)
            self.stdout.write(f"{figures.update(self.table)} events counted.")
