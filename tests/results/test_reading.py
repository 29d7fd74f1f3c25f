"""What a reader of results meets: the method by name, how far ahead, how close in a sentence, the real end of voting,
numbers without noise, one place for checking, and pictures without holes or texts on top of each other."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from datetime import timedelta
from fractions import Fraction
from itertools import combinations
from xml.etree import ElementTree

import pytest
from django.utils import translation

from elections import repository as elections
from elections.rules import Election
from foundation.store.log import as_text, utc_now
from foundation.tally.ballots import Ballots
from foundation.tally.closeness import Closeness
from foundation.tally.methods import KINDS, count
from results import wording
from results.margin import SEAT, Margin, margin_of
from results.pictures import Picture, arrange_pictures, pictures_of
from results.pictures.drawing import exact, width
from results.repository import Report, report_on
from tests.ballots.conftest import opened  # noqa: F401 - a fixture
from tests.people import PASSWORD
from tests.results.test_sealing import close, voted  # noqa: F401 - fixtures
from tests.rows import every_row

CYCLE = ["0>1>2"] * 41 + ["1>2>0"] * 33 + ["2>0>1"] * 26
CITIES = ["0>1>2>3"] * 42 + ["1>2>3>0"] * 26 + ["2>3>1>0"] * 15 + ["3>2>1>0"] * 17
NAMES = ["Ada", "Bo", "Cy", "Di"]


def report(rankings: list[str], method: str = "schulze", **rules):
    stand = 1 + max((int(each) for ranking in rankings for each in re.findall(r"\d", ranking)), default=2)
    return report_on(Ballots.of(NAMES[:stand], rankings), method, seed="seed", **rules)


# --- how far ahead ---


@every_row(
    ("rankings", "method", "rules", "numbers", "sentence"),
    [
        (CITIES, "schulze", {}, ("Bo", "58", "Ada", "42"), "Bo beat Ada by 16 votes."),
        (CITIES, "ranked-pairs", {}, ("Bo", "58", "Ada", "42"), "Bo beat Ada by 16 votes."),
        (CITIES, "borda", {}, ("Bo", "194", "Cy", "173"), "Bo was 21 points ahead of Cy."),
        (CITIES, "plurality", {}, ("Ada", "42", "Bo", "26"), "Ada was 16 votes ahead of Bo."),
        (CITIES, "irv", {}, ("Di", "58", "Ada", "42"), "Di was 16 votes ahead of Ada."),
        (CITIES, "stv-scottish", {"seats": 2}, ("Bo", "34", "Di", "32"), "Bo won it, 2 votes ahead of Di."),
        (CYCLE, "schulze", {}, ("Ada", "67", "Cy", "59"), "The chain of wins from Ada to Cy is only as strong as "),
        (
            CYCLE,
            "ranked-pairs",
            {},
            ("Ada", "67", "Cy", "59"),
            "The chain of wins from Ada to Cy is only as strong as ",
        ),
        (["0>1", "0>1", "1>0"], "schulze", {}, ("Ada", "2", "Bo", "1"), "Ada beat Bo by 1 vote."),
        (["0>1"], "irv", {}, ("Ada", "1", "Bo", "0"), "Ada was 1 vote ahead of Bo."),
        (["0=1>2", "0>1"], "plurality", {}, ("Ada", "1.5", "Bo", "0.5"), "Ada was 1 vote ahead of Bo."),
        (["0>2>1", "1>0>2"], "copeland", {}, ("Ada", "1", "Bo", "1"), "Ada and Bo tied head to head."),
    ],
)
def test_the_margin_is_the_closest_and_in_words(rankings, method, rules, numbers, sentence):
    margin = margin_of(report(rankings, method, **rules).result)
    assert (margin.name, margin.ayes, margin.other, margin.noes) == numbers
    assert margin.sentence.startswith(sentence)
    assert ElementTree.fromstring(margin.svg).get("role") == "img"


@pytest.mark.parametrize("method", ["schulze", "ranked-pairs"])
def test_in_a_cycle_the_contests_that_decided_are_named(method):
    tea = ["0>1>2"] * 8 + ["1>2>0"] * 7 + ["2>0>1"] * 7 + ["0>2>1"]  # 0 beat 1, 16 to 7; 1 beat 2, 15 to 8; 2 beat 0
    result = count(Ballots.of(["Tea", "Coffee", "Cocoa"], tea), method)
    margin = margin_of(result)
    assert result.winners == ("Tea",)
    assert margin.title == "The contests that decided"
    assert margin.labels == ["\u2068Coffee\u2069 > \u2068Cocoa\u2069", "\u2068Cocoa\u2069 > \u2068Tea\u2069"]
    assert margin.sentence == (
        "The chain of wins from Tea to Cocoa is only as strong as its weakest win, Coffee over Cocoa, 15 to 8. "
        "The way back is weaker: Cocoa over Tea, 14 to 9."
    )


def test_in_every_cycle_the_win_that_decided_is_the_stronger_one_and_was_really_won():
    chance, cycles = random.Random(3), 0
    for _turn in range(300):
        rankings = [">".join(map(str, chance.sample(range(4), 4))) for _ballot in range(9)]
        for method in ("schulze", "ranked-pairs"):
            result = count(Ballots.of(NAMES, rankings), method)
            if result.reasons["condorcet_winner"] or (margin := margin_of(result)) is None or not margin.win:
                continue
            cycles += 1
            win, back = margin.win, margin.back
            assert (win.votes, -win.against) > (back.votes, -back.against)
            for each in (win, back):
                i, j = result.candidates.index(each.name), result.candidates.index(each.other)
                assert (each.votes, each.against) == (result.pairwise[i][j], result.pairwise[j][i])
    assert cycles > 10


@pytest.mark.parametrize(
    ("votes", "against", "shown", "sentence"),
    [
        ("16.99999", "11", ("17", "11"), "Ada won it, 6 votes ahead of Bo."),
        ("16.995", "11.004", ("17", "11"), "Ada won it, 6 votes ahead of Bo."),
        ("12", "10.99999", ("12", "11"), "Ada won it, 1 vote ahead of Bo."),
        ("11.00002", "11.00001", ("11.00002", "11.00001"), "Ada won it, 0.00001 votes ahead of Bo."),
    ],
)
def test_shown_numbers_add_up(votes, against, shown, sentence):
    margin = Margin("Ada", Fraction(votes), "Bo", Fraction(against), SEAT)
    assert ((margin.ayes, margin.noes), margin.sentence) == (shown, sentence)


@pytest.mark.parametrize(
    ("rankings", "method", "rules"),
    [
        ([], "schulze", {}),
        (["", ""], "irv", {}),
        (["0>1", "1>0"], "schulze", {}),  # a tie
        (["0>1", "1>0"], "borda", {}),
        (["0>1", "1>0"], "stv-scottish", {"seats": 2}),  # a seat for everybody
        (["0"], "schulze", {}),
    ],
)
def test_where_nobody_is_ahead_there_is_no_margin(rankings, method, rules):
    assert margin_of(report(rankings, method, **rules).result) is None


def test_every_method_has_a_margin_for_whatever_was_cast():
    chance = random.Random(7)
    for _turn in range(4):
        rankings = [">".join(map(str, chance.sample(range(4), chance.randint(1, 4)))) for _ballot in range(9)]
        for method in KINDS["ranked"]:
            result = report(rankings, method, seats=2 if method.startswith("stv") else 1).result
            if (margin := margin_of(result)) is not None:
                assert margin.votes >= margin.against
                assert margin.name in result.winners
                assert margin.other not in result.winners


# --- how close ---

IF = "If %s of the %s votes had been different, "


@every_row(
    ("found", "seats", "sentence"),
    [
        ((278, True, "A", "AB"), 1, IF % (278, 900) + "it would have been a tie between A and B. Fewer would not"),
        ((5, False, "A", "ABC"), 1, IF % (5, 900) + "it would have been a tie between A, B and C. Fewer might"),
        ((1, True, "A", "B"), 1, IF % (1, 900) + "B would have won."),
        ((1, True, "AB", "B"), 1, IF % (1, 900) + "B would have won alone."),
        ((2, True, "AB", "AC"), 1, IF % (2, 900) + "it would have been a tie between A and C. Fewer"),
        ((3, True, "ABC", "ABD"), 3, IF % (3, 900) + "D would have been elected in place of C. Fewer"),
        ((3, True, "AB", "ABC"), 3, IF % (3, 900) + "these would have been elected: A, B and C. Fewer"),
        ((None, True, "A", ""), 1, "No change to the ballots could have changed the result."),
    ],
)
def test_how_close_is_a_sentence(found, seats, sentence):
    ballots, is_exact, before, after = found
    some = report(CITIES)
    result = replace(some.result, total=900, seats=seats, winners=(*before,))
    said = wording.how_close(replace(some, result=result, closeness=Closeness(ballots, is_exact, (*after,))))
    assert said.startswith(sentence)
    assert (ballots or 1) > 1 or "ewer" not in said


def test_of_one_ballot_it_is_said_so():
    assert wording.how_close(report(["1>0"])).startswith("A change to the only ballot")


@every_row("method", [method for method in KINDS["ranked"] if method != "stv-meek"])
def test_every_method_but_meeks_says_how_close_it_was(method):
    said = wording.how_close(report(CITIES, method, seats=2 if method.startswith("stv") else 1))
    assert re.match(r"If \d+ of the 100 votes had been different, ", said)


@every_row(("rankings", "method"), [(["0", "1"], "schulze"), (["0", "1"], "stv-meek"), (CITIES, "stv-meek")])
def test_of_ties_and_lots_nothing_is_said(rankings, method):
    assert wording.how_close(report(rankings, method)) == ""


def test_a_report_that_was_sealed_by_an_earlier_version_is_told_and_written_as_it_was():
    """It was searched for the smallest number then, which is not what arithmetic gives."""
    found = {"ballots": 3, "changes": [], "exact": False, "new_winners": ["Di"], "winners": ["Bo"]}
    sealed = json.loads(report(CITIES).as_json()) | {"closeness": found}
    text = json.dumps(sealed, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    earlier = Report.from_json(text)
    assert earlier.as_json() == text
    assert wording.how_close(earlier) == IF % (3, 100) + "Di would have won. Fewer might have been enough."


# --- numbers ---


@pytest.mark.parametrize(
    ("stored", "shown"),
    [("9.00000", "9"), ("2.50000", "2.5"), ("100", "100"), ("0.00001", "0.00001"), ("7/3", "2 1/3"), ("1/3", "1/3")],
)
def test_decimals_have_no_noise_and_stay_exact(stored, shown):
    assert exact(stored) == shown
    with translation.override("de"):
        assert exact(stored) == shown.replace(".", ",")


def test_what_is_stored_keeps_every_digit():
    assert '"9.00000"' in report(["0"] * 9 + ["1"] * 5, "stv-scottish", seats=1).as_json()


# --- pictures: no holes, nothing on top of anything ---


def of(*kinds: str) -> list[Picture]:
    return [Picture(str(at), "", kind=kind) for at, kind in enumerate(kinds)]


@pytest.mark.parametrize(
    ("kinds", "looks"),
    [
        (["", "narrow", "", ""], ["0", "1", "2", "3"]),
        (["", "narrow", "full", "narrow"], ["0", "1", "2", "3 alone"]),
        (["", "full", "narrow"], ["0", "2", "1"]),
        (["panels", "full", "narrow"], ["0", "1", "2 alone"]),
        ([""], ["0 alone"]),
        ([], []),
    ],
)
def test_no_picture_leaves_half_a_row_empty(kinds, looks):
    shown = [f"{each.title}{' alone' if each.alone else ''}" for each in arrange_pictures(of(*kinds))]
    assert shown == looks


LONG = (
    *("Maximiliane Freifrau von und zu Lichtenberg-Hohenzollern", "فاطمة الزهراء بنت محمد", "王小明王小明王小明王小明"),
    *(
        "👩‍🚀 Emoji Person 🎉",
        "Donaudampfschifffahrtsgesellschaftskapitän",
        "Bo",
        "Anne-Marie Dupont-Lefebvre",
        "WWWWWWWWWWWWWW",
    ),
)
PHONE_WIDTH_PX = 270  # pixels that a drawing has on a phone


def boxes(svg: ElementTree.Element) -> list[tuple[float, float, float, float, str]]:
    """Where texts stand, about: left, top, right, bottom. Those without a box of their own are as wide as the phone."""
    letter = 7.4
    return [box for text in svg.iter("text") for box in _lines(text, letter)]


def _lines(text: ElementTree.Element, letter: float):
    y = float(text.get("y", "0"))
    small = 0.87 if text.get("class") == "small" else 1
    for line in text.findall("tspan") or [text]:
        y += float(line.get("dy", "0"))
        said = "".join(line.itertext())
        wide, x = width(said) * letter * small, line.get("x") or text.get("x") or "0"
        at = float(x[:-1]) * PHONE_WIDTH_PX / 100 if x.endswith("%") else float(x)
        left = at - {"middle": wide / 2, "end": wide}.get(text.get("text-anchor"), 0)
        yield left, y - 11, left + wide, y + 3, said


def overlap(one, other) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@pytest.mark.parametrize(("method", "size"), [("schulze", 3), ("schulze", 5), ("schulze", 8), ("irv", 8), ("borda", 6)])
def test_texts_never_lie_on_each_other(method, size):
    chance = random.Random(size)
    for _turn in range(3):
        names = chance.sample(LONG, size)
        rankings = [">".join(map(str, chance.sample(range(size), chance.randint(1, size)))) for _ballot in range(30)]
        for picture in pictures_of(count(Ballots.of(names, rankings), method, seed="seed")):
            for svg in ElementTree.fromstring(f"<all>{picture.drawn}</all>").findall("svg"):
                assert [pair for pair in combinations(boxes(svg), 2) if overlap(*pair)] == []


def test_names_are_whole_where_they_are_text_of_the_page():
    result = count(Ballots.of(LONG, ["0>1>2>3>4>5>6>7"] * 3 + ["4>5"]), "irv")
    rounds = pictures_of(result)[0].drawn
    assert all(name in rounds for name in LONG)
    assert "…" not in rounds


# --- the page ---


def page(client, name: str = "Board", who: str = "voter 0", path: str = "results/") -> str:
    client.login(username=who, password=PASSWORD)
    return client.get(f"/election/{name}/{path}").content.decode()


def test_the_first_card_has_the_method_the_margin_and_how_close(client, voted, close):  # noqa: F811
    voted({"Ada": 1, "Bo": 2}, {"Ada": 1, "Bo": 2}, {"Bo": 1, "Ada": 2}, method="irv")
    close()
    shown = page(client)
    card = shown[shown.index('id="outcome"') : shown.index('id="why"')]
    assert '<a href="/help/counting/#irv">Instant runoff</a>' in card
    assert "Ada was 1 vote ahead of Bo." in card
    assert "If 1 of the 3 votes had been different, " in card
    assert 'id="irv"' in client.get("/help/counting/").content.decode()


def test_there_is_one_place_for_checking_and_two_things_to_play_with(client, voted, close):  # noqa: F811
    voted({"Ada": 1, "Bo": 2}, {"Bo": 1, "Cy": 2}, {"Cy": 1})
    close()
    shown = page(client)
    assert shown.count("Check it yourself") == 1
    assert shown.index('id="checks"') < min(shown.index(f'id="{each}"') for each in ("exports", "ballots-digest"))
    for view in ("follow/", "recount/", "bundle.zip"):
        assert shown.index('id="checks"') < shown.index(f'href="/election/Board/results/{view}')
    asked = re.findall(r'<form class="card stack" method="get" action="([^"]+)">', shown)
    assert asked == ["/election/Board/results/head-to-head/", "/election/Board/results/what-if/"]
    assert shown.index(asked[0]) < shown.index('id="places"')
    assert client.get(asked[0], {"one": 0, "other": 1}).status_code == 200
    assert client.get(asked[1], {"without": 1}).status_code == 200


def test_without_votes_there_is_nothing_to_play_with(client, voted, close):  # noqa: F811
    voted({}, {})
    close()
    assert "what-if/" not in page(client)


def test_the_outcome_is_named_once_and_numbers_are_collapsed_after_the_charts(client, voted, close):  # noqa: F811
    voted({"Ada": 1, "Bo": 2, "Cy": 3}, {"Bo": 1, "Cy": 2, "Ada": 3}, {"Cy": 1, "Ada": 2, "Bo": 3}, {"Ada": 1, "Bo": 2})
    close()
    shown = page(client)
    assert [each for each in re.findall(r"<p>([^<]*)</p>", shown) if each.endswith(" won.")] == []
    assert re.search('<details class="more prints"><summary>All head-to-head contests</summary>', shown)
    places = [shown.index(f'id="{each}"') for each in ("outcome", "why", "pictures", "places", "numbers", "checks")]
    assert places == sorted(places)


def test_a_lot_is_told_once_on_the_card(client, voted, close):  # noqa: F811
    voted({"Ada": 1}, {"Ada": 1}, {"Bo": 1, "Ada": 2}, {"Cy": 1, "Ada": 2}, method="irv")
    close()
    shown = page(client)
    card = shown[shown.index('id="outcome"') : shown.index('id="why"')]
    assert "Lots drawn" in card
    assert "<dt>Ties</dt>" not in card


def test_without_votes_no_place_and_no_reason_is_made_up(client, voted, close):  # noqa: F811
    voted({}, {})
    close()
    shown = page(client)
    assert "Every ballot is blank." in shown
    assert not [each for each in ("why", "places", "methods", "numbers") if f'id="{each}"' in shown]


# --- when it really closed ---

NOW, LATER = "2031-05-01T12:00:00.000Z", "2031-06-01T12:00:00.000Z"


@pytest.mark.parametrize(
    ("closed_at", "end", "allow_vote", "ended", "early"),
    [
        (NOW, LATER, False, NOW, True),
        (LATER, NOW, False, NOW, False),  # it was over; somebody wrote it down later
        (NOW, None, False, NOW, False),
        (None, NOW, True, NOW, False),  # over by the clock, and nobody has written it down
        (None, None, False, None, False),
    ],
)
def test_the_real_end_is_the_earlier_one(closed_at, end, allow_vote, ended, early):
    election = Election("Board", "Otto", NOW, no_voting_after=end, closed_at=closed_at, allow_vote=allow_vote)
    assert (election.ended and as_text(election.ended)) == ended
    assert election.closed_early is early


def test_an_early_close_is_told_everywhere(client, voted, close):  # noqa: F811
    end = as_text(utc_now() + timedelta(days=30))
    voted({"Ada": 1}, {"Bo": 1}, {"Ada": 1}, no_voting_after=end, results_public=True)
    close()
    closed = elections.find("Board")
    assert closed.closed_early
    for path in ("", "results/"):
        shown = page(client, path=path)
        assert "Voting ended" in shown
        assert "Closed before its planned end:" in shown
        assert "Voting ends" not in shown
    assert "Closed before its planned end:" in client.get("/result/Board/").content.decode()
    assert "closed the election before its planned end," in page(client, path="history/")
