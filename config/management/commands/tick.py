"""What a clock has to set off: once, for whoever prefers a timer of their own to the worker."""

from typing import Any

from accounts.services import see_off_all
from ballots.services import seal_what_is_closed
from config.commands import StoreCommand
from config.log import site_sealer
from elections.invitations import take_mailings_on
from elections.reminders import remind_by_the_clock
from elections.renaming import finish_all
from elections.services import close_what_is_over


class Command(StoreCommand):
    help = "Does once what the worker does again and again, but for sending mail. Safe to run again and at once."

    def handle(self, **options: Any) -> None:
        see_off_all()
        finish_all()
        closed, reminded = close_what_is_over(), remind_by_the_clock()
        seal_what_is_closed()
        queued, sealed = take_mailings_on(), site_sealer().seal()
        mailed = f"{queued} mails queued, {reminded} reminders set off"
        self.stdout.write(f"{closed} elections closed, {mailed}, {sealed} event numbers sealed.")
