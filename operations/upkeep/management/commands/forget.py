"""Erase a name or address that no account has from the log."""

from argparse import ArgumentParser
from typing import Any

from operations.upkeep import erasure
from operations.upkeep.commands import StoreCommand


class Command(StoreCommand):
    help = (
        "Marks the name of a removed person, or an address without an account, for the worker to erase from the log. "
        "People removed from now on are erased automatically after FORGET_AFTER_DAYS. Existing elections keep their "
        "records until they are deleted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name_or_email", help="as it was written; case does not matter")

    def handle(self, name_or_email: str, **options: Any) -> None:
        erasure.request_erasure(name_or_email)
        self.stdout.write("Marked. The worker erases it from the log within minutes, once all events are sealed.")
