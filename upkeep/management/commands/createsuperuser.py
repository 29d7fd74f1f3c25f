"""Replaces Django's command of this name, which needs a database that we do not have."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError


class Command(BaseCommand):
    help = "Not available: create_owner makes the first owner."

    def handle(self, **options: Any) -> None:
        raise CommandError("Plenum has no superusers. To make the first owner: create_owner NAME EMAIL")
