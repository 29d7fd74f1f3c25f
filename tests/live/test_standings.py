"""Places: sums over what counts, movement against the round before, late joiners, and nobody paid twice."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from parts.live.rounds import Entry, Round
from parts.live.seats import Seat
from parts.live.standings import Standings, standings_of


def seat(name: str, **more) -> Seat:
    return Seat(name.lower(), name, "2026-01-01T00:00:00Z", **more)


ADA, BO, CY, DI = (seat(name) for name in ("Ada", "Bo", "Cy", "Di"))


def paid(number: int, question: int | None = None, /, **points: int) -> Round:
    entries = tuple(Entry(player, [0], got) for player, got in points.items())
    return Round(number, number - 1 if question is None else question, len(entries), {}, entries)


def places(found: Standings) -> dict[str, tuple[int, int]]:
    return {line.name: (line.place, line.total) for line in found.lines}


def moved(found: Standings) -> dict[str, int | None]:
    return {line.name: line.moved for line in found.lines}


# --- places ---


def test_equals_share_a_place_and_stand_by_their_names():
    found = standings_of([paid(1, ada=5, bo=7, cy=5)], [DI, CY, BO, ADA])
    assert [(line.place, line.name, line.total) for line in found.lines] == [
        (1, "Bo", 7),
        (2, "Ada", 5),
        (2, "Cy", 5),
        (4, "Di", 0),
    ]


def test_speed_is_part_of_the_total_and_told_apart():
    fast = Round(1, 0, 1, {}, (Entry("ada", [0], 1000, 450),))
    line = standings_of([fast], [ADA]).place_of("ada")
    assert (line.total, line.gained, line.bonus) == (1450, 1450, 450)


def test_before_the_first_round_everybody_is_first_with_nothing():
    found = standings_of([], [ADA, BO])
    assert places(found) == {"Ada": (1, 0), "Bo": (1, 0)}
    assert moved(found) == {"Ada": None, "Bo": None}
    assert (found.rounds, found.podium) == (0, ())


def test_who_was_removed_or_not_let_in_has_no_place():
    found = standings_of([paid(1, ada=9, bo=5, cy=1)], [seat("Ada", removed=True), BO, seat("Cy", approved=False)])
    assert places(found) == {"Bo": (1, 5)}
    assert found.place_of("ada") is None


def test_who_was_readmitted_has_what_they_had():
    rounds = [paid(1, ada=9, bo=5)]
    assert places(standings_of(rounds, [seat("Ada", removed=True), BO])) == {"Bo": (1, 5)}
    assert places(standings_of(rounds, [ADA, BO])) == {"Ada": (1, 9), "Bo": (2, 5)}


# --- what counts ---


def test_a_voided_round_is_not_paid_and_a_repeated_one_once():
    rounds = [paid(1, ada=5), paid(2, 1, bo=9), paid(3, 1, ada=1, bo=2)]
    found = standings_of(rounds, [ADA, BO], voided=[2])
    assert places(found) == {"Ada": (1, 6), "Bo": (2, 2)}
    assert found.rounds == 2


def test_the_order_of_rounds_does_not_matter():
    rounds = [paid(1, ada=5), paid(2, bo=9), paid(3, ada=1)]
    assert standings_of(reversed(rounds), [ADA, BO]) == standings_of(rounds, [ADA, BO])


# --- movement ---


def test_movement_is_against_the_standing_before_the_latest_round():
    found = standings_of([paid(1, ada=9, bo=8, cy=7, di=1), paid(2, cy=9, di=1)], [ADA, BO, CY, DI])
    assert moved(found) == {"Cy": 2, "Ada": -1, "Bo": -1, "Di": 0}


def test_after_the_first_round_nobody_has_moved():
    assert set(moved(standings_of([paid(1, ada=9)], [ADA, BO])).values()) == {None}


def test_movement_looks_past_a_voided_round():
    rounds = [paid(1, ada=9, bo=8), paid(2, bo=5), paid(3, ada=90)]
    assert moved(standings_of(rounds, [ADA, BO], voided=[3])) == {"Bo": 1, "Ada": -1}
    assert moved(standings_of(rounds, [ADA, BO], voided=[2, 3])) == {"Ada": None, "Bo": None}


def test_who_came_with_the_latest_round_is_new():
    found = standings_of([paid(1, ada=9), paid(2, cy=10)], [ADA, BO, seat("Cy", since=2)])
    assert {line.name: (line.moved, line.is_new) for line in found.lines} == {
        "Cy": (None, True),
        "Ada": (-1, False),
        "Bo": (-1, False),
    }
    assert not any(line.is_new for line in standings_of([paid(1, ada=9)], [ADA, seat("Bo", since=1)]).lines)


# --- late ---


def test_who_joined_late_is_marked_with_the_question():
    rounds = [paid(1), paid(2, 1), paid(3, 1), paid(4, 2)]  # the second was repeated
    seats = [ADA, seat("Bo", since=1), seat("Cy", since=3), seat("Di", since=4), seat("Eve", since=5)]
    found = standings_of(rounds, seats, voided=[2])
    assert {line.name: line.question for line in found.lines} == {"Ada": 0, "Bo": 0, "Cy": 2, "Di": 3, "Eve": 4}


# --- the end ---


def test_the_podium_has_three_places_and_equals_share_a_step():
    found = standings_of([paid(1, ada=9, bo=9, cy=5, di=1)], [ADA, BO, CY, DI])
    assert [(place, [line.name for line in some]) for place, some in found.podium] == [(1, ["Ada", "Bo"]), (3, ["Cy"])]
    assert [line.name for line in found.rest] == ["Di"]


def test_nobody_stands_on_the_podium_without_points():
    found = standings_of([paid(1, ada=9)], [ADA, BO])
    assert [place for place, _some in found.podium] == [1]
    assert [line.name for line in found.rest] == ["Bo"]


def test_the_top_is_ten():
    found = standings_of([], [seat(f"P{number:02d}") for number in range(30)])
    assert [line.name for line in found.top] == [f"P{number:02d}" for number in range(10)]
    assert found.place_of("p29").name == "P29"


# --- always ---

points = st.dictionaries(st.sampled_from(["ada", "bo", "cy", "di"]), st.integers(0, 3))


@settings(max_examples=25, deadline=None)
@given(st.lists(points, max_size=5), st.sets(st.integers(1, 5)))
def test_totals_are_sums_and_places_count_who_is_better(rounds, voided):
    played = [paid(number, **got) for number, got in enumerate(rounds, 1)]
    found = standings_of(played, [ADA, BO, CY, DI], voided)
    totals = {line.player: line.total for line in found.lines}
    assert totals == {
        player: sum(got.get(player, 0) for number, got in enumerate(rounds, 1) if number not in voided)
        for player in ("ada", "bo", "cy", "di")
    }
    for line in found.lines:
        assert line.place == 1 + sum(other > line.total for other in totals.values())
    if found.rounds > 1:
        latest = max(each.number for each in played if each.number not in voided)
        earlier = standings_of([each for each in played if each.number != latest], [ADA, BO, CY, DI], voided)
        for line in found.lines:
            assert line.moved == earlier.place_of(line.player).place - line.place
