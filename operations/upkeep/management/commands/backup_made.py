"""Record that a piped backup is complete, and delete old ones beside it."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from foundation.acts.background import anything_in
from foundation.store import keys
from foundation.store.log import utc_now
from operations.upkeep import archive, input_files
from operations.upkeep.commands import StoreCommand


class Command(StoreCommand):
    help = (
        "The last step of deploy/backup, once every program of the pipe has succeeded: the site then knows of its "
        "newest backup, and old ones in the same folder are deleted."
    )
    oldest = 0

    def add_arguments(self, parser: ArgumentParser) -> None:
        text = "the backup, named plenum-….jsonl.gz.age by its time, with what `backup --record` wrote in FILE.json"
        parser.add_argument("file", help=text)
        parser.add_argument("--keep", metavar="DAYS", type=int, default=35, help="how long to keep backups")
        text = "how many backups to keep that were made while the same secret election was open"
        parser.add_argument("--open-copies", metavar="N", type=int, default=2, help=text)
        text = "also keep backups made while a secret election was open that has closed since"
        parser.add_argument("--keep-all", action="store_true", help=text)

    def handle(self, file: str, keep: int, open_copies: int, keep_all: bool, **options: Any) -> None:
        path = Path(file)
        if keep < 1 or open_copies < 1:
            raise CommandError("--keep and --open-copies must be at least 1.")
        if not archive.NAME.fullmatch(path.name):
            raise CommandError(f"{path} is not named as a backup: plenum-20261115T031500Z.jsonl.gz.age")
        try:
            record = archive.complete_record(path)
        except OSError as error:
            raise CommandError(f"{error.filename} cannot be used: {input_files.reason(error)}.") from error
        except (ValueError, TypeError) as error:
            raise CommandError(f"{archive.record_path(path)} is not what `backup --record` writes.") from error
        archive.record_backup(record.items, record.bytes, record.checkpoint)
        self.stdout.write(f"The newest backup is {path}, {record.bytes} bytes.")
        self._delete_old(path.parent, archive.Policy(keep, open_copies, keep_all))

    def _delete_old(self, folder: Path, policy: archive.Policy) -> None:
        all_sealed = not anything_in(keys.SEALING)()
        gone = archive.expired(archive.found_in(folder), policy, utc_now(), all_sealed)
        try:
            archive.delete(folder, gone)
        except OSError as error:
            raise CommandError(f"Old backups in {folder} could not be deleted: {error.strerror}.") from error
        for name in gone:
            self.stdout.write(f"Deleted: {name}")
