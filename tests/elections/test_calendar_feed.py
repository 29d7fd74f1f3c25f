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
from elections.interruptions import services as recording
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.public import feed
from store.log import as_text
from tests.clock import stands_at
from tests.people import sign_in
from tests.webhooks.sites import opened

from .test_calendar import parsed, unfolded

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


def event_of(answer) -> dict[str, str]:
    """Of the only election in a file, without what depends on whether it is a feed."""
    return parsed(answer.content)["VEVENT"]


def extend(otto, board):
    return lifecycle.extend(otto, board, as_text(datetime.now(UTC) + timedelta(days=9)))


def interrupt(otto, board):
    began, ended = (as_text(datetime.fromisoformat(board.opened_at) + timedelta(seconds=each)) for each in (1, 2))
    recording.record_interruption(otto, board, began, ended, "The power failed.", "", 60, 0)


@pytest.mark.parametrize("change", [extend, interrupt, closing.close])
def test_when_the_times_change_the_event_says_so_and_otherwise_it_stays(otto, change, monkeypatch):
    """Calendar programs keep what they have unless a later event has a higher sequence or modification time."""
    now = datetime.now(UTC)
    stands_at(monkeypatch, as_text(now - timedelta(seconds=9)))
    board = opened(otto, no_voting_after=ENDS)
    addresses = [made(people.find("Ann")), "/election/Board/calendar.ics"]
    browser = sign_in(people.find("Ann"))

    def read() -> list[dict[str, str]]:
        return [event_of(browser.get(each)) for each in addresses]

    before = read()
    stands_at(monkeypatch, as_text(now))
    assert read() == before, "what asks again sees no change"
    change(otto, board)
    for earlier, later in zip(before, read(), strict=True):
        assert later["UID"] == earlier["UID"]
        assert int(later["SEQUENCE"]) > int(earlier["SEQUENCE"])
        assert later["LAST-MODIFIED"] > earlier["LAST-MODIFIED"]
        assert later["DTSTAMP"] == later["LAST-MODIFIED"]
        assert later["DTSTART"] != earlier["DTSTART"]


def test_an_early_close_ends_the_entry(otto):
    board = opened(otto, no_voting_before=as_text(datetime.now(UTC) - timedelta(days=1)), no_voting_after=ENDS)
    address = made(otto)
    closed = closing.close(otto, board)
    assert event_of(Client().get(address))["DTEND"] == f"{closed.ended:%Y%m%dT%H%M%SZ}"


def test_what_was_closed_before_it_began_is_no_longer_in_it(otto):
    board, address = opened(otto, no_voting_before=BEGINS, no_voting_after=ENDS), made(otto)
    opened(otto, "Other", no_voting_after=ENDS)
    assert len(summaries(Client().get(address))) == 2
    closing.close(otto, board)
    assert summaries(Client().get(address)) == ["Voting ends: Other"]


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
