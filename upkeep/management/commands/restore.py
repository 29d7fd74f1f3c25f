"""Fill a new store from a backup."""

import os
import sys
import time
from argparse import ArgumentParser
from getpass import getpass
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO, cast
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import CommandError

from ballots.secrecy import unlink_all
from mail.outages import clear_all_outages
from store.backup import NotEmpty, check, checkpoint_text, ignore, restore
from store.log import EventLog, utc_now
from store.table import Table, Unavailable
from upkeep import disk, server, system
from upkeep.backups import age, archive, input_files
from upkeep.backups.held_mail import Holding
from upkeep.commands import StoreCommand, print_unlinked_warning
from upkeep.progress import show_count
from upkeep.worker.heartbeats import MISSED_SECONDS, read_heartbeats

ASKED = "Identity (AGE-SECRET-KEY-1…), which is not shown: "


STOP_FIRST = (
    "Stop the site first: systemctl stop plenum.socket plenum plenum-worker. (After a crash, wait for a minute.)"
)
WHAT_TO_DO = (
    "Something has happened on this site. To put the backup in its place: systemctl stop plenum.socket plenum "
    "plenum-worker, then restore --replace. Or restore into another store: plenum --with STORE_URL=… restore …"
)


class Command(StoreCommand):
    help = (
        "Restores a backup into a new store: one that is empty, or holds only what a first start of the site writes; "
        "with --replace into any that nobody works on. A file is checked whole before anything is written, and an "
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

        words = "put the backup in the place of what is there, which is moved aside (embedded store, site stopped)"
        parser.add_argument("--replace", action="store_true", help=words)

    def handle(self, file: str, identity: str | None, send_mail: bool, replace: bool, **options: Any) -> None:
        self.replaces = replace
        self.identities = archive.identities_of(identity) if identity else []
        self.holding = None if send_mail else Holding()
        try:
            items = self._from_pipe() if file == "-" else self._from_file(Path(file))
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {input_files.reason(error)}.") from error
        except NotEmpty as error:
            raise CommandError(f"{error} {WHAT_TO_DO}") from error
        self.stdout.write(f"{items} items were restored.")
        checkpoint = checkpoint_text(EventLog(self.table).newest_checkpoint())
        self.stdout.write(f"Checkpoint {checkpoint}" if checkpoint else "Nothing of the log was sealed.")

    def _from_file(self, path: Path) -> int:
        if not input_files.is_file(path):
            raise CommandError(f"{path} is no file; to read from a pipe, name it - and let it be standard input.")
        with input_files.reader(path) as raw, show_count(self.stderr, "Check") as progress:
            sha256 = check(self._lines(raw), progress)
        self._make_room()
        with input_files.reader(path) as raw:
            return self._fill(self._lines(raw), sha256)

    def _from_pipe(self) -> int:
        lines = self._lines(cast("BufferedReader", sys.stdin.buffer))
        self.stderr.write("From a pipe, the backup is checked at its end: until then the store is not whole.")
        self._make_room()
        return self._fill(lines, None)

    def _make_room(self) -> None:
        """A worker that goes on would write between what is restored, and a server would keep a store that is gone."""
        if is_worker_up(self.table):
            raise CommandError(f"A worker is at work on this store. {STOP_FIRST}")
        store = Path(urlsplit(settings.STORE_URL).path) if system.is_embedded() else None
        if store and store.parent == settings.DATA_DIR:
            try:
                os.close(server.lock_folder(settings.DATA_DIR))
            except server.FolderTaken as taken:
                raise CommandError(f"{taken} {STOP_FIRST}") from taken
        if self.replaces:
            self._move_aside(store)
        self.table.create()

    def _move_aside(self, store: Path | None) -> None:
        if store is None:
            raise CommandError("--replace is for the embedded store. Name new tables by prefix= in STORE_URL instead.")
        self.table.close()
        moment = f"{utc_now():%Y%m%dT%H%M%S}"
        for path in (store.with_name(store.name + ending) for ending in ("", *disk.STORE_FILE_SUFFIXES)):
            if path.exists():
                path.rename(f"{path}.replaced-{moment}")
                self.stderr.write(f"What was there is {path}.replaced-{moment} now. Delete it when all is well.")

    def _lines(self, raw: BufferedReader) -> BinaryIO:
        if archive.is_encrypted(raw) and not self.identities:
            self.identities = _prompt_identities()
        return archive.opened(raw, self.identities)

    def _fill(self, lines: BinaryIO, sha256: str | None) -> int:
        notice = self.holding.notice if self.holding else ignore
        with show_count(self.stderr, "Restore") as progress:
            return restore(self.table, lines, sha256, progress, self._finish, notice)

    def _finish(self) -> None:
        print_unlinked_warning(self.stderr, unlink_all())
        self.stderr.write(
            "Who was removed after the backup was made is there again; “plenum removals” helps with that."
        )
        clear_all_outages()  # of the time of the backup
        if self.holding and (held := self.holding.put_aside()):
            self.stderr.write(
                f"Put aside, because it may have gone out since the backup: mails {held.mails}, mailings under way "
                f"{held.mailings}. The page of mails shows them; people may send them again."
            )


def is_worker_up(table: Table) -> bool:
    """Whether one has given a sign of life within a minute. A store that is not there yet has none."""
    try:
        return any(sign.ago(time.time()) < MISSED_SECONDS for sign in read_heartbeats(table))
    except Unavailable:
        return False


def _prompt_identities() -> list[str]:
    if not sys.stdin.isatty():
        raise CommandError("The backup is encrypted: name the file with the identity by --identity.")
    try:
        return age.identities_in(getpass(ASKED))
    except age.BadKey as error:
        raise CommandError(str(error)) from error
