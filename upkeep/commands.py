"""What Plenum's commands have in common: a store in trouble ends them with its sentence, not with a traceback."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, OutputWrapper

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


def say_unlinked(words: OutputWrapper, elections: int) -> None:
    """What whoever has filled a store from a copy has to tell the voters."""
    if elections:
        words.write(
            f"Secret elections that are open: {elections}. What was cast in them by then counts, but nobody can tell "
            "any more whose it is. Tell those who have voted: they can neither see, change nor withdraw it."
        )
    words.write("Whoever was removed after the copy was made is there again; “manage.py removals” helps with that.")
