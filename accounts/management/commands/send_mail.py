"""Send what waits in the outbox."""

import os
import time
from argparse import ArgumentParser
from contextlib import suppress
from typing import Any

from django.core.management.base import BaseCommand

from accounts.letters import compose
from accounts.mail import send_waiting
from store.table import StoreError

SECONDS_BETWEEN = 2


class Command(BaseCommand):
    help = "Sends the mails that wait in the outbox, each at most once. Any number may run at the same time."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--forever", action="store_true", help="go on until the process that started it is gone")

    def handle(self, forever: bool, **options: Any) -> None:
        if not forever:
            self.stdout.write(f"{send_waiting(compose)} mails sent.")
            return
        with suppress(KeyboardInterrupt):
            self._go_on(os.getppid())

    def _go_on(self, parent: int) -> None:
        while os.getppid() == parent:
            try:
                send_waiting(compose)
            except StoreError as error:
                self.stderr.write(str(error))
            time.sleep(SECONDS_BETWEEN)
