"""List people removed since a backup was made, and remove them again after it is restored."""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandError

from accounts.services import remove_again
from foundation.store.log.rewriting import is_rewritten
from foundation.store.log.search import Query, search
from foundation.store.table import Item
from operations.upkeep import input_files
from operations.upkeep.commands import StoreCommand

BATCH_EVENTS = 1000


class Command(StoreCommand):
    help = (
        "Lists removed people, one per line: the event's number, the time and the name. Run it on the store about to "
        "be replaced, if it can still be read, and pass the list to “removals --again” on the restored one, which "
        "removes everyone on it again who had their account at that time. The owner is never removed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--since", type=int, default=0, metavar="NUMBER", help="only removals after this event")
        parser.add_argument("--again", metavar="FILE", help="remove the people on the list again")

    def handle(self, since: int, again: str | None, **options: Any) -> None:
        if again is not None:
            self._remove(again)
            return
        for event in self._removals(since):
            line = (event["event_id"], event["when_occurred"], event["event_data"]["name"])
            self.stdout.write("\t".join(map(str, line)))

    def _removals(self, since: int) -> Iterator[Item]:
        """Newest first, without people who have been erased from the log."""
        before: int | None = None
        while True:
            found = search(self.table, Query(event_type="UserRemoved"), before=before, limit=BATCH_EVENTS)
            yield from (each for each in found.events if each["event_id"] > since and not is_rewritten(each))
            before = found.before
            if before is None or before <= since:
                return

    def _remove(self, file: str) -> None:
        try:
            lines = input_files.text(file).splitlines()
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {input_files.reason(error)}.") from error
        rows = [line.split("\t", 2) for line in lines if line]
        if any(len(row) != 3 for row in rows):
            raise CommandError("Each line must have a number, a time and a name, separated by tabs.")
        done = sum(remove_again(name, removed_at) for _number, removed_at, name in rows)
        self.stdout.write(f"Removed again: {done} of {len(rows)}.")
