"""Send what waits in the outbox, or a test mail."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from mail.emails import compose
from mail.errors import MailError
from mail.outages import clear_all_outages
from mail.sending import send_test_email, send_waiting
from upkeep.commands import StoreCommand


class Command(StoreCommand):
    help = (
        "Sends the mails that are due, each at most once, also if the mail server was out of reach a moment ago. Any "
        "number may run at the same time. With --test sends one test mail and says what the mail server answered."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--test", metavar="ADDRESS", help="send a test mail to this address, and nothing else")

    def handle(self, *, test: str | None = None, **options: Any) -> None:
        if test is not None:
            self._test(test)
            return
        clear_all_outages()
        self.stdout.write(f"{send_waiting(compose)} mails sent.")

    def _test(self, address: str) -> None:
        try:
            answer = send_test_email(address)
        except MailError as error:
            raise CommandError(f"The mail server did not take it: {error.text}") from error
        self.stdout.write(f"The mail server took it: {answer}" if answer else "The test mail is sent.")
