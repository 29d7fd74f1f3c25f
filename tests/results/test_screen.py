"""A sealed result on the big screen: for those who may read the result, with the count and the outcome."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from accounts import repository as people
from foundation.tally.ballots import Ballots
from foundation.tally.methods import count
from results.pictures.rounds import MAX_RUNNERS, laps
from tests.ballots.conftest import opened  # noqa: F401 - a fixture
from tests.ballots.test_by_link import ANN, BEN, come_in, door_of
from tests.ballots.test_pages import vote
from tests.results.test_sealing import close, voted  # noqa: F401 - fixtures

NAMES = ("Ada", "Bo", "Cy")
CLOSE = ["0>1>2"] * 4 + ["1>0>2"] * 3 + ["2>1>0"] * 2


def screen(client, name: str = "Board"):
    return client.get(reverse("result_screen", args=[name]))


def laps_of(rankings: list[str], method: str, names=NAMES, **rules):
    return laps(count(Ballots.of(names, rankings), method, seed="seed", **rules))


# --- pages ---


def test_the_organiser_gets_there_from_the_result_and_a_voter_may_look(voted, close, signed_in):  # noqa: F811
    voted({"Ada": 1, "Bo": 2}, {"Ada": 1}, {"Cy": 1, "Ada": 2})
    close()
    address = reverse("result_screen", args=["Board"])
    assert address in signed_in("the organiser").get(reverse("results", args=["Board"])).content.decode()
    voter = signed_in(people.find("voter 0"))
    assert address not in voter.get(reverse("results", args=["Board"])).content.decode()
    answer = screen(voter)
    page = answer.content.decode()
    assert answer.status_code == 200
    assert re.search(r'<ul class="winners of-1".*?<span dir="auto">Ada</span>', page)
    assert "3 of 3 voters" in page
    assert "voter 0" not in page


def test_it_says_no_more_than_the_result_page_to_strangers_and_before_the_close(voted, close, client, signed_in):  # noqa: F811
    voted({"Ada": 1}, {"Ada": 1}, {"Bo": 1})
    assert screen(client).status_code == 302
    assert "/sign-in/" in screen(client).url
    early = screen(signed_in("the organiser"))
    assert early.status_code == 403
    assert "The result will be shown once the election has closed." in early.content.decode()
    close()
    assert "/sign-in/" in screen(client).url
    assert signed_in(people.find("voter 0")).post(reverse("result_screen", args=["Board"])).status_code == 405


def test_whoever_votes_by_link_may_look_and_is_not_named(opened, close):  # noqa: F811
    opened(ANN, BEN, vote_by_link=True)
    by_link = come_in(door_of())
    vote(by_link, rank_1="1")
    close()
    page = screen(by_link)
    assert page.status_code == 200
    assert "1 of 2 voters" in page.content.decode()
    assert ANN not in page.content.decode()


# --- laps ---


def test_a_candidate_who_is_out_stays_in_the_race_without_a_number():
    first, last = laps_of(CLOSE, "irv")
    assert [(bar["label"], bar["number"], bar["mark"]) for bar in first["bars"]] == [
        ("Ada", "4", ""),
        ("Bo", "3", ""),
        ("Cy", "2", "leaving"),
    ]
    assert [(bar["label"], bar["number"], bar["gain"], bar["mark"]) for bar in last["bars"]] == [
        ("Bo", "5", "+2", "elected"),
        ("Ada", "4", "", ""),
        ("Cy", "", "", "out"),
    ]


def test_a_lot_is_named():
    tied = laps_of(["0>1>2"] * 3 + ["1>2"] * 2 + ["2>1"] * 2, "irv")
    assert any("Drawn by lot" in sentence for lap in tied for sentence in lap["says"])


def test_votes_of_a_transferred_surplus_have_decimals():
    counted = laps_of(["0>1"] * 4 + ["0>2"] * 3 + ["1"] * 2 + ["2"] * 2, "stv-scottish", seats=2)
    assert any("." in bar["number"] for lap in counted for bar in lap["bars"])


@pytest.mark.parametrize(("method", "many"), [("borda", 1), ("plurality", 1), ("schulze", 0), ("copeland", 0)])
def test_a_count_without_rounds_is_one_lap_or_the_contests(method, many):
    assert len(laps_of(CLOSE, method)) == many


def test_two_who_are_compared_have_their_ballots_as_bars():
    (only,) = laps_of(["0>1"] * 3 + ["1"] * 2, "schulze", ("Ada", "Bo"))
    assert [(bar["label"], bar["number"]) for bar in only["bars"]] == [("Ada", "3"), ("Bo", "2")]


def test_of_many_candidates_only_the_first_run():
    names = [f"Candidate {number:02}" for number in range(30)]
    every = laps_of([str(number) for number in range(30)], "irv", names)
    assert {len(lap["bars"]) for lap in every} == {MAX_RUNNERS}
    assert all(f"Showing the first {MAX_RUNNERS} of 30." in lap["says"] for lap in every)


def test_nobody_runs_alone_or_without_ballots():
    assert laps_of(["0"], "irv", ("Ada",)) == []
    assert laps_of([], "irv") == []
