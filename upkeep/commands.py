"""What Plenum's commands have in common: an error of the store ends them with its message, not with a traceback."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, OutputWrapper

from store import formats
from store.connect import BadStoreUrl, connect
from store.table import StoreError, Table, Unavailable


class StoreCommand(BaseCommand):
    """A command that works on the site's table, `self.table`.

    It refuses a format it does not understand: one that is too new, or older than `oldest`. Commands that create a
    store, or work on another one, set None and check for themselves.
    """

    requires_system_checks: list[str] = []
    oldest: int | None = formats.OLDEST_SERVED
    table: Table

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            self.table = connect(settings.STORE_URL)
            self._check_format()
            return super().execute(*args, **options)
        except (StoreError, BadStoreUrl) as error:
            raise CommandError(str(error)) from error

    def _check_format(self) -> None:
        """An unavailable store is reported when it is needed; a worker waits for it."""
        if self.oldest is not None:
            with suppress(Unavailable):
                formats.check(self.table, self.oldest)


def print_unlinked_warning(words: OutputWrapper, elections: int) -> None:
    """What the operator must tell voters after filling a store from a copy."""
    if elections:
        words.write(
            f"Secret elections that are open: {elections}. What was cast in them by then counts, but nobody can tell "
            "any more whose it is. Tell those who have voted: they can neither see, change nor withdraw it."
        )
