"""Parts of votes are written as the reader's language writes them, and stay exact."""

from __future__ import annotations

import re

import pytest
from django.template import engines
from django.utils import translation

from elections.rules import Election
from elections.turnout.counts import Turnout
from foundation.tally.ballots import Ballots
from foundation.tally.explain import TEMPLATES
from foundation.tally.methods import count
from results import wording
from results.exports.files import as_text
from results.pictures.bars import OF_ELECTIONS, OF_POLLS
from results.pictures.drawing import exact, number
from results.pictures.rounds import rounds
from results.repository import Found, Report, Seal, Sealed, report_on
from results.views import context_of_report

EQUALS = ["0=1>2", "0=1>2", "2>1", "1", "0=2", "3>2=0"]
POINT, COMMA = re.compile(r"\d\.\d"), re.compile(r"\d,\d")


def found(method: str, **rules) -> Found:
    report = report_on(Ballots.of(["Ada", "Bo", "Cy", "Version 2.5"], EQUALS), method, seed="x", **rules)
    turnout = Turnout(len(EQUALS), 0, ())
    seal = Seal(len(EQUALS), "", "", "2031-05-01T12:00:00.000Z", 1, report.result.candidates, turnout)
    return Sealed(Election("Board", "Otto", seal.sealed_at, voter_count=9), seal, report)


def shown(election: Found) -> str:
    """The words and tables of the page; lengths in pictures are nobody's to read."""
    parts = "".join(f'{{% include "results/parts/{part}.html" %}}' for part in ("why", "pictures", "tables"))
    page = engines["jinja2"].from_string(parts).render(context_of_report(election))
    return re.sub(r"<[^>]*>", " ", page).replace("Version 2.5", "")


@pytest.mark.few(2)
@pytest.mark.parametrize("method", ["irv", "borda", "copeland", "plurality", "stv-scottish", "stv-meek"])
def test_a_german_page_has_commas_and_an_english_one_points(method):
    election = found(method, seats=2 if method.startswith("stv") else 1)
    english = shown(election)
    assert POINT.search(english)
    with translation.override("de"):
        german = shown(election)
    assert COMMA.search(german)
    assert POINT.findall(german) == []


def test_the_text_has_them_too_and_a_name_keeps_its_point():
    election = found("stv-scottish", seats=2)
    with translation.override("de"):
        text = as_text(election)
    assert "Version 2.5" in text
    assert re.search(r"  Ada: \d,\d+\n", text)


def test_numbers_are_cut_and_kept_as_before():
    assert [number(each) for each in ("2.50000", "7/3", 4, "100")] == ["2.5", "2.33", "4", "100"]
    with translation.override("de"):
        assert [number(each) for each in ("2.50000", "7/3", 4, "100")] == ["2,5", "2,33", "4", "100"]
        assert [exact(each) for each in ("2.50000", "7/3", 4)] == ["2,5", "2 1/3", "4"]


def test_every_place_of_a_sentence_is_a_name_or_a_number():
    """A new kind of name in a sentence would have its points taken for decimal points."""
    places = {place for each in TEMPLATES.values() for place in re.findall(r"%\((\w+)\)s", each)}
    numbers = {"votes", "against", "lost", "held", "score", "won", "drawn", "round", "total", "threshold"}
    numbers |= {"seat", "seats", "equal", "yes", "no", "abstain", "base", "needed"}
    assert places == {*wording.NAMES, *numbers, "percent", "place"}


def test_what_is_stored_has_points_in_every_language():
    report = found("stv-scottish", seats=2).report
    with translation.override("de"):
        assert Report.from_json(report.as_json()) == report
        assert not COMMA.search(str(report.result.rounds[0].tally))


def test_every_digit_is_promised_only_where_a_table_has_them():
    """A poll has no table of its rounds."""
    result = count(Ballots.of(["Ada", "Bo", "Cy"], ["0=1=2", "0", "1"]), "irv", seed="x")
    of_election, of_poll = (rounds(result, marks).note for marks in (OF_ELECTIONS, OF_POLLS))
    assert "the table has every digit" in of_election
    assert "rounded to two decimals" in of_poll
    assert "table" not in of_poll
