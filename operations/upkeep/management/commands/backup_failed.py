"""Report a failed backup, in the log and by mail to the owner."""

import logging
from argparse import ArgumentParser
from typing import Any

from operations.upkeep.commands import StoreCommand
from operations.upkeep.watchers import warn_of_failure

log = logging.getLogger("plenum.backup")


class Command(StoreCommand):
    help = "Logs that a backup failed and mails the owner, once a day. systemd runs it when plenum-backup fails."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("unit", nargs="?", default="plenum-backup", help="what failed")

    def handle(self, unit: str, **options: Any) -> None:
        log.error("failed", extra={"unit": unit})
        queued = warn_of_failure()
        self.stdout.write(
            "The owner is being told by mail." if queued else "The owner was told earlier today, or there is none."
        )
