"""The mailbox to which mails come back, as the setting BOUNCES_URL names it: by IMAP, or a folder of files.

By IMAP it is only looked at: nothing in it is marked, moved or deleted, and how far it was read stands in the store. In
a Maildir what was read moves from `new` to `cur`, as every reader of one does.
"""

from __future__ import annotations

import imaplib
import logging
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from django.conf import settings

from acts.site import table
from store import keys
from store.table import Put

from . import bounces
from .answers import without_address, words_of
from .lines import Line

A_TURN = 500  # mails read in one turn
MOST_BYTES = 256 * 1024  # read of each mail
TIMEOUT = 20  # seconds for each answer
SECONDS = 120  # for a whole turn
HERE = ("localhost", "127.0.0.1", "::1")
PORTS = {"imap": 143, "imaps": 993}

_log = logging.getLogger("plenum.mail")


class Unsafe(OSError):
    """The password would be told to whoever listens."""


def is_there() -> bool:
    return bool(settings.BOUNCES_URL)


def read_bounces(goes_on: Callable[[], bool] = lambda: True) -> int:
    """Note what came back since the last look; answers how many mails it was about."""
    url = urlsplit(settings.BOUNCES_URL)
    mails = _in_folder(Path(unquote(url.path))) if url.scheme == "maildir" else _by_imap(url)
    noted = 0
    try:
        for raw in islice(mails, A_TURN):
            if not goes_on():
                break
            noted += _note(raw)
    except (imaplib.IMAP4.error, OSError) as error:
        _log.warning("mailbox of bounces out of reach", extra={"words": without_address(words_of(error), "")})
        raise
    return noted


def _note(raw: bytes) -> bool:
    report = bounces.report_in(raw)
    return report is not None and bounces.note(report)


def _in_folder(folder: Path) -> Iterator[bytes]:
    """What is still new; when the next is asked for, the one before is done with."""
    for path in sorted((folder / "new").iterdir()):
        with path.open("rb") as file:
            yield file.read(MOST_BYTES)
        with suppress(FileNotFoundError):  # somebody else reads it, too
            path.rename(folder / "cur" / f"{path.name}:2,")


def _by_imap(url: SplitResult) -> Iterator[bytes]:
    with _opened(url) as box:
        box.select(f'"{unquote(url.path).strip("/") or "INBOX"}"', readonly=True)
        validity = str(int(box.response("UIDVALIDITY")[1][0] or 0))
        for number in _unread(box, _read_up_to(validity)):
            yield _fetched(box, number)
            _remember(validity, number)


@contextmanager
def _opened(url: SplitResult) -> Iterator[imaplib.IMAP4]:
    host, port, line = url.hostname or "", url.port or PORTS[url.scheme], Line()
    context = ssl.create_default_context()
    if settings.MAIL_CA:
        context.load_verify_locations(settings.MAIL_CA)
    secure = url.scheme == "imaps"
    box = (
        imaplib.IMAP4_SSL(host, port, ssl_context=context, timeout=TIMEOUT)
        if secure
        else imaplib.IMAP4(host, port, timeout=TIMEOUT)
    )
    try:
        line.hold(box.socket())
        with line.within(SECONDS):
            if not secure and host not in HERE:
                _secured(box, context)
            box.login(unquote(url.username or ""), unquote(url.password or ""))
            yield box
    finally:
        with suppress(imaplib.IMAP4.error, OSError):
            box.logout()
        line.release()


def _secured(box: imaplib.IMAP4, context: ssl.SSLContext) -> None:
    if "STARTTLS" not in box.capabilities:
        raise Unsafe("the mailbox offers no encryption")
    box.starttls(context)


def _unread(box: imaplib.IMAP4, last: int) -> list[int]:
    """The numbers after the last one that was read. A server always names its newest, also if that was read."""
    _, found = box.uid("search", f"UID {last + 1}:*")
    return sorted(number for number in map(int, (found[0] or b"").split()) if number > last)


def _fetched(box: imaplib.IMAP4, number: int) -> bytes:
    _, found = box.uid("fetch", str(number), f"(BODY.PEEK[]<0.{MOST_BYTES}>)")
    return next((part[1] for part in found if isinstance(part, tuple)), b"")


# --- how far it was read ---


def _read_up_to(validity: str) -> int:
    item = table().get(keys.bounces_read())
    return int(item["number"]) if item and item["validity"] == validity else 0


def _remember(validity: str, number: int) -> None:
    place = keys.bounces_read()
    table().write(Put({"PK": place.pk, "SK": place.sk, "validity": validity, "number": number}))
