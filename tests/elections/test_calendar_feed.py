"""The personal calendar feed: whose it is, what is in it, and that its address can be taken back."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from django.test import Client

from accounts import repository as people
from accounts import services as accounts
from accounts.rules import Role
from acts.storage import table
from ballots import services as voting
from elections.drafts import services as drafts
from elections.public import feed
from store.log import as_text
from tests.people import sign_in
from tests.webhooks.sites import opened

from .test_calendar import unfolded

BEGINS = as_text(datetime.now(UTC) + timedelta(days=1))
ENDS = as_text(datetime.now(UTC) + timedelta(days=2))


@pytest.fixture
def otto(person):
    return person("Otto")


def address_on(page) -> str:
    (found,) = re.findall(
        r"http://127.0.0.1:8000(/calendar/[\w-]+\.ics)", unescape(page.content.decode()).split("<pre")[1]
    )
    return found


def summaries(answer) -> list[str]:
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    return [line.removeprefix("SUMMARY:") for line in unfolded(answer.content) if line.startswith("SUMMARY:")]


def made(user) -> str:
    return f"/calendar/{feed.make(user)}.ics"


def test_an_address_is_made_shown_once_and_taken_back(otto):
    browser, program = sign_in(otto), Client()
    assert "Create an address" in browser.get("/me/calendar/").content.decode()
    address = address_on(browser.post("/me/calendar/", {"act": "make"}))
    assert program.get(address).status_code == 200
    assert "/calendar/" not in browser.get("/me/calendar/").content.decode().replace("/me/calendar/", "")
    newer = address_on(browser.post("/me/calendar/", {"act": "make"}))
    assert [program.get(each).status_code for each in (address, newer)] == [404, 200]
    browser.post("/me/calendar/", {"act": "revoke"})
    assert program.get(newer).status_code == 404
    assert "Create an address" in browser.get("/me/calendar/").content.decode()


def test_the_store_has_no_token(otto):
    token = feed.make(otto)
    stored = repr(list(table().everything()))
    assert token not in stored
    assert token.partition("-")[2] not in stored


@pytest.mark.parametrize("token", ["x", "x-y", "-", "0" * 20 + "-", "é-x"])
def test_no_such_address(site, token):
    assert Client().get(f"/calendar/{token}.ics").status_code == 404


def test_guessing_the_first_part_is_not_enough(otto):
    selector = feed.make(otto).partition("-")[0]
    assert Client().get(f"/calendar/{selector}-.ics").status_code == 404
    assert Client().get(f"/calendar/{selector}-guessed.ics").status_code == 404


def test_what_one_may_vote_in_or_runs_and_nothing_else(otto, person):
    ida = person("Ida")
    opened(otto, "Board, first; \\ part", no_voting_before=BEGINS)
    opened(otto, "Ended last year", no_voting_after=None)
    opened(ida, "Hers")
    drafts.create(otto, "A secret plan", no_voting_after=ENDS)
    ann = people.find("Ann")
    assert set(summaries(Client().get(made(ann)))) == {"Voting: Board\\, first\\; \\\\ part", "Voting ends: Hers"}
    assert summaries(Client().get(made(otto))) == ["Voting: Board\\, first\\; \\\\ part"]
    assert summaries(Client().get(made(person("Vera", Role.VOTER)))) == []


def test_it_does_not_say_who_has_voted(otto):
    opened(otto)
    ann = people.find("Ann")
    before = Client().get(made(ann)).content
    voting.cast(ann, "Board", {"0": ["1"], "1": ["2"]}, "form")
    assert Client().get(made(ann)).content == before


def test_programs_ask_again_without_loading_it(otto):
    opened(otto)
    address = made(otto)
    first = Client().get(address)
    assert first["Cache-Control"] == "private, no-cache"
    again = Client().get(address, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    opened(otto, "Another")
    assert Client().get(address, headers={"If-None-Match": first["ETag"]}).status_code == 200
    assert not first.cookies


def test_a_removed_or_locked_person_has_no_calendar(otto, person):
    address = made(otto)
    accounts.remove_self(otto)
    assert Client().get(address).status_code == 404
    assert not [item for _name, item in table().everything() if item["PK"].startswith("CALENDAR#")]
    person("Otto")  # a later account of the same name
    assert Client().get(address).status_code == 404
    assert Client().get(made(person("Nico", Role.NO_ACCESS))).status_code == 404
