"""Resume a paused site from a shell, even if its owner cannot sign in."""

from typing import Any

from foundation.acts import pause
from operations.upkeep.commands import StoreCommand


class Command(StoreCommand):
    help = "Ends the pause."
    oldest = 0

    def handle(self, **options: Any) -> None:
        pause.resume("plenum")
        self.stdout.write("The site is running again.")
