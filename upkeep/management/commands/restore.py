"""Fill an empty store from a backup."""

import sys
from argparse import ArgumentParser
from getpass import getpass
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO, cast

from django.core.management.base import CommandError

from ballots.services import unlink_all
from store.backup import check, checkpoint_text, restore, unnoticed
from store.log import EventLog
from upkeep import age, backups
from upkeep.commands import StoreCommand, say_unlinked
from upkeep.holding import Holding
from upkeep.progress import shown_on

ASKED = "Identity (AGE-SECRET-KEY-1…), which is not shown: "


class Command(StoreCommand):
    help = (
        "Restores a backup into a store that is empty. A file is checked whole before anything is written, and an "
        "interrupted restore of the same file goes on; what comes through a pipe is checked at its end. "
        "In secret elections that were open when the backup was made, what was cast by then counts, but nobody can "
        "change or withdraw it: no backup says whose which ballot is. Mails that waited then are put aside: they may "
        "have gone out since."
    )
    oldest = None

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="what the command backup wrote, compressed or not; - for standard input")
        words = "the file with the identity that an encrypted backup is read with; otherwise it is asked for"
        parser.add_argument("--identity", metavar="KEYFILE", help=words)
        words = "send what waited to be sent, because it surely never went out"
        parser.add_argument("--send-mail", action="store_true", help=words)

    def handle(self, file: str, identity: str | None, send_mail: bool, **options: Any) -> None:
        self.identities = backups.identities_of(identity) if identity else []
        self.holding = None if send_mail else Holding()
        try:
            items = self._from_pipe() if file == "-" else self._from_file(Path(file))
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {error.strerror}.") from error
        self.stdout.write(f"{items} items were restored.")
        checkpoint = checkpoint_text(EventLog(self.table).newest_checkpoint())
        self.stdout.write(f"Checkpoint {checkpoint}" if checkpoint else "Nothing of the log was sealed.")

    def _from_file(self, path: Path) -> int:
        if not path.is_file():
            raise CommandError(f"{path} is no file; to read from a pipe, name it - and let it be standard input.")
        with path.open("rb") as raw, shown_on(self.stderr, "Check") as progress:
            sha256 = check(self._lines(raw), progress)
        self.table.create()
        with path.open("rb") as raw:
            return self._fill(self._lines(raw), sha256)

    def _from_pipe(self) -> int:
        lines = self._lines(cast("BufferedReader", sys.stdin.buffer))
        self.stderr.write("From a pipe, the backup is checked at its end: until then the store is not whole.")
        self.table.create()
        return self._fill(lines, None)

    def _lines(self, raw: BufferedReader) -> BinaryIO:
        if backups.is_encrypted(raw) and not self.identities:
            self.identities = _asked()
        return backups.opened(raw, self.identities)

    def _fill(self, lines: BinaryIO, sha256: str | None) -> int:
        notice = self.holding.notice if self.holding else unnoticed
        with shown_on(self.stderr, "Restore") as progress:
            return restore(self.table, lines, sha256, progress, self._finish, notice)

    def _finish(self) -> None:
        say_unlinked(self.stderr, unlink_all())
        if self.holding and (held := self.holding.put_aside()):
            self.stderr.write(
                f"Put aside, because it may have gone out since the backup: mails {held.mails}, mailings under way "
                f"{held.mailings}. The page of mails shows them; people may send them again."
            )


def _asked() -> list[str]:
    if not sys.stdin.isatty():
        raise CommandError("The backup is encrypted: name the file with the identity by --identity.")
    try:
        return age.identities_in(getpass(ASKED))
    except age.BadKey as error:
        raise CommandError(str(error)) from error
