"""Copy one store into another."""

from argparse import ArgumentParser
from typing import Any

from foundation.store import formats
from foundation.store.backup import transfer
from foundation.store.connect import connect
from operations.upkeep.commands import StoreCommand, show_count


class Command(StoreCommand):
    help = (
        "Copies everything from one store into another, empty one, and compares every item afterwards. Stop the site "
        "first: changes made meanwhile are not copied."
    )
    oldest = None

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source", metavar="FROM_URL", help="as in STORE_URL: sqlite:///path or dynamodb://region")
        parser.add_argument("target", metavar="TO_URL", help="the same; missing tables are created")

    def handle(self, source: str, target: str, **options: Any) -> None:
        formats.check(connect(source), oldest=0)
        filled = connect(target)
        filled.create()
        with show_count(self.stderr, "Transfer") as progress:
            items = transfer(connect(source), filled, progress)
        self.stdout.write(f"{items} items were copied and compared.")
