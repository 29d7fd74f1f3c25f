"""How close it was: what is claimed is true, and what is called exact is the smallest there is."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tally import methods
from tally.ballots import Ballots
from tally.changes import Change, apply
from tally.closeness import measure_closeness, rankings

from .examples import CYCLE, EQUAL_CYCLE, TENNESSEE, election
from .test_properties import elections

PAIRWISE = ("schulze", "ranked-pairs", "copeland", "minimax")
few = settings(max_examples=15, deadline=None)


@st.composite
def tiny(draw) -> Ballots:
    """Two or three candidates, at most five ballots."""
    size = draw(st.integers(2, 3))
    counts = Counter(draw(st.lists(st.sampled_from(rankings(size)), min_size=1, max_size=5)))
    return Ballots(("A", "B", "C")[:size], counts)


def every_change_of_one(ballots: Ballots):
    for before in ballots.counts:
        yield from (apply(ballots, [Change(1, before, after)]) for after in rankings(len(ballots.candidates)))


def fewest_by_brute_force(ballots: Ballots, method: str, most: int, **settings) -> int | None:
    """By trying everything there is, level by level."""
    winners = set(methods.count(ballots, method, **settings).winners)
    level = {tuple(sorted(ballots.counts.items()))}
    seen = set(level)
    for number in range(1, most + 1):
        made = {
            tuple(sorted(each.counts.items()))
            for old in level
            for each in every_change_of_one(Ballots(ballots.candidates, dict(old)))
        }
        level = made - seen
        seen |= level
        if any(
            set(methods.count(Ballots(ballots.candidates, dict(each)), method, **settings).winners) != winners
            for each in level
        ):
            return number
    return None


def test_there_are_as_many_rankings_as_there_should_be():
    assert [len(rankings(size)) for size in range(5)] == [1, 2, 6, 26, 150]


def test_a_change_replaces_ballots():
    changed = apply(election("3: A > B\n1: B"), [Change(2, "0>1", "1")])
    assert changed.counts == {"0>1": 1, "1": 3}
    with pytest.raises(ValueError, match="fewer ballots"):
        apply(changed, [Change(2, "0>1", "1")])


@pytest.mark.parametrize(
    ("method", "number"),
    [("plurality", 8), ("schulze", 8), ("ranked-pairs", 8), ("minimax", 8), ("borda", 6)],
)
def test_tennessee_is_so_close(method, number):
    """Memphis leads by 16 first preferences; Nashville beats Memphis by 16 ballots, and leads by 21 points of Borda."""
    close = measure_closeness(TENNESSEE, method)
    assert (close.ballots, close.exact) == (number, True)


def test_a_runoff_can_hang_on_an_early_elimination():
    """Two ballots save Chattanooga from going first; in the last round eight would be needed."""
    close = measure_closeness(TENNESSEE, "irv")
    assert close.ballots == 2
    assert close.winners == ("Knoxville",)
    assert close.new_winners != close.winners


def test_a_narrow_elimination_among_others_is_turned_around():
    """C lacks 20 votes to B when C goes; ten or eleven ballots of B for C instead, and C beats A with B's ballots."""
    ballots = election("400: A\n310: B > C\n290: C > A")
    close = measure_closeness(ballots, "irv")
    assert close.ballots in (10, 11)
    assert close.new_winners == ("C",)


def test_a_tie_hangs_on_one_ballot():
    for method in (*PAIRWISE, "borda", "plurality"):
        close = measure_closeness(EQUAL_CYCLE, method)
        assert (close.ballots, close.exact, close.winners) == (1, True, ("A", "B", "C"))


def test_what_cannot_change_is_said_to_be_so():
    for ballots in (election("3: A"), Ballots(("A", "B"), {}), Ballots((), {})):
        for method in methods.KINDS["ranked"]:
            close = measure_closeness(ballots, method)
            assert (close.ballots, close.exact, close.changes) == (None, True, ())
    assert measure_closeness(TENNESSEE, "stv-meek", seats=4).ballots is None


def test_the_work_is_bounded_and_what_is_found_is_still_true():
    ballots = Ballots(TENNESSEE.candidates, {ranking: 100 * n for ranking, n in TENNESSEE.counts.items()})
    close, closer = measure_closeness(ballots, "irv", recounts=12), measure_closeness(ballots, "irv")
    assert (close.exact, closer.exact) == (False, False)
    assert closer.ballots <= close.ballots
    assert methods.count(apply(ballots, close.changes), "irv").winners == close.new_winners != close.winners


def test_the_order_of_candidates_and_ballots_plays_no_part():
    turned = CYCLE.in_order(CYCLE.candidates[::-1])
    for method in methods.KINDS["ranked"]:
        assert measure_closeness(turned, method) == measure_closeness(CYCLE, method)


@few
@given(elections(least=2, most=4), st.sampled_from(("below", "no-opinion")), st.integers(1, 2))
@pytest.mark.parametrize("method", methods.KINDS["ranked"])
def test_the_changed_ballots_change_the_winners_and_are_as_many_as_said(method, cast, unranked, seats):
    settings = {"unranked": unranked, "seats": seats, "seed": "s"}
    close = measure_closeness(cast, method, recounts=60, **settings)
    assert close.winners == methods.count(cast, method, **settings).winners
    if close.ballots is not None:
        changed = apply(cast, close.changes)
        assert changed.total == cast.total
        assert sum(change.count for change in close.changes) == close.ballots
        assert all(change.before != change.after for change in close.changes)
        assert methods.count(changed, method, **settings).winners == close.new_winners
        assert set(close.new_winners) != set(close.winners)


@settings(max_examples=8, deadline=None)
@given(tiny(), st.sampled_from(("below", "no-opinion")))
@pytest.mark.parametrize("method", methods.KINDS["ranked"])
def test_of_what_is_called_exact_nothing_smaller_is_enough(method, cast, unranked):
    settings = {"unranked": unranked, "seed": "s"}
    close = measure_closeness(cast, method, **settings)
    assert close.ballots is not None
    below = close.ballots - 1
    if close.exact and below and (below == 1 or len(cast.candidates) == 2):
        assert fewest_by_brute_force(cast, method, below, **settings) is None
