"""Make the state again from the log, and hold it against the state there is."""

import gc
from argparse import ArgumentParser
from functools import partial
from typing import Any

from django.core.management.base import CommandError

from store import formats
from store.connect import connect
from upkeep import replay
from upkeep.commands import StoreCommand
from upkeep.erasure import log_erasure
from upkeep.progress import show_count


class Command(StoreCommand):
    help = (
        "Makes everything the store holds again from nothing but the event log. With --check, the two are compared "
        "item by item, and the exit code is 1 if they differ; the site may run meanwhile on the embedded store, and "
        "should be paused on DynamoDB. Needs as much room for temporary files as the store takes twice."
    )
    oldest = None

    def add_arguments(self, parser: ArgumentParser) -> None:
        act = parser.add_mutually_exclusive_group(required=True)
        act.add_argument("--check", action="store_true", help="compare, and leave nothing behind")
        act.add_argument("--into", metavar="STORE_URL", help="leave the rebuilt state and the log in this empty store")
        act.add_argument("--exceptions", action="store_true", help="say what is not made again, and why")

    def handle(self, check: bool, into: str | None, exceptions: bool, **options: Any) -> None:
        if exceptions:
            self.stdout.write("\n".join(replay.exceptions()))
            return
        formats.check(self.table, oldest=0)
        if log_erasure.is_at_work(self.table):
            raise CommandError("The log is forgetting somebody's name just now. Try again when the worker is done.")
        gc.freeze()  # what is loaded by now need not be looked through while millions of items come and go
        if check:
            self._print(replay.check(self.table, partial(show_count, self.stderr)), "The log and the store agree.")
        else:
            self._rebuild(into or "")

    def _rebuild(self, into: str) -> None:
        target = connect(into)
        target.create()
        verdict = replay.rebuild(self.table, target, partial(show_count, self.stderr))
        self._print(
            verdict, "The store was rebuilt. Passwords and second factors are in no log: people ask for new ones."
        )

    def _print(self, verdict: replay.Verdict, well: str) -> None:
        self.stdout.write(f"{verdict.events} events were replayed.")
        for name in verdict.lost:
            self.stderr.write(f"Not sealed yet, so that its secret ballots are in no log: {name}")
        if not verdict.count:
            self.stdout.write(well)
            return
        for each in verdict.first:
            self.stdout.write(str(each))
        raise CommandError(f"The log and the store do not agree; differences: {verdict.count}.")
