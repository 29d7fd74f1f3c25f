"""Create the two tables where they are missing."""

from typing import Any

from store.formats import prepare
from upkeep.commands import StoreCommand


class Command(StoreCommand):
    help = "Creates the tables of the store where they are missing. Safe to run again."
    oldest = None

    def handle(self, **options: Any) -> None:
        self.table.create()
        prepare(self.table)
        self.stdout.write("The tables are there.")
