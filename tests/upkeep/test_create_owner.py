"""The command that makes the first owner, and those of Django that cannot work here."""

from __future__ import annotations

import io
import sys
from io import StringIO

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from accounts import repository
from accounts.rules import Role
from foundation.store.log import EventLog
from operations.upkeep.management.commands import create_owner
from tests.people import PASSWORD


def run(*arguments, **options) -> str:
    output = StringIO()
    call_command(*arguments, stdout=output, **options)
    return output.getvalue().strip()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def typed(monkeypatch):
    """What is typed at a terminal where passwords are asked for."""

    def type_(*passwords: str) -> None:
        words = iter(passwords)
        monkeypatch.setattr(sys, "stdin", Terminal())
        monkeypatch.setattr(create_owner, "getpass", lambda prompt: next(words))

    return type_


def test_the_password_is_asked_for_twice(site, typed):
    typed(PASSWORD, PASSWORD)
    assert run("create_owner", "Ada", "ada@example.org") == "Ada is the owner of this site."
    assert repository.find("Ada").role == Role.OWNER
    assert Client().post("/sign-in/", {"name_or_email": "Ada", "password": PASSWORD}).status_code == 302
    typed(PASSWORD, PASSWORD)
    with pytest.raises(CommandError, match="already has an owner"):
        run("create_owner", "Eve", "eve@example.org")
    with pytest.raises(CommandError, match="already has an owner"):
        run("create_owner", link=True)


def test_or_read_from_standard_input(site, monkeypatch):
    monkeypatch.setattr(sys, "stdin", StringIO(f"{PASSWORD}\n"))
    run("create_owner", "Ada", "ada@example.org", password_stdin=True)
    assert repository.find("Ada").check_password(PASSWORD)


def test_or_a_link_is_printed(site):
    printed = run("create_owner", link=True)
    form = {"name": "Ada", "email": "ada@example.org", "password": PASSWORD}
    assert Client().post(printed.removeprefix(settings.SITE_URL), form).status_code == 302
    assert repository.find("Ada").role == Role.OWNER


@pytest.mark.parametrize(
    ("words", "passwords", "sentence"),
    [
        (("Ada",), (), "Give the name and the email address, or --link."),
        (("Ada", "ada@example.org"), (PASSWORD, "something else"), "passwords differ"),
        (("Ada", "ada@example.org"), ("short", "short"), "too short"),
        (("a@b", "ada@example.org"), (PASSWORD, PASSWORD), "cannot contain @"),
        (("Ada", "nowhere"), (PASSWORD, PASSWORD), "valid email"),
        (("Bo", "ada@example.org"), (PASSWORD, PASSWORD), "name is already taken"),
        (("Ada", "bo@example.org"), (PASSWORD, PASSWORD), "already belongs to an account here"),
    ],
)
def test_what_is_wrong_is_a_sentence_and_nobody_is_made(site, person, typed, words, passwords, sentence):
    person("Bo", email="bo@example.org")
    typed(*passwords)
    with pytest.raises(CommandError, match=sentence):
        run("create_owner", *words)
    assert repository.owner_name() is None


def test_without_a_terminal_it_says_what_to_use(site, monkeypatch):
    monkeypatch.setattr(sys, "stdin", StringIO(""))
    with pytest.raises(CommandError, match="--password-stdin or --link"):
        run("create_owner", "Ada", "ada@example.org")


# --- an owner whose mailbox is gone ---


def test_a_link_is_printed_with_which_the_owner_sets_a_new_password_once(site, person, client):
    with pytest.raises(CommandError, match="no owner yet"):
        run("reset_link")
    person("Olga", Role.OWNER)
    words, link = run("reset_link").splitlines()
    assert words == "For Olga, once and within an hour:"
    path = link.removeprefix(settings.SITE_URL)
    page = client.get(path, follow=True)
    answer = client.post(page.request["PATH_INFO"], {"password": "a new and long password"}, follow=True)
    assert answer.status_code == 200
    assert repository.find("Olga").check_password("a new and long password")
    assert client.get(path, follow=True).status_code == 410, "once"
    told = [
        (event["actor"], event["event_data"])
        for event in EventLog(site).since(0)
        if event["event_type"] == "ResetLinkSent"
    ]
    assert told == [("operator", {"name": "Olga"})]
