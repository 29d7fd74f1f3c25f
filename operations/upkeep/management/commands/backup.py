"""Write a backup of the whole store to a file or a pipe."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from foundation.store.backup import Summary, backup
from foundation.store.table import StoreError
from operations.upkeep import archive, input_files
from operations.upkeep.commands import StoreCommand, show_count

ENCRYPT = (
    "In production backups are encrypted on their way to a file: plenum backup - | gzip | age -R RECIPIENTS -o FILE. "
    "For a file that stays in safe hands, say --unencrypted."
)


class Command(StoreCommand):
    help = (
        "Writes all items of both tables as JSON lines while the site is running. It does not say whose ballot is "
        "whose in a secret election, but comparing several backups made while one is open may: do not keep many of "
        "them. What reads standard output decides whether a backup is complete: see deploy/backup."
    )
    oldest = 0

    def add_arguments(self, parser: ArgumentParser) -> None:
        text = "a new file, compressed if its name ends in .gz; - for standard output, such as a pipe to age"
        parser.add_argument("file", help=text)
        text = "write what backup_made has to know: items, checkpoint, open secret elections"
        parser.add_argument("--record", metavar="FILE", help=text)
        parser.add_argument("--unencrypted", action="store_true", help="only for a file that stays in safe hands")

    def handle(self, file: str, record: str | None, unencrypted: bool, **options: Any) -> None:
        is_piped = file == "-"
        if settings.PRODUCTION and not (is_piped or unencrypted):
            raise CommandError(ENCRYPT)
        with (
            archive.to_pipe() if is_piped else archive.to_file(Path(file)) as lines,
            show_count(self.stderr, "Backup") as progress,
        ):
            summary = backup(self.table, lines, progress)
        if record:
            try:
                archive.write_record(Path(record), archive.Record(summary.items, summary.checkpoint, summary.open))
            except OSError as error:
                raise CommandError(f"{record} cannot be written: {input_files.reason(error)}.") from error
        self._tell(summary, is_piped)
        if not is_piped:
            try:
                archive.record_backup(summary.items, Path(file).stat().st_size, summary.checkpoint)
            except StoreError as error:
                self.stderr.write(f"The backup is complete, but this could not be recorded in the store. {error}")

    def _tell(self, summary: Summary, is_piped: bool) -> None:
        stream = self.stderr if is_piped else self.stdout
        stream.write(f"{summary.items} items are in the backup; SHA-256 {summary.sha256}.")
        stream.write(f"Checkpoint {summary.checkpoint}" if summary.checkpoint else "Nothing in the log is sealed yet.")
        if summary.open:
            self.stderr.write(
                f"Open secret elections: {len(summary.open)}. The backup does not say who cast which ballot, but "
                "comparing it with others may: do not keep many of them."
            )
