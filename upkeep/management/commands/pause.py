"""Pause the site, from a shell: before moving the store, say."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from acts.refusals import Refusal
from upkeep import pause
from upkeep.commands import StoreCommand
from upkeep.pause import MAX_PAUSE_MINUTES


class Command(StoreCommand):
    help = "Refuses every change until `resume`; reading goes on. Comes back when every process knows it."
    oldest = 0

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--minutes", type=int, default=30, help="how long it may take")
        parser.add_argument("--sentence", default="", help="what people are told")

    def handle(self, *, minutes: int, sentence: str, **options: Any) -> None:
        if not 1 <= minutes <= MAX_PAUSE_MINUTES or len(sentence) > pause.MAX_MESSAGE_CHARS:
            most = f"{MAX_PAUSE_MINUTES} minutes and {pause.MAX_MESSAGE_CHARS} characters"
            raise CommandError(f"A pause has at least a minute and at most {most}.")
        try:
            pause.pause("plenum", minutes, sentence)
        except Refusal as refusal:
            raise CommandError(str(refusal)) from None
        self.stdout.write("The site is paused.")
