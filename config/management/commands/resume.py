"""Let a paused site go on, from a shell: also when its owner cannot sign in."""

from typing import Any

from django.core.management.base import CommandError

from accounts.rules import Refusal
from config import pause
from config.commands import StoreCommand


class Command(StoreCommand):
    help = "Ends the pause."

    def handle(self, **options: Any) -> None:
        try:
            pause.resume("plenum")
        except Refusal as refusal:
            raise CommandError(str(refusal)) from None
        self.stdout.write("The site goes on.")
