"""The curve of the turnout and its axes, and the comparison with another election."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from elections.convening import Convened
from elections.rules import Election
from elections.turnout.chart import draw_chart, window
from elections.turnout.comparison import compare, share_at
from elections.turnout.counts import Turnout
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
LAST = replace(
    *(OPEN,),
    name="Board 2025",
    allow_vote=False,
    opened_at="2025-11-02T00:00:00.000Z",
    no_voting_after="2025-11-12T00:00:00.000Z",
    voter_count=100,
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


# --- beside the last one ---


def last_year(*steps):
    first = datetime.fromisoformat(LAST.opened_at)
    return Turnout(steps[-1][1], 0, tuple((first + timedelta(days=day), count) for day, count in steps))


YEAR = last_year((5, 44), (10, 71))


def test_it_is_said_how_far_the_last_one_was_at_this_time_and_at_the_end():
    own = window(OPEN, counted((2, 116)), NOON)
    found = compare(LAST, YEAR, own, NOON)
    assert (found.then, found.at_the_end) == (44, 71)
    assert found.sentence == (
        "The last election of this group, “Board 2025”, had a turnout of 44% at this point, and 71% at the end."
    )
    assert drawn(last=found.progress).last == "0,100 50,56 100,29 100,29"


def test_once_the_own_one_is_over_only_the_end_is_compared():
    over = replace(OPEN, allow_vote=False, no_voting_after="2026-11-16T11:00:00.000Z")
    found = compare(LAST, YEAR, window(over, counted((2, 116)), NOON), NOON)
    assert found.then is None
    assert "had a turnout of 71%." in found.sentence


@every_row(
    ("other", "counts"),
    [
        (replace(LAST, allow_vote=True, no_voting_after=END), YEAR),  # under way
        (replace(LAST, electorate="everyone"), YEAR),
        (replace(LAST, voter_count=0), YEAR),
        (LAST, last_year((5, 2))),  # secret, and so few that it would tell
    ],
)
def test_what_is_not_shown_is_not_compared_with(other, counts):
    assert compare(other, counts, window(OPEN, counted((2, 116)), NOON), NOON) is None


def test_between_two_counts_it_is_between_them():
    way = ((0.0, 0.0), (0.5, 0.4), (1.0, 0.6))
    assert [share_at(way, part) for part in (0, 0.25, 0.5, 0.75, 1)] == pytest.approx([0, 0.2, 0.4, 0.5, 0.6])
