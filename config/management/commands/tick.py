"""What a clock has to set off: once, for whoever prefers a timer of their own to the worker."""

from typing import Any

from accounts.services import see_off_all
from ballots.services import seal_what_is_closed
from config.commands import StoreCommand
from config.log import site_sealer
from elections.invitations import take_mailings_on
from elections.services import close_what_is_over


class Command(StoreCommand):
    help = "Records elections that are over, takes mailings on and seals events, once. Safe to run again and at once."

    def handle(self, **options: Any) -> None:
        see_off_all()
        closed = close_what_is_over()
        seal_what_is_closed()
        queued, sealed = take_mailings_on(), site_sealer().seal()
        self.stdout.write(f"{closed} elections closed, {queued} mails queued, {sealed} event numbers sealed.")
