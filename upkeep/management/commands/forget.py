"""Have the log forget a name or an address that no account has."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from upkeep.commands import StoreCommand
from upkeep.erasure import log_erasure


class Command(StoreCommand):
    help = (
        "Marks a name of somebody who was removed, or an address that no account has, so that the worker has the log "
        "forget it. For whoever is removed from now on this happens by itself, after FORGET_AFTER_DAYS. Elections "
        "that are kept keep their record until they are deleted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name_or_email", help="as it was written; case does not matter")

    def handle(self, name_or_email: str, **options: Any) -> None:
        try:
            log_erasure.request_erasure(name_or_email)
        except log_erasure.NothingToForget as refusal:
            raise CommandError(str(refusal)) from None
        self.stdout.write("Marked; the worker has the log forget it within minutes, once all of it is sealed.")
