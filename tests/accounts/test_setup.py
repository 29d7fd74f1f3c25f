"""The first owner: by a link that is printed at the start or by a command, and never by visiting first."""

from __future__ import annotations

import io
import time
from contextlib import redirect_stderr, redirect_stdout

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from accounts import repository, services, setup_link
from accounts.rules import Role
from foundation.store import keys
from foundation.store.connect import connect
from foundation.store.log import EventLog
from tests.people import PASSWORD, make_owner

FORM = {"name": "Ada", "email": "Ada@example.org", "password": PASSWORD}


def path_of(link):
    assert link.startswith(settings.SITE_URL + "/")
    return link.removeprefix(settings.SITE_URL)


def text_of(answer):
    return answer.content.decode()


def test_whoever_visits_first_becomes_nothing(client, site):
    page = client.get("/register/")
    assert page.status_code == 200
    assert "This site is not set up yet" in text_of(page)
    assert "create_owner" in text_of(page)
    assert client.post("/register/", FORM).status_code == 403
    assert repository.people(limit=9) == ([], None)


def test_the_link_makes_the_owner_once(client, site):
    path = path_of(setup_link.new_link())
    assert path == reverse("setup", args=[path.split("/")[2]])
    assert "become its owner" in text_of(client.get(path))
    assert repository.owner_name() is None, "looking makes nobody"
    assert "You are the owner of this site" in text_of(client.post(path, FORM, follow=True))
    assert client.get("/me/").status_code == 200
    owner = repository.find("ADA")
    assert (owner.name, owner.email, owner.role) == ("Ada", "Ada@example.org", Role.OWNER)
    assert [event["event_type"] for event in EventLog(site).since(0)] == ["UserRegistered"]
    assert site.get(keys.SETUP) is None
    another = {**FORM, "name": "Eve", "email": "eve@example.org"}
    assert [Client().get(path).status_code, Client().post(path, another).status_code] == [410, 410]
    assert repository.find("Eve") is None
    assert setup_link.new_link() is None


def test_only_the_digest_of_the_link_is_kept_and_no_auditor_sees_it(site, signed_in):
    token = path_of(setup_link.new_link()).split("/")[2]
    kept = site.get(keys.SETUP)
    assert token not in str(kept)
    auditor = signed_in("Auditor", Role.AUDITOR)
    page = text_of(auditor.get("/admin/tables/raw/", {"table": "data", "pk": keys.SETUP.pk}))
    assert kept["digest"] not in page


@pytest.mark.parametrize("fields", [{"password": "short"}, {"name": "a@b"}, {"email": "nowhere"}])
def test_what_is_wrong_is_said_and_the_link_stays_good(client, site, fields):
    path = path_of(setup_link.new_link())
    assert client.post(path, FORM | fields).status_code == 422
    assert client.get(path).status_code == 200
    assert client.post(path, FORM).status_code == 302


def test_a_taken_name_or_address_is_said_and_the_link_stays_good(client, site, person):
    person("Bo", email="bo@example.org")
    path = path_of(setup_link.new_link())
    assert "name is already taken" in text_of(client.post(path, FORM | {"name": "bo"}))
    assert "already belongs to an account here" in text_of(client.post(path, FORM | {"email": "BO@example.org"}))
    assert client.post(path, FORM).status_code == 302


def test_an_old_link_a_made_up_one_and_all_but_the_newest_are_worth_nothing(client, site):
    first = path_of(setup_link.new_link())
    newest = path_of(setup_link.new_link())
    old = path_of(setup_link.new_link(now=time.time() - 25 * 3600))
    for path in (first, newest, old, "/setup/made-up/"):
        assert client.get(path).status_code == 410
        assert client.post(path, FORM).status_code == 410
    assert repository.owner_name() is None
    assert client.post(path_of(setup_link.new_link()), FORM).status_code == 302


def test_an_owner_made_by_a_command_spends_the_link(client, site):
    path = path_of(setup_link.new_link())
    make_owner()
    assert client.get(path).status_code == 410
    with pytest.raises(services.OwnerThere):
        make_owner("another", "another@example.org")


def announced() -> list[str]:
    """What a start prints, line by line: all of it where whoever started the server reads it, and nothing for pipes."""
    with redirect_stdout(io.StringIO()) as for_pipes, redirect_stderr(io.StringIO()) as said:
        setup_link.print_link()
    assert for_pipes.getvalue() == ""
    return [line.strip() for line in said.getvalue().splitlines() if line.strip()]


def test_a_start_without_an_owner_prints_the_link_and_one_with_an_owner_nothing(client, site):
    assert site.get(keys.OWNER) is None, "the store can be read, or nothing would be printed"
    sentence, link = announced()
    assert sentence.startswith("This site has no owner yet.")
    assert client.post(path_of(link), FORM).status_code == 302
    assert announced() == []


def test_a_store_in_trouble_does_not_keep_the_server_from_starting(settings, tmp_path):
    for url in (f"sqlite://{tmp_path}/never-made.sqlite3", "nonsense://"):
        settings.STORE_URL = url
        assert announced() == []
    connect(f"sqlite://{tmp_path}/never-made.sqlite3").close()
