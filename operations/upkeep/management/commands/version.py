"""Print the version of Plenum and of what it runs on."""

from typing import Any

from foundation.store import formats
from operations.upkeep.commands import StoreCommand
from operations.upkeep.system import versions


class Command(StoreCommand):
    help = "Prints the version of Plenum, the store format it writes, and the versions of what it runs on."
    oldest = None

    def handle(self, **options: Any) -> None:
        for name, version in versions().items():
            self.stdout.write(f"{name} {version}")
        self.stdout.write(f"Format {formats.FORMAT}; serves {formats.OLDEST_SERVED} and later")
