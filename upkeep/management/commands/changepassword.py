"""In the place of Django's command of this name, which needs a database that is not there."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser


class Command(BaseCommand):
    help = "Not here: whoever has forgotten a password has a link mailed. The first owner is made by create_owner."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", nargs="?")

    def handle(self, **options: Any) -> None:
        raise CommandError(
            "Nobody sets another's password here. Whoever has forgotten theirs has a link mailed from the page where "
            "one signs in; the first owner is made by: create_owner NAME EMAIL"
        )
