"""Help for an owner who has lost every second factor, which nobody else may remove on a page."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from accounts import repository
from accounts.second_factor import factors
from operations.upkeep.commands import StoreCommand


class Command(StoreCommand):
    help = "Removes a person's second factors, so that they can sign in with only their password."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="the user name")

    def handle(self, name: str, **options: Any) -> None:
        if (user := repository.find(name)) is None:
            raise CommandError(f"Nobody has the name {name}.")
        factors.reset(user, "operator")
        self.stdout.write(f"{user.name} can now sign in with only the password.")
