"""What Plenum's commands have in common: a store in trouble ends them with its sentence, not with a traceback."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from store.connect import BadStoreUrl, connect
from store.table import StoreError, Table


class StoreCommand(BaseCommand):
    """A command that works on the site's table, which it finds in `self.table`."""

    requires_system_checks: list[str] = []
    table: Table

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            self.table = connect(settings.STORE_URL)
            return super().execute(*args, **options)
        except (StoreError, BadStoreUrl) as error:
            raise CommandError(str(error)) from error
