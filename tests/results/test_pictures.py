"""Pictures of results: well-formed, honest to the last number, harmless whatever people are called, never too long."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import pairwise as steps
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from elections.turnout.counts import Turnout
from foundation.tally.ballots import Ballots
from foundation.tally.methods import KINDS, count
from foundation.tally.result import Result, result_of
from results.pictures import Picture, pictures_of, turnout_pictures
from results.pictures.contests import contest_rows, outcome
from results.pictures.drawing import fit, number, width, wrapped
from results.pictures.rounds import chosen
from results.pictures.transfers import bands_of, lanes_of, moves_of
from tests.ballots.conftest import opened  # noqa: F401 - a fixture
from tests.people import PASSWORD
from tests.results.test_sealing import close, voted  # noqa: F401 - fixtures
from tests.rows import every_row

CYCLE = ["0>1>2"] * 41 + ["1>2>0"] * 33 + ["2>0>1"] * 26
CITIES = ["0>1>2>3"] * 42 + ["1>2>3>0"] * 26 + ["2>3>1>0"] * 15 + ["3>2>1>0"] * 17
HOSTILE = ["</svg><script>alert(1)</script>", '" onload="alert(1)', "&amp;<!--", "\x00\x0b]]>", "\u202eevil"]
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def counted(rankings: list[str], method: str = "schulze", names: str | list[str] = "ABCD", **rules) -> Result:
    stand = len({int(each) for ranking in rankings for each in re.findall(r"\d+", ranking)})
    return count(Ballots.of(list(names)[: max(stand, 2)], rankings), method, **rules)


def tree(picture: Picture) -> ElementTree.Element:
    return ElementTree.fromstring(f"<all>{picture.drawn}</all>")


def written(picture: Picture) -> list[str]:
    """What stands in the picture, in its order, without the marks around names."""
    texts = ("".join(each.itertext()) for each in tree(picture).iter() if _says(each))
    return [text.replace("\u2068", "").replace("\u2069", "") for text in texts]


def _says(each: ElementTree.Element) -> bool:
    """Whether it is a text of its own: in a drawing, or a name, a number or a line of words beside one."""
    is_label = each.tag == "span" and not len(each) and each.get("class") != "out-of-sight"
    return each.tag in ("text", "bdi", "b", "h4", "p") or is_label


def called(result: Result, title: str) -> Picture:
    return next(picture for picture in pictures_of(result) if title in picture.title)


# --- numbers ---


def test_the_contests_are_in_the_order_of_the_result():
    result = counted(CITIES)
    order = [name for name, _place in result.places]
    rows = contest_rows(result)
    assert [name for name, cells in rows] == order
    for name, cells in rows:
        i = result.candidates.index(name)
        votes = [None if other == name else result.pairwise[i][result.candidates.index(other)] for other in order]
        assert [cell and cell[0] for cell in cells] == votes
        assert [cell[1] for cell in cells if cell and cell[0] <= 50] == ["lost"] * sum(
            vote is not None and vote <= 50 for vote in votes
        )


def test_a_clearer_win_is_darker_and_a_draw_is_neither():
    cells = [cell for name, row in contest_rows(counted(["0>1>2", "1>0>2"])) for cell in row if cell]
    assert sorted(cells) == [(0, "lost"), (0, "lost"), (1, "tied"), (1, "tied"), (2, "won won-4"), (2, "won won-4")]
    assert [outcome(votes, 100 - votes) for votes in (51, 53, 60, 70, 80)] == [f"won won-{shade}" for shade in range(5)]


def test_duels_show_the_winner_against_everybody():
    picture = called(counted(CITIES, names="MNCK"), "head to head")
    assert written(picture) == ["68", "N", "C", "32", "68", "N", "K", "32", "58", "N", "M", "42"]
    assert {each.get("class") for each in tree(picture).iter("bdi") if each.text == "N"} == {"won out-of-sight"}
    assert picture.table.rows == (("N", "68", "C", "32", "0"), ("N", "68", "K", "32", "0"), ("N", "58", "M", "42", "0"))


def test_those_who_share_the_first_place_are_both_named():
    picture = called(counted(["0>1", "1>0"]), "head to head")
    assert written(picture) == ["1", "A", "B", "1"]
    assert {each.get("class") for each in tree(picture).iter("bdi")} == {None}


def test_those_who_tie_meet_each_other():
    picture = called(counted(["0>1>2", "1>0>2", "0=1>2"]), "first place")
    assert written(picture) == ["1", "A", "B", "1"]
    assert picture.table.rows == (("A", "1", "B", "1", "1"),)


def test_the_graph_marks_the_chain_that_decided_and_the_way_back():
    picture = called(counted(CYCLE), "Chains")
    kinds = [group.get("class") for group in tree(picture).iter("g") if group.find("polygon") is not None]
    assert sorted(kinds) == ["above", "above", "back"]
    assert {"67 : 33", "74 : 26", "59 : 41"} <= set(written(picture))
    assert picture.table.rows[1] == (
        "\u2068A\u2069 > \u2068B\u2069 > \u2068C\u2069",
        "67 : 33",
        "\u2068C\u2069 > \u2068A\u2069",
        "59 : 41",
    )


def test_ranked_pairs_say_what_was_locked_and_which_cycle_left_one_out():
    picture = called(counted(CYCLE, "ranked-pairs"), "strongest first")
    said = written(picture)
    assert said[:15] == ["1.", "74", "B", "C", "26", "2.", "67", "A", "B", "33", "3.", "59", "C", "A", "41"]
    assert said[15] == "left out: it would close the cycle C > A > B > C"
    assert [row[5] for row in picture.table.rows] == ["locked", "locked", "left out"]


@pytest.mark.parametrize("method", ["irv", "stv-scottish", "stv-meek"])
def test_each_round_has_its_votes_its_threshold_and_what_is_exhausted(method):
    rankings = ["0>1"] * 21 + ["1"] * 17 + ["2>1"] * 9 + ["3>2"] * 8 + ["2=3"] * 2 + [""] * 4
    result = counted(rankings, method, seats=2 if method != "irv" else 1)
    panels = tree(called(result, "round")).findall("section")
    assert len(panels) == len(result.rounds)
    for panel, each in zip(panels, result.rounds, strict=True):
        said = ["".join(text.itertext()) for text in panel.iter() if _says(text)]
        assert said[0] == f"Round {each.number}"
        shown = dict(steps(said))
        for name, votes in each.tally.items():
            assert shown[name] in (number(votes), number(votes, beside=each.threshold))
        assert shown["Exhausted"] == number(each.exhausted)
        assert f"needed: {number(each.threshold)}" in said
    assert "blank: 4" in called(result, "round").note


def test_ties_and_lots_stand_below_their_round():
    result = counted(["0"] * 30 + ["1"] * 25 + ["2>0"] * 10 + ["3>1"] * 10, "irv", seed="seed")
    said = " ".join(written(called(result, "round")))
    assert "Tie: C, D. Decided by lot." in said
    assert f"Drawn by lot: {result.lots[0].chosen}." in said


def test_nobody_seems_to_have_a_quota_they_just_missed():
    assert number("112.99999") == "113"
    assert number("112.99999", beside="113") == "112.99999"
    assert number("113.00000", beside="113") == "113"
    assert number("112.5", beside="113") == "112.5"
    assert number("113.00000") == "113"
    assert number("7/3") == "2.33"
    assert number("2.5") == "2.5"
    assert number("10") == "10"


@pytest.mark.parametrize(("method", "seats"), [("irv", 1), ("stv-scottish", 2)])
def test_bands_lose_nothing_from_round_to_round(method, seats):
    rankings = ["0>1>2"] * 21 + ["1"] * 17 + ["2>1"] * 9 + ["3>2>0"] * 8 + ["2=3"] * 2
    result = counted(rankings, method, seats=seats)
    lanes = lanes_of(result)
    bands = bands_of(result, result.rounds, lanes)
    for column, (each, after) in enumerate(steps(result.rounds)):
        moves = moves_of(each, lanes)
        for key, band in bands.items():
            gone = sum(votes for (source, _to), votes in moves.items() if source == key)
            came = sum(votes for (_from, to), votes in moves.items() if to == key)
            lost = Fraction(after.residue) - Fraction(each.residue)
            assert abs(band.votes[column] - gone + came - band.votes[column + 1]) <= lost


def test_transfers_have_a_table_of_every_one():
    result = counted(["0"] * 5 + ["1"] * 4 + ["2>1"] * 2 + ["2"], "irv")
    picture = called(result, "Where the votes went")
    assert picture.table.rows == (("1", "C", "B", "2"), ("1", "C", "Exhausted", "1"))
    branches = [path.get("class") for path in tree(picture).iter("path") if "branch" in path.get("class", "")]
    assert branches == ["branch", "branch lost"]
    assert {"B", "6", "A", "5", "Exhausted", "1", "out in round 1"} <= set(written(picture))


@pytest.mark.parametrize(
    ("method", "said"),
    [
        ("borda", ["B", "194", "C", "173", "D", "107", "A", "126"]),
        ("copeland", ["B", "3", "C", "2", "D", "1", "A", "0"]),
        ("minimax", ["B", "never beaten", "C", "32 : 68", "D", "17 : 83", "A", "42 : 58"]),
        ("plurality", ["A", "42", "B", "26", "D", "17", "C", "15"]),
    ],
)
def test_points_are_those_of_the_result(method, said):
    result = counted(CITIES, method)
    shown = written(pictures_of(result)[0])
    assert dict(zip(shown[::2], shown[1::2], strict=True)) == dict(zip(said[::2], said[1::2], strict=True))
    assert shown[::2] == [name for name, _place in result.places]


NAMES = ["Ada", "Bo", "Cy", "Di", "Eve"]
RANKINGS = st.permutations(range(5)).flatmap(
    lambda order: st.tuples(st.integers(0, 5), st.sampled_from([">", ">", "="])).map(
        lambda cut: _ranking(order[: cut[0]], cut[1])
    )
)


def _ranking(order: list[int], sign: str) -> str:
    return "=".join(map(str, sorted(order))) if sign == "=" else ">".join(map(str, order))


@settings(max_examples=12, deadline=None)
@given(st.lists(RANKINGS, max_size=12), st.sampled_from(list(KINDS["ranked"])), st.integers(1, 3))
@example(["", "", "0=1=2=3=4"], "ranked-pairs", 1)  # every contest is a draw
def test_whatever_the_ballots_say_no_number_is_made_up(rankings, method, seats):
    result = count(Ballots.of(NAMES, rankings), method, seats=seats, seed="seed")
    known = set(_numbers(result))
    for picture in pictures_of(result):
        assert set(NUMBER.findall(" ".join(written(picture)))) <= known
        assert _faults(picture) == []


def _numbers(result: Result):
    yield from (str(each) for row in result.pairwise or () for each in row)
    yield from (str(place) for _name, place in result.places)
    yield from (str(at) for at in range(1, len(result.candidates) + 1))  # rows and columns of the field of numbers
    yield from (str(each["rank"]) for key in ("locked", "skipped") for each in result.reasons.get(key, ()))
    yield from (number(votes) for key in ("points", "votes") for votes in result.reasons.get(key, {}).values())
    yield from (number(each["score"]) for each in result.reasons.get("scores", {}).values())
    for each in result.rounds or ():
        yield from (number(votes) for votes in (*each.tally.values(), each.threshold, each.exhausted))
        yield from (number(votes, each.threshold) for votes in each.tally.values())
        yield str(each.number)


# --- form ---


def _faults(picture: Picture) -> list[str]:
    found = []
    for svg in tree(picture).iter("svg"):
        if svg.get("preserveAspectRatio") or svg.get("aria-hidden"):
            continue  # a part of another, or words beside it say the same
        spoken = [child.tag for child in svg][:2] == ["title", "desc"] and all(svg[at].text for at in (0, 1))
        found += [] if svg.get("role") == "img" and spoken else ["not named"]
    for element in tree(picture).iter():
        found += [f"{element.tag} {key}" for key in element.attrib if key in ("style", "id") or key.startswith("on")]
        found += [element.tag] if element.tag in ("script", "style", "foreignObject", "image", "use", "a") else []
    return found


@every_row("method", KINDS["ranked"])
def test_names_cannot_break_out(method):
    rankings = ["0>1>2>3>4"] * 4 + ["1>2>0>4"] * 3 + ["2>0>1"] * 2 + ["3>4", "4"]
    for picture in pictures_of(count(Ballots.of(HOSTILE, rankings), method, seats=2)):
        assert _faults(picture) == []
        assert "<script" not in picture.drawn


def test_a_long_name_is_cut_between_letters_and_told_in_full():
    assert fit("short") == "\u2068short\u2069"
    assert fit("e\u0301" * 40, 10) == "\u2068" + "e\u0301" * 9 + "…\u2069"
    assert fit("👩‍🚀" * 20, 10).count("👩") == fit("👩‍🚀" * 20, 10).count("🚀")
    picture = pictures_of(counted(CYCLE, names=["x" * 200, "y" * 200, "z" * 200]))[0]
    assert picture.table.rows[0][0] == "x" * 200


@every_row(
    ("name", "room", "lines"),
    [
        ("Bo", 10, ["Bo"]),
        ("one two three four", 9, ["one two", "three…"]),
        ("Anne-Marie Dupont", 12, ["Anne-Marie", "Dupont"]),
        ("Dupont-Lefebvre", 10, ["Dupont-", "Lefebvre"]),
        ("abcdefghijkl", 6, ["abcdef", "ghijkl"]),
        ("abcdefghijklmnop", 6, ["abcdef", "ghijk…"]),
        ("e\u0301" * 8, 6, ["e\u0301" * 6, "e\u0301" * 2]),
        ("مرشح طويل الاسم", 10, ["مرشح طويل", "الاسم"]),
    ],
)
def test_a_name_wraps_and_is_cut_only_if_two_lines_are_not_enough(name, room, lines):
    assert wrapped(name, room) == [f"\u2068{line}\u2069" for line in lines]
    assert all(width(line) <= room for line in wrapped(name, room))


def test_a_name_written_from_the_right_leaves_its_numbers_in_place():
    picture = called(counted(CYCLE, names=["مرشح", "מועמד", "Cy"]), "Chains")
    assert all(
        "\u2068" in "".join(text.itertext()) for text in tree(picture).iter("text") if "م" in "".join(text.itertext())
    )


# --- how many ---


def test_without_votes_there_is_nothing_to_draw():
    for method in KINDS["ranked"]:
        assert pictures_of(count(Ballots.of("ABC", []), method)) == []
        assert pictures_of(count(Ballots.of("ABC", ["", ""]), method)) == []
        assert pictures_of(count(Ballots.of("A", ["0"]), method)) == []


def test_two_candidates_are_one_bar():
    (picture,) = pictures_of(counted(["0>1", "0>1", "1>0", "0=1", ""]))
    assert written(picture) == ["2", "A", "B", "1"]
    assert "blank: 1" in picture.note


def crowd(size: int, method: str) -> Result:
    """So many candidates, each of whom beats all who follow."""
    names = [f"Candidate {number:03}" for number in range(size)]
    if method not in ("schulze", "ranked-pairs"):
        votes = {
            f"{number}>{(number * 7 + 1) % size}": size + number for number in range(size) if (number * 6 + 1) % size
        }
        return count(Ballots(tuple(names), votes), method, seats=7, seed="seed")
    pairs = [(i, j) for i in range(size) for j in range(i + 1, size)]
    reasons = {
        "paths": [[[i, j] if i < j else [] for j in range(size)] for i in range(size)],
        "strongest": [[[9, 0] if i < j else [0, 0] for j in range(size)] for i in range(size)],
        "beats": [[names[i], names[j]] for i, j in pairs],
        "locked": [{"winner": names[i], "loser": names[j], "for": 9, "against": 0, "rank": 1} for i, j in pairs],
        "skipped": [],
    }
    matrix = tuple(tuple(9 if i < j else 0 for j in range(size)) for i in range(size))
    cast = Ballots.of(names, [">".join(map(str, range(size)))] * 9)
    return result_of(cast, method, [[name] for name in names], pairwise=matrix, reasons=reasons)


@pytest.mark.deep
@every_row("method", KINDS["ranked"])
@every_row("size", [50, 200])
def test_of_very_many_candidates_some_are_shown_and_it_is_said(method, size):
    pictures = pictures_of(crowd(size, method))
    assert pictures
    for picture in pictures:
        assert len(picture.drawn) < 100_000
        assert picture.table is None or len(picture.table.rows) <= 1_000
        assert _faults(picture) == []
    assert any(f"of {size}" in picture.note or f"of {size - 1}" in picture.note for picture in pictures) or any(
        "together" in text for picture in pictures for text in written(picture)
    )


def test_of_very_many_rounds_those_with_an_election_stay():
    rounds = crowd(50, "stv-scottish").rounds
    shown = chosen(rounds)
    assert len(shown) == 16
    assert [each.number for each in shown] == sorted(each.number for each in shown)
    assert shown[0] is rounds[0]
    assert {each.number for each in rounds if each.elected} <= {each.number for each in shown}


# --- the turnout ---

START = datetime(2031, 5, 1, 12, tzinfo=UTC)
BOARD = SimpleNamespace(entitled=8, secret_ballot=True, has_secret_weights=False, time_zone="Europe/Berlin", ended=None)


def test_the_turnout_is_drawn_to_the_close():
    steps = (START, 2), (START + timedelta(hours=5), 6)
    (picture,) = turnout_pictures(BOARD, Turnout(6, 1, steps))
    assert written(picture)[-1] == "6 of 8 voted, 75%"
    assert [row[1] for row in picture.table.rows] == ["2", "6"]
    assert "2 p.m. CEST" in picture.table.rows[0][0]
    assert "On paper: 1." in picture.note
    assert _faults(picture) == []


def test_where_the_turnout_would_tell_too_much_it_is_not_drawn():
    assert turnout_pictures(BOARD, Turnout(2, 0, ((START, 2),))) == []
    assert turnout_pictures(BOARD, Turnout(0, 0, ())) == []


# --- on the page ---


@pytest.mark.parametrize("method", ["schulze", "ranked-pairs", "irv", "borda"])
def test_the_page_shows_them_in_their_place(client, voted, close, person, method):  # noqa: F811
    voted({"Ada": 1, "Bo": 2}, {"Bo": 1, "Cy": 2}, {"Cy": 1, "Ada": 2}, {"Ada": 1}, method=method)
    close()
    client.login(username="voter 0", password=PASSWORD)
    page = client.get("/election/Board/results/").content.decode()
    places = [page.index(f'id="{part}"') for part in ("outcome", "why", "pictures", "methods", "numbers")]
    assert places == sorted(places)
    assert page.count('role="img"') >= 1
    assert " style=" not in page
