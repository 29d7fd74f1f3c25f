"""Seal the events that are not sealed yet."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from store.log import EventLog
from store.log.index import rebuild
from upkeep.commands import StoreCommand
from upkeep.log.sealer import site_sealer
from upkeep.progress import show_count
from upkeep.worker.jobs import LOG
from upkeep.worker.leases import Leases


class Command(StoreCommand):
    help = "Extends the hash chain over all events that have happened since and stores checkpoints of it."
    oldest = 0

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--reindex",
            action="store_true",
            help="also make the index of the log anew, by which pages find events; the log stays as it is",
        )

    def handle(self, *, reindex: bool = False, **options: Any) -> None:
        sealed = site_sealer().seal()
        self.stdout.write(f"{sealed} event numbers sealed." if sealed else "Nothing new to seal.")
        if reindex:
            self._reindex()

    def _reindex(self) -> None:
        """While no worker seals: it would have read further than this."""
        with Leases(self.table).held(LOG.name) as ours, show_count(self.stderr, "Indexed") as progress:
            if not ours:
                raise CommandError("A worker is sealing just now. Please try again in a moment.")
            newest = EventLog(self.table).newest_checkpoint()
            last = 0
            for last in rebuild(self.table, newest["event_id"] if newest else 0):
                progress(last)
        self.stdout.write(f"The index of the log is made anew, up to event {last}.")
