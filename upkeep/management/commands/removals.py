"""Who was removed since a backup was made, so that a restore brings nobody back for good."""

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandError

from accounts.services import remove_again
from store.log.rewriting import is_rewritten
from store.log.search import Query, search
from store.table import Item
from upkeep.backups import input_files
from upkeep.commands import StoreCommand

BATCH_EVENTS = 1000


class Command(StoreCommand):
    help = (
        "Lists people who were removed, one a line: the event's number, when, and the name. Run it on the store that "
        "is to be replaced, as far as it can still be read, and give the list to “removals --again” on the restored "
        "one: whoever was made before and removed then is removed again. The owner is not."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--since", type=int, default=0, metavar="NUMBER", help="only after the event of this number"
        )
        parser.add_argument("--again", metavar="FILE", help="remove those whom the list names, if they are there")

    def handle(self, since: int, again: str | None, **options: Any) -> None:
        if again is not None:
            self._remove(again)
            return
        for event in self._removals(since):
            line = (event["event_id"], event["when_occurred"], event["event_data"]["name"])
            self.stdout.write("\t".join(map(str, line)))

    def _removals(self, since: int) -> Iterator[Item]:
        """The newest first. Whoever the log has forgotten is told by nobody any more."""
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
            raise CommandError("Each line has a number, a time and a name, with tabs between them.")
        done = sum(remove_again(name, removed_at) for _number, removed_at, name in rows)
        self.stdout.write(f"Removed again: {done} of {len(rows)}.")
