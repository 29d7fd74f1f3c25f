"""Pause the site from a shell, for example before moving the store."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from foundation.acts import pause
from foundation.acts.pause import MAX_PAUSE_MINUTES
from operations.upkeep.commands import StoreCommand


class Command(StoreCommand):
    help = "Makes the site read-only until `resume`. Returns once every process knows."
    oldest = 0

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--minutes", type=int, default=30, help="how long it is expected to take")
        parser.add_argument("--sentence", default="", help="a message shown to visitors")

    def handle(self, *, minutes: int, sentence: str, **options: Any) -> None:
        if not 1 <= minutes <= MAX_PAUSE_MINUTES or len(sentence) > pause.MAX_MESSAGE_CHARS:
            most = f"{MAX_PAUSE_MINUTES} minutes and {pause.MAX_MESSAGE_CHARS} characters"
            raise CommandError(f"A pause takes at least a minute; the limits are {most}.")
        pause.pause("plenum", minutes, sentence)
        self.stdout.write("The site is paused.")
