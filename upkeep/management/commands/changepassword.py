"""Replaces Django's command of this name, which needs a database that we do not have."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser


class Command(BaseCommand):
    help = "Not available: people reset a forgotten password by mail. create_owner makes the first owner."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", nargs="?")

    def handle(self, **options: Any) -> None:
        raise CommandError(
            "Nobody can set another person's password. People reset a forgotten password from the sign-in page. "
            "To make the first owner: create_owner NAME EMAIL"
        )
