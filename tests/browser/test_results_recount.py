"""The recount in the browser goes into the rounds: what was passed on, what was kept, what rounding has lost."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, Route, expect

from foundation.tally.ballots import Ballots

from .test_recount import PROGRAM, counted, wrong_in

MOVING = Ballots(
    ("Ada", "Bo", "Cy", "Di", "Eve"),
    {"0>1>2": 9, "0>3": 5, "1=2=3>4": 4, "4>2": 3, "4": 2, "3>1": 4, "2": 1, "0=1=2": 1},
)


@pytest.fixture
def bench(visit) -> Page:
    page = visit("about:blank")
    page.add_script_tag(path=PROGRAM)
    return page


def first_with(rounds: list[dict], part: str) -> int:
    return next(number for number, each in enumerate(rounds) if each[part] not in ([], None, "0", "0.00000"))


WRONG = [
    ("irv", "tally", lambda was: was | {"Ada": "1"}),
    ("irv", "transfers", lambda was: was[:-1]),
    ("irv", "transfers", lambda was: [was[0] | {"votes": "1.5"}, *was[1:]]),
    ("stv-scottish", "transfers", lambda was: [was[0] | {"destination": "Eve"}, *was[1:]]),
    ("stv-scottish", "residue", lambda was: "0.00000"),
    ("stv-meek", "keep", lambda was: was | {"Ada": "0.999999999"}),
    ("stv-meek", "residue", lambda was: "0.000000009"),
]


def test_a_wrong_number_in_a_round_is_named_and_the_first_only(bench):
    right = counted(MOVING, seats=2, seed="x")
    assert wrong_in(bench, [right]) == [[]]
    for method, part, wrong in WRONG:
        changed = json.loads(json.dumps(right))
        rounds = changed["results"][method]["rounds"]
        at = first_with(rounds, part)
        before = json.dumps(rounds[at][part], ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        rounds[at][part] = wrong(rounds[at][part])
        rounds[-1]["number"] += at < len(rounds) - 1  # and something in a later round
        (found,) = wrong_in(bench, [changed])
        assert len(found) == 1
        assert found[0].startswith(f"{method} rounds: round {at + 1}, {part}: ")
        assert found[0].endswith(f" but round {at + 1}, {part}: {before}")


def test_a_round_too_many_and_one_too_few_are_named(bench):
    right = counted(MOVING, seats=2, seed="x")
    rounds = right["results"]["irv"]["rounds"]
    last = rounds.pop()
    (found,) = wrong_in(bench, [right])
    assert found == [f"irv rounds: no round {len(rounds) + 1} but round {len(rounds) + 1}, number: {last['number']}"]
    rounds += [last, last]
    (found,) = wrong_in(bench, [right])
    assert found == [f"irv rounds: round {len(rounds)}, number: {last['number']} but no round {len(rounds)}"]


def test_the_page_shows_the_first_difference_of_the_rounds(visit):
    page = visit("/election/Talk of the year/results/recount/", who="Hypatia")
    right = counted(MOVING, seed="x")
    right["results"]["irv"]["rounds"][0]["transfers"][0]["votes"] = "7"

    def put_in(route: Route) -> None:
        result = right["results"]["irv"]
        said = {name: right[name] for name in ("candidates", "rankings", "digest")} | {"others": {}, "result": result}
        route.fulfill(json=said | {"settings": {"method": "irv", "seats": 1, "unranked": "below", "seed": "x"}})

    page.route(re.compile(r"recount/\w+\.json"), put_in)
    page.click("[data-start]")
    expect(page.locator("[data-different]")).to_be_visible(timeout=30_000)
    row = page.locator("[data-differences] tbody tr")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("round 1, transfers")
