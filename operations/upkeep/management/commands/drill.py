"""The drill: a backup is restored, verified, replayed and tried out in a store that is then discarded.

Nothing leaves the process: the store is in a temporary folder, pages are rendered without a server, no worker runs, and
any mail is discarded.
"""

from __future__ import annotations

import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any, cast

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.test import Client, override_settings
from django.urls import reverse

from accounts import repository as people
from accounts.models import User
from accounts.rules import Role
from elections import repository as elections
from elections.rules import State
from foundation.store.connect import connect
from foundation.store.sqlite import SqliteTable

OK = 200
HOST = "drill.invalid"  # the host in requests for pages
PUBLIC = ("home", "checkpoints", "readyz")
OWNERS = ("elections", "admin", "system", "log")
MAX_ELECTIONS_CHECKED = 3  # closed elections


@contextmanager
def temporary_site() -> Iterator[Path]:
    """Inside, the site is an empty store in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="plenum-drill-") as folder:
        url = f"sqlite://{folder}/drill.sqlite3"
        with override_settings(
            STORE_URL=url,
            ALLOWED_HOSTS=[HOST],
            SECURE_PROXY_SSL_HEADER=None,
            STATIC_ROOT=Path(folder),
            SECOND_FACTOR_FOR_ADMINS=False,  # or the owner would be asked for one instead of seeing a page
            EMAIL_BACKEND="django.core.mail.backends.dummy.EmailBackend",
            STORAGES={"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}},
        ):
            table = connect(url)
            assert isinstance(table, SqliteTable)
            table.create()
            table.wait_for_no_disk()
            try:
                yield Path(folder)
            finally:
                table.close()


def refused() -> list[str]:
    """Every page that fails, with its status; an anonymous visitor opens a few, the owner more."""
    client = Client(raise_request_exception=False, SERVER_NAME=HOST)
    flaws = _refused(client, [reverse(page) for page in PUBLIC])
    for person in people.people(role=Role.OWNER, limit=1)[0]:
        client.force_login(cast(User, people.find(person.name)), backend=settings.AUTHENTICATION_BACKENDS[0])
        closed = elections.list_elections(state=State.CLOSED, limit=MAX_ELECTIONS_CHECKED)[0]  # the newest
        about = [reverse(page, args=[each.name]) for each in closed for page in ("election", "results")]
        flaws += _refused(client, [*map(reverse, (*PUBLIC, *OWNERS)), *about])
    return flaws


def _refused(client: Client, pages: list[str]) -> list[str]:
    statuses = {page: client.get(page, secure=True).status_code for page in pages}
    return [f"{page} ({status})" for page, status in statuses.items() if status != OK]


class Command(BaseCommand):
    help = (
        "Restores a backup into a temporary store, verifies and replays it there, opens the main pages, reports how "
        "long each step took, and deletes everything again. Sends no mail and listens on no port. Temporary files take "
        "about four times the size of the store."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", help="a file written by the command backup; - for standard input")
        text = "the checkpoint printed when the backup was made, or an earlier one from a mail"
        parser.add_argument("--checkpoint", metavar="NUMBER:HASH", help=text)

    def handle(self, file: str, checkpoint: str | None, **options: Any) -> None:
        path = file if file == "-" else str(Path(file).absolute())
        with temporary_site():
            self._step("Restored", lambda: self._call("restore", path))
            self._step("Verified", lambda: self._call("verify", checkpoint=checkpoint))
            self._step("Replayed", lambda: self._call("replay"))
            self._step("Pages opened", self._open_pages)
        self.stdout.write("The backup can be restored. The temporary store has been deleted.")

    def _step(self, what: str, act: Callable[[], None]) -> None:
        start = time.monotonic()
        act()
        self.stdout.write(f"{what} in {time.monotonic() - start:.1f} s.")

    def _call(self, command: str, *arguments: str, **options: Any) -> None:
        """Without their warnings about the consequences of a real restore."""
        call_command(command, *arguments, stdout=self.stdout, stderr=StringIO(), **options)

    def _open_pages(self) -> None:
        if flaws := refused():
            raise CommandError(f"Pages that fail: {', '.join(flaws)}.")
