"""In the place of Django's command of this name, which needs a database that is not there."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError


class Command(BaseCommand):
    help = "Not here: the first owner is made by create_owner."

    def handle(self, **options: Any) -> None:
        raise CommandError("There are no superusers here. The first owner is made by: create_owner NAME EMAIL")
