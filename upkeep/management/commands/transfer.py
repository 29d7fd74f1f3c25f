"""Copy one store into another."""

from argparse import ArgumentParser
from typing import Any

from acts.storage import use_table
from ballots.secrecy import unlink_all
from store import formats
from store.backup import transfer
from store.connect import connect
from store.table import Table
from upkeep.commands import StoreCommand, print_unlinked_warning
from upkeep.progress import show_count


class Command(StoreCommand):
    help = (
        "Copies everything from one store into another that is empty, and reads every item again there. "
        "Stop the site first: what is changed meanwhile is not copied. "
        "In secret elections that are open, what was cast by then counts, but nobody can change or withdraw it there: "
        "no copy says whose which ballot is."
    )
    oldest = None

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source", metavar="FROM_URL", help="as in STORE_URL: sqlite:///path or dynamodb://region")
        parser.add_argument("target", metavar="TO_URL", help="the same; its tables are made where they are missing")

    def handle(self, source: str, target: str, **options: Any) -> None:
        formats.check(connect(source), oldest=0)
        filled = connect(target)
        filled.create()
        with show_count(self.stderr, "Transfer") as progress:
            items = transfer(connect(source), filled, progress, lambda: self._unlink(filled))
        self.stdout.write(f"{items} items were copied, and are the same there.")

    def _unlink(self, filled: Table) -> None:
        with use_table(filled):
            print_unlinked_warning(self.stderr, unlink_all())
