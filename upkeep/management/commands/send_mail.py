"""Send what waits in the outbox."""

from typing import Any

from mail.letters import compose
from mail.sending import send_waiting
from upkeep.commands import StoreCommand


class Command(StoreCommand):
    help = "Sends the mails that wait in the outbox, each at most once. Any number may run at the same time."

    def handle(self, **options: Any) -> None:
        self.stdout.write(f"{send_waiting(compose)} mails sent.")
