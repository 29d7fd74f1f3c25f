"""While polling stations are switched off, no page offers them and no browser is a booth; then all is as before."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from ballots.sealing import seal_closed
from elections import repository as elections
from elections.invitations.voting_link import LINKS
from elections.lifecycle import closing
from elections.roll.services import add_voters
from elections.voter_lists import Details
from foundation.parts import parts
from parts.stations import browser
from parts.stations.rules import Booth
from tests.ballots.test_pages import PAGE, vote
from tests.switching import switched_off

from .test_station import ANN, BOOTH, START, cookies, entry_of, let_in, new_station, now_at, organiser, paired


@pytest.fixture
def board(opened):
    return opened(ANN, "ben@example.org")


@pytest.fixture
def station(board):
    return new_station()


@pytest.fixture
def booth(station):
    return paired(station)


def test_a_booth_is_an_ordinary_browser_meanwhile_and_then_the_booth_that_it_was(station, booth):
    assert booth.get("/help/")["Location"] == BOOTH
    with switched_off("stations"):
        page = booth.get("/help/")
        assert page.status_code == 200
        assert 'name="booth"' not in page.content.decode()
        assert booth.get(BOOTH).status_code == 404
        assert browser.COOKIE in cookies(booth)
    assert booth.get("/help/")["Location"] == BOOTH
    let_in(station, ANN)
    booth.post(START)
    vote(booth, rank_0="1")
    assert entry_of(ANN)["voted"]


def test_whoever_has_begun_can_still_vote(station, booth):
    let_in(station, ANN)
    booth.post(START)
    with switched_off("stations"):
        vote(booth, rank_0="1")
        assert entry_of(ANN)["voted"]
        assert 'action="/station/' not in booth.get(PAGE).content.decode()


def test_no_page_of_an_election_leads_to_them(station, signed_in):
    client, dashboard = signed_in("the organiser"), reverse("dashboard", args=["Board"])
    assert "/stations/" in client.get(dashboard).content.decode()
    with switched_off("stations"):
        assert "/stations/" not in client.get(dashboard).content.decode()
        assert client.get(reverse("stations", args=["Board"])).status_code == 404
        assert client.get(reverse("station_desk", args=["Board", station.id])).status_code == 404
    assert "Booth 1" in client.get(reverse("stations", args=["Board"])).content.decode()


def test_the_page_about_secrecy_speaks_of_them_only_while_they_are_on(client, site):
    address = reverse("help_secrecy")
    assert client.get(address).content.decode().count("At a polling station") == 2
    with switched_off("stations"):
        assert "polling station" not in client.get(address).content.decode()


def test_visits_end_before_the_ballots_are_counted_all_the_same(board, station, booth):
    let_in(station, ANN)
    booth.post(START)
    with switched_off("stations"):
        closing.close_and_follow_up(organiser(), elections.find("Board"))
        seal_closed("Board")
        assert now_at(station).booth == Booth.FREE
        assert LINKS not in entry_of(ANN), "The roll is as if nobody had come."


def test_a_form_of_an_earlier_visitor_is_just_expired(station, booth):
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = booth.cookies
    assert strict.post(reverse("cast", args=["Board"]))["Location"] == BOOTH
    with switched_off("stations"):
        assert strict.post(reverse("set_language"), {"language": "de"}).status_code == 403


def test_the_owner_reads_what_switching_them_off_interrupts(station):
    (part,) = (each for each in parts() if each.label == "stations")
    assert list(part.running()) == ["1 polling station is open."]


def test_the_desk_takes_no_letters_while_those_are_switched_off(board, station, booth, signed_in):
    add_voters(organiser(), board, ["1@"], {"1@": Details("Maria Merian")})
    client, desk = signed_in("the organiser"), reverse("station_desk", args=["Board", station.id])
    letter = reverse("let_in_by_letter", args=["Board", station.id])
    assert letter in client.get(desk).content.decode()
    with switched_off("letters"):
        assert letter not in client.get(desk).content.decode()
        assert client.post(letter, {"code": "K7QM-2XHD-94TP"}).status_code == 404
    assert client.post(letter, {"code": "K7QM-2XHD-94TP"}).status_code == 422
