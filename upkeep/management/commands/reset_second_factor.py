"""Help for an owner who has lost every second factor: nobody is above them to do it from a page."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from accounts import repository
from accounts.second_factor import factors
from upkeep.commands import StoreCommand


class Command(StoreCommand):
    help = "Takes away somebody's second factors, so that their password alone signs them in."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="the user name")

    def handle(self, name: str, **options: Any) -> None:
        if (user := repository.find(name)) is None:
            raise CommandError(f"There is nobody called {name}.")
        factors.reset(user, "operator")
        self.stdout.write(f"{user.name} can sign in with the password alone now.")
