"""Help when the provider that everyone has to sign in with fails, and the owner cannot sign in either."""

from typing import Any

from django.core.management.base import CommandError

from accounts import policy
from foundation.acts.refusals import LostRace
from operations.upkeep.commands import StoreCommand


class Command(StoreCommand):
    help = "Lets everyone sign in with a password again, if the owner has required a provider. The log records it."

    def handle(self, **options: Any) -> None:
        try:
            policy.allow_passwords("operator")
        except LostRace:
            raise CommandError("Passwords are already allowed.") from None
        self.stdout.write("Everyone can sign in with a password again.")
