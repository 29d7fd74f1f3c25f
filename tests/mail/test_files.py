"""Mails of the local profile are files that only their owner can read: links that open accounts stand in them."""

from __future__ import annotations

import os
from pathlib import Path
from stat import S_IMODE

import pytest
from django.core.mail import EmailMessage, get_connection

from config.settings import Environment
from foundation.mail.files import restrict_access


@pytest.fixture(autouse=True)
def in_the_open():
    """As a careless shell would have it."""
    before = os.umask(0)
    yield
    os.umask(before)


def send(folder: Path) -> None:
    backend, options = Environment({"MAIL_URL": f"file://{folder}"}).mail("MAIL_URL", None)
    connection = get_connection(backend, file_path=options["EMAIL_FILE_PATH"])
    EmailMessage("Subject", "https://example.org/reset/secret", to=["ada@example.org"], connection=connection).send()


def mode(path: Path) -> int:
    return S_IMODE(path.stat().st_mode)


def test_a_mail_is_for_its_owner_alone(tmp_path):
    folder = tmp_path / "mail"
    send(folder)
    (file,) = folder.iterdir()
    assert "reset/secret" in file.read_text()
    assert (mode(folder), mode(file)) == (0o700, 0o600)


def test_what_was_written_earlier_is_closed_when_the_folder_is_opened(tmp_path):
    folder = tmp_path / "mail"
    folder.mkdir()
    old = folder / "20260101-000000-1.log"
    old.write_text("an earlier link")
    assert mode(old) == 0o666
    send(folder)
    assert {mode(file) for file in folder.iterdir()} == {0o600}
    assert mode(folder) == 0o700


def test_a_folder_that_is_everybodys_stays_so(tmp_path):
    tmp_path.chmod(0o1777)
    restrict_access(tmp_path)
    assert mode(tmp_path) == 0o1777
    send(tmp_path)
    assert {mode(file) for file in tmp_path.iterdir()} == {0o600}


def test_however_many_are_written_in_a_second_each_has_a_file_of_its_own(tmp_path):
    for _ in range(30):
        send(tmp_path / "mail")
    texts = [file.read_text() for file in (tmp_path / "mail").iterdir()]
    assert [text.count("Subject: Subject") for text in texts] == [1] * 30
