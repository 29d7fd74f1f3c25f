"""Bounces read from a real IMAP server, dovecot: over TLS, with STARTTLS, with a wrong password, and past a bad mail.

`make test-mail` runs it; it is no part of the ordinary run, because it needs that program (Debian: dovecot-imapd).
"""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from foundation.mail import bounces
from foundation.mail import outbox as mail
from foundation.mail.emails import compose, message_id
from foundation.mail.sending import send_waiting
from foundation.store import keys
from operations.upkeep.jobs import BOUNCES, Leases, Outcome, Run, run_job
from tests.mail.test_bounces import nested, report
from tests.ports import free_port

DOVECOT = shutil.which("dovecot", path="/usr/sbin:/usr/bin:/usr/local/sbin")
TIMEOUT_SECONDS = 30  # seconds until it must listen
pytestmark = pytest.mark.skipif(DOVECOT is None, reason="needs dovecot (Debian: apt-get install dovecot-imapd)")


IS_ROOT = os.geteuid() == 0
# Neither logging in nor mailboxes may be root's.
USER, LOGIN = ("dovecot", "dovenull") if IS_ROOT else (getpass.getuser(),) * 2


def configuration(folder: Path, certificate: Path, imap: int, imaps: int) -> str:
    """Everything in one folder."""
    chroot = "login" if IS_ROOT else ""
    return f"""
protocols = imap
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/log
listen = 127.0.0.1
ssl = yes
ssl_cert = <{certificate}
ssl_key = <{certificate}
disable_plaintext_auth = no
default_internal_user = {USER}
default_login_user = {LOGIN}
mail_location = maildir:{folder}/mail
first_valid_uid = 0
passdb {{
  driver = static
  args = password=pass%%word
}}
userdb {{
  driver = static
  args = uid={USER} gid={USER} home={folder}
}}
service imap-login {{
  chroot = {chroot}
  inet_listener imap {{
    port = {imap}
  }}
  inet_listener imaps {{
    port = {imaps}
    ssl = yes
  }}
}}
service anvil {{
  chroot = {chroot}
}}
"""


@pytest.fixture
def dovecot(certificate) -> Iterator[tuple[Path, int, int]]:
    """Its mailbox, and its ports without and with TLS."""
    imap, imaps = free_port(), free_port()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        for path in (folder / "mail", *(folder / "mail" / part for part in ("new", "cur", "tmp"))):
            path.mkdir()
            if IS_ROOT:
                shutil.chown(path, USER, USER)
        (folder / "dovecot.conf").write_text(configuration(folder, certificate, imap, imaps))
        with listening(imaps, str(DOVECOT), "-F", "-c", str(folder / "dovecot.conf")):
            yield folder / "mail", imap, imaps


@contextmanager
def listening(port: int, *command: str) -> Iterator[None]:
    process = subprocess.Popen(command)
    try:
        until = time.monotonic() + TIMEOUT_SECONDS
        while not _listens(port):
            assert process.poll() is None, "it has ended"
            assert time.monotonic() < until, "it does not listen"
            time.sleep(0.1)
        yield
    finally:
        process.terminate()
        process.wait(TIMEOUT_SECONDS)


def _listens(port: int) -> bool:
    with socket.socket() as asking:
        return asking.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def sent(site, queue) -> str:
    (number,) = queue("ann")
    send_waiting(compose)
    return number


@pytest.mark.parametrize("scheme", ["imap", "imaps"])
def test_a_bounce_is_read_past_a_bad_mail(site, sent, settings, certificate, dovecot, scheme):
    box, imap, imaps = dovecot
    (box / "new" / "1").write_bytes(nested())
    (box / "new" / "2").write_bytes(report(message_id(sent)))
    settings.MAIL_CA = str(certificate)
    settings.BOUNCES_URL = f"{scheme}://vote:pass%25word@127.0.0.1:{imaps if scheme == 'imaps' else imap}/INBOX"
    bounces.check_mailbox(settings.BOUNCES_URL)
    assert run_job(BOUNCES, Leases(site)) == Run(Outcome.DONE, 1)
    assert mail.find(sent).state == mail.FAILED
    found = bounces.mailbox_state(site.get(keys.BOUNCES_READ))
    assert (found.trouble, [each["reason"] for each in found.unreadable]) == ("", ["RecursionError"])
    assert run_job(BOUNCES, Leases(site)) == Run(Outcome.DONE, 0)


@pytest.mark.parametrize(
    ("asked", "words"),
    [("vote:wrong@127.0.0.1:{}/INBOX", "AUTHENTICATIONFAILED"), ("vote:pass%25word@127.0.0.1:{}/Nowhere", "Nowhere")],
)
def test_a_refusal_is_told_in_the_servers_words(site, settings, certificate, dovecot, asked, words):
    settings.MAIL_CA = str(certificate)
    settings.BOUNCES_URL = f"imaps://{asked.format(dovecot[2])}"
    assert run_job(BOUNCES, Leases(site)).outcome == Outcome.FAILED
    assert words in bounces.mailbox_state(site.get(keys.BOUNCES_READ)).trouble


def test_starttls_to_another_machine_is_required(site, sent, settings, certificate, dovecot, monkeypatch):
    """As for every mailbox that is not on this machine."""
    monkeypatch.setattr(bounces, "LOCAL_HOSTS", ())
    box, imap, _ = dovecot
    (box / "new" / "1").write_bytes(report(message_id(sent)))
    settings.MAIL_CA = str(certificate)
    settings.BOUNCES_URL = f"imap://vote:pass%25word@127.0.0.1:{imap}"
    assert bounces.read_bounces() == 1
