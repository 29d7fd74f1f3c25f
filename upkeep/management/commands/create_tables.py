"""Create the two tables where they are missing."""

from typing import Any

from upkeep.commands import StoreCommand


class Command(StoreCommand):
    help = "Creates the tables of the store where they are missing. Safe to run again."

    def handle(self, **options: Any) -> None:
        self.table.create()
        self.stdout.write("The tables are there.")
