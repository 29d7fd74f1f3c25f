"""Let a paused site go on, from a shell: also when its owner cannot sign in."""

from typing import Any

from django.core.management.base import CommandError

from acts.refusals import Refusal
from upkeep import pause
from upkeep.commands import StoreCommand


class Command(StoreCommand):
    help = "Ends the pause."
    oldest = 0

    def handle(self, **options: Any) -> None:
        try:
            pause.resume("plenum")
        except Refusal as refusal:
            raise CommandError(str(refusal)) from None
        self.stdout.write("The site is running again.")
