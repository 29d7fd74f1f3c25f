"""The drill: a backup is restored, verified, replayed and tried out in a store that is then discarded.

Nothing leaves the process: the store is in a temporary folder, pages are rendered without a server, no worker runs, and
any mail is discarded.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from django.conf import settings
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
NOWHERE = "drill.invalid"  # the host in requests for pages
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
            ALLOWED_HOSTS=[NOWHERE],
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
    client = Client(raise_request_exception=False, SERVER_NAME=NOWHERE)
    flaws = _refused(client, [reverse(page) for page in PUBLIC])
    for person in people.people(role=Role.OWNER, limit=1)[0]:
        client.force_login(cast(User, people.find(person.name)), backend=settings.AUTHENTICATION_BACKENDS[0])
        flaws += _refused(client, [*map(reverse, (*PUBLIC, *OWNERS)), *_of_elections()])
    return flaws


def _of_elections() -> list[str]:
    """Pages of the newest closed elections."""
    names = [each.name for each in elections.list_elections(state=State.CLOSED, limit=MAX_ELECTIONS_CHECKED)[0]]
    return [reverse(page, args=[name]) for name in names for page in ("election", "results")]


def _refused(client: Client, pages: list[str]) -> list[str]:
    statuses = {page: client.get(page, secure=True).status_code for page in pages}
    return [f"{page} ({status})" for page, status in statuses.items() if status != OK]
