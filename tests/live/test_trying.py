"""The session that visitors try: on the real screens, without a trace, and so close that they decide."""

from __future__ import annotations

import html
from itertools import permutations

import pytest

from foundation.store import keys
from parts.live.views import demo
from parts.live.views.demo import TRIAL_ROBOTS, VISITOR, snapshot_after

PAGE = "/live/try/"


def test_a_visitor_sees_both_screens_and_who_has_answered(site, client):
    answer = client.get(PAGE)
    page = html.unescape(answer.content.decode())
    assert page.count("Where shall we travel together?") >= 2
    assert f"<b>{TRIAL_ROBOTS}</b> of {TRIAL_ROBOTS + 1} have answered" in page
    assert 'name="rank-3"' in page
    assert "/join/try" not in page, "nobody can join"
    assert 'class="corner"' not in page
    assert 'desc="0 trips"' in answer["Server-Timing"]
    assert "plenum_session" not in answer.cookies


def test_their_ranking_counts_in_the_race_and_is_not_stored(site, client):
    before = list(site.each(keys.events()))
    answer = client.get(PAGE, {"rank-2": "1", "rank-0": "2"})
    page = html.unescape(answer.content.decode())
    assert answer.status_code == 200
    assert "data-race" in page
    assert f"{TRIAL_ROBOTS + 1} votes" in page
    assert "<b>1</b> <bdi>A big city</bdi>" in page
    assert 'desc="0 trips"' in answer["Server-Timing"]
    assert list(site.each(keys.events())) == before
    assert client.post(PAGE).status_code == 405


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({"rank-0": ""}, "Rank at least one of the options."),
        ({"rank-0": "first"}, "The rank of The sea must be a whole number"),
        ({"rank-7": "1"}, "not a candidate"),
    ],
)
def test_a_ranking_that_cannot_be_counted_is_shown_again(site, client, typed, words):
    answer = client.get(PAGE, typed)
    page = html.unescape(answer.content.decode())
    assert answer.status_code == 422
    assert words in page
    assert 'name="rank-3"' in page


def test_robots_disagree_and_whatever_the_visitor_says_it_is_a_race_without_a_lot():
    options = range(len(demo.question().options))
    results = [snapshot_after(">".join(map(str, each))).rounds[1].result for each in permutations(options)]
    assert min(len(each["rounds"]) for each in results) >= 3
    assert not any(each["lots"] or each["between"] for each in results)
    assert len({tuple(each["winners"]) for each in results}) == 3, "the visitor decides"
    entries = snapshot_after("0").rounds[1].entries
    assert len({each.value for each in entries}) > TRIAL_ROBOTS // 2
    assert VISITOR in snapshot_after("0").seats
