"""The curve of the turnout and its axes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from elections.convening import Convened
from elections.rules import Election
from elections.turnout.counts import Turnout
from elections.turnout.views import draw_chart, window
from tests.rows import every_row

NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
OPENED, END = "2026-11-14T12:00:00.000Z", "2026-11-18T12:00:00.000Z"
OPEN = Election(
    *("Board 2027", "Ada", "2026-11-01T00:00:00.000Z"),
    allow_edit=False,
    allow_vote=True,
    opened_at=OPENED,
    no_voting_after=END,
    voter_count=200,
    time_zone="Europe/Brussels",
)


def counted(*steps):
    """So many at the end of each day since it opened."""
    first = datetime.fromisoformat(OPENED)
    pairs = tuple((first + timedelta(days=day), count) for day, count in steps)
    return Turnout(pairs[-1][1] if pairs else 0, 0, pairs)


def drawn(election=OPEN, turnout=None, now=NOON, **more):
    turnout = turnout or counted((1, 60), (2, 116))
    return draw_chart(election, turnout, window(election, turnout, now), **more)


def test_time_goes_across_the_whole_window_and_the_curve_ends_now():
    found = drawn()
    assert found.line == "0,100 25,70 50,42 50,42"
    assert (found.now.x, found.now.label) == ("50%", "now")
    assert found.below.endswith("50,100")


def test_the_axes_have_few_round_marks_in_the_zone_of_the_election():
    found = drawn()
    assert [tick.label for tick in found.shares] == ["100%", "50%"]
    assert [tick.label for tick in found.days] == ["15 Nov", "16 Nov", "17 Nov", "18 Nov"]
    assert found.days[0].across == pytest.approx(100 * 11 / 96, abs=0.01), "midnight in Brussels is 23:00 UTC"
    assert found.zone == "Europe/Brussels"
    short = replace(OPEN, opened_at="2026-11-16T09:00:00.000Z", no_voting_after="2026-11-16T13:00:00.000Z")
    hours = drawn(short, Turnout(3, 0, ((NOON, 3),)))
    assert [tick.label for tick in hours.days] == ["10:00", "11:00", "12:00", "13:00", "14:00"]


@every_row(("voted", "top"), [(6, "10%"), (38, "20%"), (80, "50%"), (160, "100%")])
def test_a_low_turnout_is_seen_too(voted, top):
    assert drawn(turnout=counted((2, voted))).shares[0].label == top


def test_what_has_just_begun_is_not_a_sliver():
    long = replace(OPEN, opened_at="2026-11-16T09:00:00.000Z", no_voting_after="2027-11-16T09:00:00.000Z")
    found = drawn(long, Turnout(3, 0, ((NOON, 3),)))
    assert found.until == 25
    assert found.now.across == 25
    assert drawn().until > 25, "later on, all of it is drawn"


def test_where_everybody_may_vote_votes_are_counted():
    found = drawn(replace(OPEN, electorate="everyone", voter_count=33), counted((1, 20), (2, 33)))
    assert [tick.label for tick in found.shares] == ["40", "20"]


def test_a_closed_one_ends_at_its_end_and_has_no_now():
    closed = replace(OPEN, allow_vote=False, no_voting_after="2026-11-16T11:00:00.000Z")
    assert drawn(closed).now is None
    assert drawn(closed).line.endswith("100,42")


def test_before_it_has_begun_there_is_no_window():
    assert window(replace(OPEN, no_voting_before=END, no_voting_after=None), counted(), NOON) is None
    assert window(replace(OPEN, opened_at=None), counted(), NOON) is None, "nor of one from before openings were kept"


@every_row(
    ("quorum", "entitled", "number"),
    [("", 12, None), ("25", 0, 25), ("1/4", 0, None), ("1/4", 10, 3), (">1/2", 12, 7), (">1/2", 13, 7), ("1/2", 12, 6)],
)
def test_how_many_a_quorum_is(quorum, entitled, number):
    assert Convened("Spring", "1", OPENED, 5, entitled, quorum).quorum_number == number


def test_the_quorum_of_the_assembly_is_a_line_inside_the_picture():
    found = drawn(turnout=counted((2, 10)), quorum=50)
    assert (found.quorum.label, found.shares[0].label) == ("50", "50%"), "25 percent, and the top is above it"
    assert found.quorum.down == pytest.approx((found.head + found.floor) / 2)
