"""Rebuild the state from the log and compare it with the stored state."""

import gc
from argparse import ArgumentParser
from functools import partial
from typing import Any

from django.core.management.base import CommandError

from store import formats
from store.connect import connect
from upkeep import replay
from upkeep.commands import StoreCommand, show_count
from upkeep.erasure import log_erasure


class Command(StoreCommand):
    help = (
        "Rebuilds everything in the store from the event log alone. With --check, the two are compared item by item, "
        "and the exit code is 1 if they differ. Meanwhile the site can keep running on the embedded store, but should "
        "be paused on DynamoDB. Temporary files take twice the size of the store."
    )
    oldest = None

    def add_arguments(self, parser: ArgumentParser) -> None:
        act = parser.add_mutually_exclusive_group(required=True)
        act.add_argument("--check", action="store_true", help="compare, and keep nothing")
        act.add_argument("--into", metavar="STORE_URL", help="write the rebuilt state and the log to this empty store")
        act.add_argument("--exceptions", action="store_true", help="list what is not rebuilt, and why")

    def handle(self, check: bool, into: str | None, exceptions: bool, **options: Any) -> None:
        if exceptions:
            self.stdout.write("\n".join(replay.exceptions()))
            return
        formats.check(self.table, oldest=0)
        if log_erasure.is_at_work(self.table):
            raise CommandError("A name is being erased from the log. Try again when the worker has finished.")
        gc.freeze()  # saves scanning what is loaded already while millions of items come and go
        if check:
            self._print(replay.check(self.table, partial(show_count, self.stderr)), "The log and the store agree.")
        else:
            self._rebuild(into or "")

    def _rebuild(self, into: str) -> None:
        target = connect(into)
        target.create()
        verdict = replay.rebuild(self.table, target, partial(show_count, self.stderr))
        self._print(
            verdict, "The store was rebuilt. The log has no passwords or second factors: people must reset them."
        )

    def _print(self, verdict: replay.Verdict, well: str) -> None:
        self.stdout.write(f"{verdict.events} events were replayed.")
        for name in verdict.lost:
            self.stderr.write(f"Not sealed yet, so its secret ballots are not in the log: {name}")
        if not verdict.count:
            self.stdout.write(well)
            return
        for each in verdict.first:
            self.stdout.write(str(each))
        raise CommandError(f"The log and the store differ. Differences: {verdict.count}.")
