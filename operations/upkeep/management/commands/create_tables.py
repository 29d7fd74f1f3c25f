"""Create the two tables if they are missing."""

from typing import Any

from foundation.store.formats import prepare
from operations.upkeep.commands import StoreCommand


class Command(StoreCommand):
    help = "Creates the store's tables if they are missing. Safe to run again."
    oldest = None

    def handle(self, **options: Any) -> None:
        self.table.create()
        prepare(self.table)
        self.stdout.write("The tables exist.")
