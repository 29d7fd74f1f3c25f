"""How close it was: as many changed ballots as it says do change who wins, and where that is exact, fewer do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations_with_replacement, permutations, product
from random import Random

import pytest

from foundation.tally import closeness
from foundation.tally.ballots import Ballots, ranking_of, text_of
from foundation.tally.closeness import Closeness, measure_closeness
from foundation.tally.majorities import ABSTAIN, NO, YES
from foundation.tally.methods import KIND_OF, KINDS, METHODS, count
from tests.rows import every_row

from .examples import CYCLE, EQUAL_CYCLE, TENNESSEE, election
from .test_marks import marked, scored
from .test_properties import orders

Election = tuple[int, ...]  # how often each possible ballot was cast


@cache
def ballots_of(kind: str, candidates: int) -> tuple[str, ...]:
    """Few possible ballots, among them whatever a changed one may be."""
    everyone = range(candidates)
    if kind == "ranked":
        return ("", *(ranking_of([each] for each in order) for order in permutations(everyone)))
    if kind == "yes-no":
        return ("", "0", "1", "2")
    values = {"score": (0, 2, 5), "points": (0, 1, 3)}.get(kind, (0, 1))
    rows = [dict(enumerate(row)) for row in product(values, repeat=candidates) if kind != "points" or sum(row) <= 3]
    return tuple(text_of(row) if len(values) > 2 else text_of(row).removesuffix("@1") for row in rows)


def every_election(possible: tuple[str, ...], ballots: int) -> Iterator[Election]:
    for cast in combinations_with_replacement(range(len(possible)), ballots):
        numbers = Counter(cast)
        yield tuple(numbers[each] for each in range(len(possible)))


def check_all(method: str, possible: tuple[str, ...], names: tuple[str, ...], ballots: int, some: int, **rules) -> int:
    """Hold what is said of some elections against all others with as many ballots: how often it said a number."""

    def counted(each: Election):
        cast = Ballots(names, {text: number for text, number in zip(possible, each, strict=True) if number})
        return cast, count(cast, method, seed="s", **rules)

    everything = {each: counted(each) for each in every_election(possible, ballots)}
    said = 0
    for here in Random(1).sample(sorted(everything), min(some, len(everything))):
        cast, result = everything[here]
        close = measure_closeness(cast, result)
        by_number: dict[int, set[tuple[str, ...]]] = {}
        for there, (_cast, other) in everything.items():
            if {*other.winners} != {*result.winners}:
                number = ballots - sum(map(min, here, there))
                by_number.setdefault(number, set()).add(tuple(sorted(other.winners)))
        fewest = min(by_number, default=None)
        if close.ballots is None:
            assert not close.exact or fewest is None, (cast, close)
            continue
        said += 1
        assert tuple(sorted(close.new_winners)) in set().union(
            *(found for number, found in by_number.items() if number <= close.ballots)
        ), (cast, close)
        assert close.ballots == fewest if close.exact else close.ballots >= fewest, (cast, close, fewest)
    return said


ONE_SEAT = [method for method in METHODS if method not in ("majority", "stv-meek")]
SEVERAL = ["stv-scottish", "most-votes", "approval", "score", "cumulative"]
NAMES = ("A", "B", "C", "D")


@pytest.mark.seconds(1)
@every_row("method", ONE_SEAT)
def test_what_is_said_of_small_elections_is_true(method):
    size = 2 if KIND_OF[method] in ("score", "points") else 3
    assert check_all(method, ballots_of(KIND_OF[method], size), NAMES[:size], 3, 30)


@pytest.mark.deep
@pytest.mark.parametrize("unranked", ["below", "no-opinion"])
@every_row("method", KINDS["ranked"])
def test_of_every_ranking_of_three_it_is_true(method, unranked):
    """Partial ones and ones with equals among them."""
    check_all(method, orders(3, tied=True), NAMES[:3], 2, 120, unranked=unranked)
    check_all(method, ballots_of("ranked", 3), NAMES[:3], 5, 60, unranked=unranked)


@pytest.mark.deep
@every_row("method", [method for method in ONE_SEAT if KIND_OF[method] == "ranked"])
def test_of_four_candidates_it_is_true(method):
    check_all(method, ballots_of("ranked", 4), NAMES, 3, 20)


@pytest.mark.deep
@pytest.mark.parametrize("pairs", [closeness.MAX_PAIRS, 1])
@every_row("method", [method for method in ONE_SEAT if KIND_OF[method] != "ranked"])
def test_of_marks_it_is_true(method, pairs, monkeypatch):
    """However few pairs of candidates are looked at."""
    monkeypatch.setattr(closeness, "MAX_PAIRS", pairs)
    check_all(method, ballots_of(KIND_OF[method], 3), NAMES[:3], 2 if KIND_OF[method] == "score" else 4, 100)
    check_all(method, ballots_of(KIND_OF[method], 2), NAMES[:2], 4, 100)


@pytest.mark.deep
@every_row("method", SEVERAL)
def test_of_several_seats_it_is_true(method):
    size = 4 if KIND_OF[method] == "ranked" else 3
    ballots = 2 if KIND_OF[method] == "score" else 3
    assert check_all(method, ballots_of(KIND_OF[method], size), NAMES[:size], ballots, 60, seats=2)


@every_row("majority", ["", "2/3 cast", "2/3 present", "3/4 entitled", "4/5 cast"])
def test_of_votes_on_yes_or_no_it_is_exact(majority):
    some = {"majority": majority, "entitled": 6}
    assert check_all("majority", ballots_of("yes-no", 3), (YES, NO, ABSTAIN), 5, 56, **some) == 56


# --- by hand ---


@every_row(
    ("method", "number", "exact", "winners"),
    [
        ("plurality", 8, True, "Memphis Nashville"),
        ("schulze", 9, False, "Memphis"),
        ("ranked-pairs", 9, False, "Memphis"),
        ("borda", 6, True, "Chattanooga"),
        ("irv", 2, False, "Chattanooga"),
    ],
)
def test_tennessee_is_so_close(method, number, exact, winners):
    """Memphis leads by 16 first preferences; two ballots save Chattanooga from going first."""
    close = measure_closeness(TENNESSEE, count(TENNESSEE, method))
    assert close == Closeness(number, exact, tuple(winners.split()))


def test_in_a_cycle_it_takes_the_only_contest_that_the_other_lost():
    """Coffee lost to tea alone, by seven, and milk to coffee, by eleven."""
    close = measure_closeness(CYCLE, count(CYCLE, "schulze"))
    assert close == Closeness(4, exact=False, new_winners=("coffee",))


@every_row("method", KINDS["ranked"])
def test_of_ties_nothing_is_said_and_of_what_nothing_can_change_that(method):
    if method not in ("irv", "stv-scottish"):
        assert measure_closeness(EQUAL_CYCLE, count(EQUAL_CYCLE, method)) == Closeness()
    for cast in (election("3: A"), Ballots((), {})):
        assert measure_closeness(cast, count(cast, method)) == Closeness(exact=True)


@every_row("method", ["irv", "stv-scottish"])
def test_where_a_lot_was_drawn_somebody_else_needs_the_majority_at_once(method):
    close = measure_closeness(EQUAL_CYCLE, count(EQUAL_CYCLE, method, seed="s"))
    assert (close.ballots, close.exact) == (2, False)
    assert close.new_winners != count(EQUAL_CYCLE, method, seed="s").winners


def test_where_votes_are_added_up_a_tie_is_not_enough():
    cast = marked("ABC", "50: A\n40: B\n30: A B\n10: C")
    assert measure_closeness(cast, count(cast, "approval")) == Closeness(6, exact=False, new_winners=("B",))
    more = marked("ABC", "51: A\n40: B\n30: A B\n10: C")
    assert measure_closeness(more, count(more, "approval")) == Closeness(6, exact=True, new_winners=("B",))
    assert measure_closeness(cast, count(cast, "approval", seats=3)) == Closeness()


def test_of_a_runoff_it_is_more_than_half_of_the_margin():
    cast = scored("ABC", [[5, 0, 0]] * 31 + [[0, 5, 4]] * 10)
    assert measure_closeness(cast, count(cast, "star")) == Closeness(11, exact=True, new_winners=("B",))
    cast = scored("ABC", [[5, 0, 0]] * 30 + [[4, 5, 0]] * 25 + [[0, 3, 5]] * 5)
    close = measure_closeness(cast, count(cast, "star"))
    assert (close.ballots, close.exact) == (1, True)
