"""What has to happen again and again beside the server."""

import os
import time
from contextlib import suppress
from typing import Any

from accounts.letters import compose
from accounts.mail import send_waiting
from accounts.services import see_off_all
from ballots.services import seal_what_is_closed
from config.commands import StoreCommand
from config.log import site_sealer
from elections.invitations import take_mailings_on
from elections.reminders import remind_by_the_clock
from elections.renaming import finish_all
from elections.services import close_what_is_over
from store.table import StoreError

SECONDS_BETWEEN = 2


class Command(StoreCommand):
    help = "Sends mail, seals events and sweeps what has expired, until the process that started it is gone."

    def handle(self, **options: Any) -> None:
        with suppress(KeyboardInterrupt):
            self._go_on(os.getppid())

    def _go_on(self, parent: int) -> None:
        while os.getppid() == parent:
            try:
                see_off_all()
                finish_all()
                close_what_is_over()
                seal_what_is_closed()
                remind_by_the_clock()
                take_mailings_on()
                send_waiting(compose)
                site_sealer().seal()
                self.table.sweep()
            except StoreError as error:
                self.stderr.write(str(error))
            time.sleep(SECONDS_BETWEEN)
