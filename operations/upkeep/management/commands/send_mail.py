"""Send the waiting mails, or a test mail."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from foundation.mail.emails import compose
from foundation.mail.outages import clear_all_outages
from foundation.mail.sending import send_test_email, send_waiting
from foundation.mail.smtp import MailError
from operations.upkeep.commands import StoreCommand


class Command(StoreCommand):
    help = (
        "Sends the mails that are due, each at most once, even if the mail server could not be reached a moment ago. "
        "Safe to run several times at once. With --test, sends one test mail and prints the mail server's reply."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--test", metavar="ADDRESS", help="send a test mail to this address, and nothing else")

    def handle(self, *, test: str | None = None, **options: Any) -> None:
        if test is not None:
            try:
                answer = send_test_email(test)
            except MailError as error:
                raise CommandError(f"The mail server rejected it: {error.text}") from error
            self.stdout.write(f"The mail server accepted it: {answer}" if answer else "The test mail was sent.")
            return
        clear_all_outages()
        self.stdout.write(f"{send_waiting(compose)} mails sent.")
