"""Rebuild the core's state from the log and compare it with the stored state."""

from functools import partial
from typing import Any

from django.core.management.base import CommandError

from foundation.store import formats
from operations.upkeep import erasure, replay
from operations.upkeep.commands import StoreCommand, show_count


class Command(StoreCommand):
    help = (
        "Rebuilds people, elections, candidates, rolls, ballots and results from the event log alone, in a temporary "
        "store, and compares them with those that are stored. The exit code is 1 if they differ. Meanwhile the site "
        "can keep running on the embedded store, but should be paused on DynamoDB. Temporary files take up to twice "
        "the size of the store."
    )
    oldest = None

    def handle(self, **options: Any) -> None:
        formats.check(self.table, oldest=0)
        if erasure.is_at_work(self.table):
            raise CommandError("A name is being erased from the log. Try again when the worker has finished.")
        verdict = replay.check(self.table, partial(show_count, self.stderr))
        self.stdout.write(f"{verdict.events} events were read.")
        if verdict.count:
            for each in verdict.first:
                self.stdout.write(str(each))
            raise CommandError(f"The log and the store differ. Differences: {verdict.count}.")
        self.stdout.write("The log and the store agree.")
