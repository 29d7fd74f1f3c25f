"""Seal all unsealed events."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from foundation.store import keys
from foundation.store.log import EventLog
from foundation.store.log.search import rebuild
from operations.upkeep.commands import StoreCommand, show_count, show_steps
from operations.upkeep.figures import site_sealer
from operations.upkeep.jobs import LOG, Leases


class Command(StoreCommand):
    help = "Extends the hash chain over all new events and stores its checkpoints."
    oldest = 0

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--reindex",
            action="store_true",
            help="also rebuild the index by which pages find events; the log itself is not changed",
        )

    def handle(self, *, reindex: bool = False, **options: Any) -> None:
        last = (self.table.get(keys.EVENT_NUMBER) or {"last": 0})["last"]
        with show_steps(self.stderr, "Sealed up to event") as progress:
            sealed = site_sealer().seal(lambda number: progress(number, last) if number < last else None)
        self.stdout.write(f"{sealed} event numbers sealed." if sealed else "Nothing new to seal.")
        if reindex:
            self._reindex()

    def _reindex(self) -> None:
        """Only while no worker is sealing, which would write to the index as well."""
        with Leases(self.table).held(LOG.name) as ours, show_count(self.stderr, "Indexed") as progress:
            if not ours:
                raise CommandError("A worker is sealing. Please try again in a moment.")
            newest = EventLog(self.table).newest_checkpoint()
            last = 0
            for last in rebuild(self.table, newest["event_id"] if newest else 0):
                progress(last)
        self.stdout.write(f"The index of the log was rebuilt up to event {last}.")
