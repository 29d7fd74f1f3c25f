"""Write a backup of the whole store into one file."""

from argparse import ArgumentParser
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings
from django.core.management.base import CommandError

from store import keys
from store.backup import Summary, backup
from store.log import as_text, utc_now
from store.table import StoreError
from upkeep.backups import age, archive
from upkeep.backups import retention as keeping
from upkeep.commands import StoreCommand, show_count
from upkeep.worker.jobs import anything_in


class Command(StoreCommand):
    help = (
        "Writes all items of both tables as JSON lines while the site is running, encrypted to keys stored elsewhere. "
        "It does not say whose ballot is whose in a secret election, but comparing several backups made while one is "
        "open may: do not keep many of them."
    )
    oldest = 0

    def add_arguments(self, parser: ArgumentParser) -> None:
        where = parser.add_mutually_exclusive_group(required=True)
        text = "a new file, compressed if its name ends in .gz or .gz.age; - for standard output"
        where.add_argument("file", nargs="?", help=text)
        where.add_argument("--into", metavar="FOLDER", help="name the file by date and time, and delete old backups")
        parser.add_argument("--to", metavar="RECIPIENT", action="append", help="encrypt to this key (see backup_key)")
        parser.add_argument("--unencrypted", action="store_true", help="only for a file that stays in safe hands")
        parser.add_argument("--keep", metavar="DAYS", type=int, default=35, help="how long to keep backups in FOLDER")
        text = "how many backups in FOLDER to keep that were made while the same secret election was open"
        parser.add_argument("--open-copies", metavar="N", type=int, default=2, help=text)
        text = "also keep backups made while a secret election was open that has closed since"
        parser.add_argument("--keep-all", action="store_true", help=text)

    def handle(self, file: str | None, into: str | None, **options: Any) -> None:
        recipients = self._recipients(**options)
        if into is not None:
            self._into(Path(into), recipients, _policy(**options))
            return
        summary, size = self._write(file or "", recipients)
        self._tell(summary, size, file == "-")

    def _recipients(self, to: list[str] | None, unencrypted: bool, **options: Any) -> list[str]:
        if unencrypted:
            if to:
                raise CommandError("Use either --to or --unencrypted.")
            return []
        recipients = to or settings.BACKUP_RECIPIENTS
        if settings.PRODUCTION and not recipients:
            raise CommandError(
                "In production backups are encrypted. Set BACKUP_RECIPIENTS or --to (backup_key makes a key), or use "
                "--unencrypted."
            )
        try:
            for each in recipients:
                age.check_recipient(each)
        except age.BadKey as error:
            raise CommandError(str(error)) from error
        return list(recipients)

    def _write(self, name: str, recipients: list[str]) -> tuple[Summary, int]:
        target: AbstractContextManager[BinaryIO] = archive.to_pipe() if name == "-" else archive.to_file(Path(name))
        with target as raw:
            counted: Any = archive.Counting(raw)
            packed = archive.PACKED in Path(name).suffixes
            with (
                archive.encrypted_and_packed(counted, recipients, packed) as lines,
                show_count(self.stderr, "Backup") as progress,
            ):
                summary = backup(self.table, lines, progress)
        return summary, counted.bytes

    def _into(self, folder: Path, recipients: list[str], policy: keeping.Policy) -> None:
        now = utc_now()
        path = folder / keeping.name_for(now, bool(recipients))
        summary, size = self._write(str(path), recipients)
        try:
            keeping.write_record(path, as_text(now), size, summary.checkpoint, summary.open)
            self._tell(summary, size, piped=False)
            self.stdout.write(f"It is {path}.")
            self._clear(folder, policy, now)
        except OSError as error:
            raise CommandError(f"Old backups in {folder} could not be deleted: {error.strerror}.") from error

    def _clear(self, folder: Path, policy: keeping.Policy, now: datetime) -> None:
        all_sealed = not anything_in(keys.SEALING)()
        gone = keeping.expired(keeping.found_in(folder), policy, now, all_sealed)
        keeping.delete(folder, gone)
        for name in gone:
            self.stdout.write(f"Deleted: {name}")

    def _tell(self, summary: Summary, size: int, piped: bool) -> None:
        stream = self.stderr if piped else self.stdout
        stream.write(f"{summary.items} items are in the backup; SHA-256 {summary.sha256}.")
        stream.write(f"Checkpoint {summary.checkpoint}" if summary.checkpoint else "Nothing in the log is sealed yet.")
        if summary.open:
            self.stderr.write(
                f"Open secret elections: {len(summary.open)}. The backup does not say who cast which ballot, but "
                "comparing it with others may: do not keep many of them."
            )
        try:
            archive.record_backup(summary, size)
        except StoreError as error:
            self.stderr.write(f"The backup is complete, but this could not be recorded in the store. {error}")


def _policy(keep: int, open_copies: int, keep_all: bool, **options: Any) -> keeping.Policy:
    if keep < 1 or open_copies < 1:
        raise CommandError("--keep and --open-copies must be at least 1.")
    return keeping.Policy(keep, open_copies, keep_all)
