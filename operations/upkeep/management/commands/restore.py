"""Fill a new store from a backup.

Mail that was waiting when the backup was made may have been sent since. That cannot be known, so none of it is sent
automatically. Waiting mails become "unknown", and a person may send each again; the button that retries all failed
mails leaves them alone. Mailings under way stop: people they have not reached can be invited or written to again.
Reminders to voters and mails to subscribers about a post are skipped if their time has passed.
"""

from __future__ import annotations

import os
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.core.management.base import CommandError

from elections import repository as elections
from elections.rules import State
from foundation.acts.background import TYPES
from foundation.acts.storage import table
from foundation.mail import outbox
from foundation.mail.outages import clear_all_outages
from foundation.store import keys
from foundation.store.backup import NotEmpty, check, checkpoint_text, ignore, restore
from foundation.store.log import EventLog, utc_now
from foundation.store.table import Item, Key, Table, Unavailable
from operations.upkeep import archive, input_files, server, system
from operations.upkeep.commands import StoreCommand, show_count
from operations.upkeep.heartbeats import MISSED_SECONDS, read_heartbeats

STOP_FIRST = "Stop the site first: systemctl stop plenum.socket plenum plenum-worker. (After a crash, wait a minute.)"
WHAT_TO_DO = (
    "This site is already in use. To replace it with the backup: systemctl stop plenum.socket plenum plenum-worker, "
    "then restore --replace. Or restore into another store: plenum --with STORE_URL=… restore …"
)
WAITING = (outbox.QUEUED, outbox.SENDING)
MAIL = keys.mail("").pk


class Holding:
    """Collects these from every item of a backup as it is restored, because an index may lag behind the writes."""

    def __init__(self) -> None:
        self.mails: list[Key] = []
        self.tasks: list[tuple[Callable[[str], bool], str]] = []  # what holds each back, and its subject

    def notice(self, item: Item) -> None:
        if item["PK"].startswith(MAIL) and item.get("state") in WAITING:
            self.mails.append(Key(item["PK"], item["SK"]))
        elif (kind := TYPES.get(item.get("type", ""))) and kind.hold:
            self.tasks.append((kind.hold, item["subject"]))

    def put_aside(self) -> tuple[int, int]:
        """Returns how many mails and mailings. Idempotent, in case it was interrupted."""
        held = sum(map(_hold, self.mails)), sum(hold(subject) for hold, subject in self.tasks)
        names = [item["name"] for item in table().each(keys.elections())]
        for election in filter(None, map(elections.find, names)):
            if election.remind_before and election.stored_state in (State.EDITABLE, State.OPEN):
                table().write(elections.reminders_from_now(election))
        return held


def _hold(place: Key) -> bool:
    item = table().get(place)
    if item is None or item["state"] not in WAITING:
        return False
    until = int(time.time()) + outbox.RETENTION_SECONDS
    return outbox.move(outbox.mail_of(item), item["state"], outbox.UNKNOWN, reason="restored", detail="", ttl=until)


class Command(StoreCommand):
    help = (
        "Restores a backup into a store that is empty or has only been started once; with --replace, into any store "
        "not in use. A file is checked completely before anything is written, and an interrupted restore of the same "
        "file continues. Standard input is checked at its end. Mails that were waiting are set aside, because they "
        "may have been sent since."
    )
    oldest = None

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="a file written by the command backup; - for standard input")
        text = "send the mails that were waiting, if they have certainly not been sent"
        parser.add_argument("--send-mail", action="store_true", help=text)
        text = "replace the existing store, which is renamed (embedded store only, with the site stopped)"
        parser.add_argument("--replace", action="store_true", help=text)

    def handle(self, file: str, send_mail: bool, replace: bool, **options: Any) -> None:
        self.replaces = replace
        self.holding = None if send_mail else Holding()
        try:
            items = self._from_pipe() if file == "-" else self._from_file(Path(file))
        except OSError as error:
            raise CommandError(f"{file} cannot be read: {input_files.reason(error)}.") from error
        except NotEmpty as error:
            raise CommandError(f"{error} {WHAT_TO_DO}") from error
        self.stdout.write(f"{items} items were restored.")
        checkpoint = checkpoint_text(EventLog(self.table).newest_checkpoint())
        self.stdout.write(f"Checkpoint {checkpoint}" if checkpoint else "Nothing in the log was sealed.")

    def _from_file(self, path: Path) -> int:
        if not input_files.is_file(path):
            raise CommandError(f"{path} is not a file. To read from a pipe, use - and standard input.")
        with input_files.reader(path) as raw, show_count(self.stderr, "Check") as progress:
            sha256 = check(archive.opened(raw), progress)
        self._make_room()
        with input_files.reader(path) as raw:
            return self._fill(archive.opened(raw), sha256)

    def _from_pipe(self) -> int:
        raw = cast("BufferedReader", sys.stdin.buffer)
        if not raw.peek(1):
            raise CommandError("Nothing came through the pipe. The program before this one should say why.")
        lines = archive.opened(raw)
        self.stderr.write("A backup from a pipe is checked at its end. Until then the store is incomplete.")
        self._make_room()
        return self._fill(lines, None)

    def _make_room(self) -> None:
        """A running worker would write during the restore, and a running server would keep the old store open."""
        if is_worker_up(self.table):
            raise CommandError(f"A worker is running on this store. {STOP_FIRST}")
        files = system.store_files()
        if files and files[0].parent == settings.DATA_DIR:
            try:
                os.close(server.lock_folder(settings.DATA_DIR))
            except server.FolderTaken as taken:
                raise CommandError(f"{taken} {STOP_FIRST}") from taken
        if self.replaces:
            self._move_aside(files)
        self.table.create()

    def _move_aside(self, files: list[Path]) -> None:
        if not files:
            raise CommandError(
                "--replace is for the embedded store. Use new tables instead, with prefix= in STORE_URL."
            )
        self.table.close()
        moment = f"{utc_now():%Y%m%dT%H%M%S}"
        for path in files:
            if path.exists():
                path.rename(f"{path}.replaced-{moment}")
                self.stderr.write(f"The old file is now {path}.replaced-{moment}. Delete it once everything works.")

    def _fill(self, lines: BinaryIO, sha256: str | None) -> int:
        notice = self.holding.notice if self.holding else ignore
        with show_count(self.stderr, "Restore") as progress:
            return restore(self.table, lines, sha256, progress, self._finish, notice)

    def _finish(self) -> None:
        self.stderr.write(
            "People removed after the backup was made are back. See “plenum removals” to remove them again."
        )
        clear_all_outages()  # of the time of the backup
        mails, mailings = self.holding.put_aside() if self.holding else (0, 0)
        if mails or mailings:
            self.stderr.write(
                f"Set aside, because they may have been sent since the backup: {mails} mails and {mailings} mailings. "
                "The mail page lists them, and they can be sent again there."
            )


def is_worker_up(table: Table) -> bool:
    """Whether a worker has sent a heartbeat within a minute. A store that does not exist yet has none."""
    try:
        return any(sign.ago(time.time()) < MISSED_SECONDS for sign in read_heartbeats(table))
    except Unavailable:
        return False
