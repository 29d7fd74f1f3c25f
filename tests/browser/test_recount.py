"""Counting again in the browser, and following a ballot: the second program agrees with the first, and tells nobody."""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product

import pytest
from playwright.sync_api import Page, Route, expect

from config.settings import BASE_DIR
from elections.voter_lists import MAX_WEIGHT
from foundation.tally import lots
from foundation.tally.ballots import Ballots, ranking_of
from foundation.tally.methods import KIND_OF, KINDS, count
from results.exports import verify
from results.in_browser import ballot_story
from tests.results.test_bundle import agree_on
from tests.tally.examples import random_marks
from tests.tally.published import every_case
from tests.tally.published_marks import CASES

from .conftest import MAX_ATTEMPTS
from .test_access import faults, fits, in_turn, look

PROGRAM = BASE_DIR / "static/js/count.js"
SECRET, PUBLIC = "/election/Talk of the year/results/", "/election/Colour of the front door/results/"
NAMES = ["Ada", "Bo", "Cy", "Zoë", "\U0001f600 smile", "\uff21 wide", "עדה", 'q"uote\\', "a\u2028b", "tab\tbed"]


# --- the program, alone ---

COUNT_ALL = """elections => JSON.parse(elections).map(({candidates, rankings, digest, settings, results}) => {
  const ballots = Recount.normal(candidates, rankings);
  const wrong = Recount.digest(ballots) === digest ? [] : ["digest"];
  for (const method in results) {
    const found = Recount.differences(results[method], Recount.count(ballots, method, settings));
    wrong.push(...found.map(({part, published, here}) => `${method} ${part}: ${published} but ${here}`));
  }
  return wrong;
})"""


@pytest.fixture
def bench(visit) -> Page:
    """An empty page with the program in it."""
    page = visit("about:blank")
    page.add_script_tag(path=PROGRAM)
    return page


def wrong_in(bench: Page, elections: list[dict]) -> list[list[str]]:
    """As one text: it is a lot, and Playwright would look at every number of it."""
    return bench.evaluate(COUNT_ALL, json.dumps(elections))


def counted(ballots: Ballots, kind: str = "ranked", **settings) -> dict:
    """An election with what the server makes of it by every method for this kind of ballot."""
    rules = {name: value for name, value in settings.items() if name != "method"}
    results = {method: json.loads(count(ballots, method, **rules).as_json()) for method in KINDS[kind]}
    rankings = list(ballots.counts.items())
    return {
        "candidates": ballots.candidates,
        "rankings": rankings,
        "digest": ballots.digest,
        "settings": settings,
        "results": results,
    }


def some_ballots(chance: random.Random, most: int = 7) -> Ballots:
    size = chance.randint(1, most)
    counts: dict[str, int] = defaultdict(int)
    for _ in range(chance.choice([0, 1, 3, 8, 20])):
        groups: list[list[int]] = []
        for number in chance.sample(range(size), chance.randint(0, size)):
            groups = [*groups[:-1], [*groups[-1], number]] if groups and chance.random() < 0.3 else [*groups, [number]]
        counts[ranking_of(groups)] += chance.randint(1, chance.choice([2, 50, 10**10]))
    return Ballots(tuple(chance.sample(NAMES, size)), counts)


@pytest.mark.journey
def test_it_agrees_with_the_server_on_any_election(bench):
    chance = random.Random(27)
    elections = [
        counted(some_ballots(chance), seats=chance.randint(1, 4), unranked=unranked, seed=f"seed {number}")
        for number in range(60)
        for unranked in ("below", "no-opinion")
    ]
    assert [wrong for wrong in wrong_in(bench, elections) if wrong] == []
    settled = {tie["settled"] for each in elections for said in each["results"].values() for tie in said["ties"]}
    assert settled == {"left", "earlier round", "lot"}, "or the examples are too tame"


def test_it_agrees_with_the_server_on_marks_and_values(bench):
    """tests/results/test_bundle.py compares the server with verify.py on such ballots."""
    chance = random.Random(42)
    elections = [
        counted(
            random_marks(chance, kind),
            kind,
            seats=chance.randint(1, 3),
            seed=f"seed {number}",
            majority=chance.choice(
                ["", "2/3 cast", "3/5 present", "1/2 present", "1/1 cast", "1/2 entitled", "3/4 entitled"]
            ),
            entitled=10,
        )
        for number in range(100)
        for kind in KINDS
        if kind != "ranked"
    ] + [counted(case.ballots, KIND_OF[case.method], **case.rules) for case in CASES.values()]
    assert [wrong for wrong in wrong_in(bench, elections) if wrong] == []
    settled = {tie["settled"] for each in elections for said in each["results"].values() for tie in said["ties"]}
    assert settled == {"left", "head to head", "points", "fives", "lot"}, "or the examples are too tame"
    stars = [each["results"]["star"] for each in elections if "star" in each["results"]]
    tied = [len(tie["names"]) > 2 for each in stars for tie in each["ties"] if tie["where"] == "finalists"]
    assert tied.count(True) > 20, "three or more are often tied for the runoff"


def test_all_three_programs_agree_on_weighted_ballots_of_every_kind(bench):
    """The server, the one in the bundle and the one in the browser, on the same ballots."""
    chance, elections = random.Random(7), []
    for number, kind in product(range(15), KINDS):
        drawn = some_ballots(chance, 5) if kind == "ranked" else random_marks(chance, kind)
        weighed = {text: chance.choice([1, 12, MAX_WEIGHT]) for text in drawn.counts}
        ballots = Ballots(drawn.candidates, weighed)
        rules = {"seats": chance.randint(1, 3), "seed": f"seed {number}"}
        if kind == "yes-no":
            rules |= {"majority": chance.choice(["2/3 cast", "1/2 present", "3/5 entitled"]), "entitled": 10**7}
        elections.append(counted(ballots, kind, **rules))
        for method in KINDS[kind]:
            if method in verify.MARKS or hasattr(verify.Count, method.replace("-", "_")):
                agree_on(ballots, method, **rules)
    assert [wrong for wrong in wrong_in(bench, elections) if wrong] == []


def test_it_agrees_with_the_server_on_real_elections(bench):
    cases = every_case()
    elections = [counted(each.ballots, seats=each.seats or 1, unranked=each.unranked, seed=each.name) for each in cases]
    found = wrong_in(bench, elections)
    assert {each.name: wrong for each, wrong in zip(cases, found, strict=True) if wrong} == {}


@pytest.mark.journey
def test_a_wrong_result_is_noticed_in_every_part(bench):
    right = counted(Ballots(("Ada", "Bo", "Cy"), {"0>1": 2, "1>2": 2, "2": 1, "": 1}), seed="x")
    for method, part, wrong in [
        ("schulze", "winners", ["Cy"]),
        ("schulze", "pairwise", [[0, 0, 0]] * 3),
        ("borda", "places", [["Cy", 1]]),
        ("irv", "lots", [{"chosen": "Ada"}]),
        ("irv", "ties", []),
        ("irv", "rounds", []),
        ("stv-meek", "total", 7),
        ("plurality", "blank", 0),
    ]:
        changed = json.loads(json.dumps(right))
        changed["results"][method][part] = wrong
        (found,) = wrong_in(bench, [changed])
        assert [each.split(":")[0] for each in found] == [f"{method} {part}"]


def test_lots_that_do_not_follow_from_commitment_and_ballots_are_noticed(bench):
    ballots, secret = Ballots(("Ada", "Bo", "Cy"), {"0": 1, "1": 1, "2": 1}), "5e" * 32
    seed = lots.seed_of(secret, ballots.digest)
    right = counted(ballots, method="irv", seed=seed)
    published = {name: right[name] for name in ("candidates", "rankings", "digest", "settings")} | {"others": {}}
    published |= {"result": right["results"]["irv"]}

    def wrong(**changes) -> list[str]:
        told = {"commitment": lots.commitment(secret), "secret": secret}
        found = bench.evaluate("said => Recount.recount(said).wrong", published | {"lots": told | changes})
        return [each["part"] for each in found]

    assert wrong() == []
    assert wrong(commitment="0" * 64) == ["lots_commitment"]
    assert wrong(secret="0" * 64) == ["lots_commitment", "seed"]
    assert wrong(secret="") == ["lots_commitment", "seed"], "without a secret no lot can have been drawn"
    published["settings"] = {"method": "irv", "seed": "chosen"}
    assert wrong()[0] == "seed"
    published |= {"settings": {"method": "irv", "seed": seed}, "rankings": [["0", 2], ["1", 1]]}
    assert wrong()[:2] == ["digest", "seed"], "with other ballots it would be another seed"


def test_what_is_not_a_ranking_is_not_counted(bench):
    script = """ranking => {
      try { Recount.normal(["Ada", "Bo"], [[ranking, 1]]); } catch (error) { return error.message; }
    }"""
    for ranking in ("0>0", "3", "0>>1", "a", "-1", "00", "0=", " 0", "1e0", "@1", "0@", "0@-1", "0@1@2", "0@x"):
        assert "This " in (bench.evaluate(script, ranking) or ""), ranking


# --- the page ---


@pytest.fixture
def opened(visit) -> Callable[..., Page]:
    """A page of the demo as somebody who is signed in sees it."""
    return partial(visit, who="Hypatia")


@pytest.mark.journey
def test_the_browser_finds_the_same(opened):
    page = opened(f"{SECRET}recount/")
    page.click("[data-start]")
    expect(page.locator("[data-same]")).to_be_visible(timeout=30_000)
    digest = page.locator("[data-digest]").inner_text()
    assert page.get_by_text(digest).count() == 2
    assert set(page.locator("[data-method]").all_inner_texts()) == {"same"}
    assert faults(page) == []


@pytest.mark.journey
def test_one_changed_ballot_is_shown(opened):
    page = opened(f"{SECRET}recount/")

    def change(route: Route) -> None:
        answer = route.fetch(max_retries=MAX_ATTEMPTS)
        said = answer.json()
        said["rankings"][0][1] += 1
        route.fulfill(response=answer, body=json.dumps(said))

    page.route(re.compile(r"recount/\w+\.json"), change)
    page.click("[data-start]")
    expect(page.locator("[data-different]")).to_be_visible(timeout=30_000)
    expect(page.locator("[data-same]")).to_be_hidden()
    rows = page.locator("[data-differences] tbody tr")
    assert {"digest", "total"} <= set(rows.locator("td:first-child").all_inner_texts())


def test_a_recount_that_fails_says_so_and_can_be_tried_again(opened):
    page = opened(f"{PUBLIC}recount/")
    page.route(re.compile(r"recount/\w+\.json"), lambda route: route.fulfill(body="no ballots"), times=1)
    page.click("[data-start]")
    expect(page.locator("[data-problem]")).to_be_visible()
    page.click("[data-start]")
    expect(page.locator("[data-same]")).to_be_visible(timeout=30_000)


@pytest.mark.journey
def test_a_ballot_is_found_by_its_code_and_the_code_is_not_sent(opened):
    page = opened(f"{SECRET}follow/")
    row = page.locator("tbody tr").nth(7)
    code, ranking = row.locator("code").inner_text(), row.locator("td").inner_text()
    asked = []
    page.on("request", lambda request: asked.append(f"{request.url} {request.post_data}"))
    page.fill("#own-code", code.lower().replace("-", " "))
    page.click("[data-form] button")
    expect(page.locator("[data-said]")).to_contain_text("was counted")
    assert " > ".join(page.locator("[data-ranked] li div").all_inner_texts()) == ranking
    assert len(page.locator("[data-ballot] tbody tr").all()) >= 3
    assert len(asked) == 1
    assert not any(code[:4] in each for each in asked)
    assert faults(page) == []


def test_a_receipt_leads_to_the_ballot_and_leaves_no_trace_in_the_address(opened):
    page = opened(f"{PUBLIC}follow/")
    code = page.locator("tbody code").first.inner_text()
    page.goto("about:blank")
    page.goto(f"{PUBLIC}follow/#{code}")
    expect(page.locator("[data-said]")).to_contain_text("was counted")
    expect(page.locator("[data-title]")).to_be_focused()
    assert "#" not in page.url


NO_CODES = {"K7QM": "not a code", "": "not a code", "0000-0000-0000-0000": "No ballot with this code"}


def test_a_code_that_is_none_or_nobodys(opened, subtests):
    page = opened(f"{PUBLIC}follow/")
    for typed, sentence in NO_CODES.items():
        with subtests.test("a code that is none or nobody's", typed=typed):
            page.reload()
            page.fill("#own-code", typed)
            page.click("[data-form] button")
            expect(page.locator("[data-said]")).to_contain_text(sentence)
            expect(page.locator("[data-ballot]")).to_be_hidden()


# --- what every ballot did adds up to the count ---


def codes_of(ballots: Ballots) -> dict[str, str]:
    return {f"0000-0000-0000-{number:04d}": ranking for number, ranking in enumerate(ballots.counts)}


@pytest.fixture
def followed(opened):
    """The page of all ballots with the story of another election."""
    page = opened(f"{PUBLIC}follow/")

    def followed(ballots: Ballots, method: str, **settings) -> dict[str, list[list[str]]]:
        """By ranking, the rows of texts that say what a ballot did."""
        ballots = ballots.normal
        story = ballot_story(count(ballots, method, **settings)) | {"numbers": list(range(len(ballots.candidates)))}

        def put_in(route: Route) -> None:
            answer = route.fetch(max_retries=MAX_ATTEMPTS)
            found = re.search(r'(<script id="story"[^>]*>)(.*?)(</script>)', answer.text(), re.DOTALL)
            told = json.dumps(json.loads(found[2]) | story).replace("<", "\\u003C")
            route.fulfill(response=answer, body=answer.text().replace(found[0], f"{found[1]}{told}{found[3]}"))

        codes = codes_of(ballots)
        page.unroute_all()
        page.route(re.compile(r"/follow/$"), put_in)
        page.route(re.compile(r"follow/\w+\.json"), lambda route: route.fulfill(json={"ballots": list(codes.items())}))
        page.goto(f"{PUBLIC}follow/")
        return {ranking: rows_for(page, code) for code, ranking in codes.items()}

    return followed


def rows_for(page: Page, code: str) -> list[list[str]]:
    page.fill("#own-code", code)
    page.click("[data-form] button")
    expect(page.locator("[data-ballot]")).to_be_visible()
    texts = "cell => [...cell.querySelectorAll('p')].map(line => line.textContent)"
    rows = page.locator("[data-ballot] tbody tr").evaluate_all(f"rows => rows.map(row => [...row.cells].map({texts}))")
    return [[[re.sub("[\u2068\u2069]", "", line) for line in cell] for cell in row] for row in rows]


def parts_of(lines: list[str]) -> dict[str, Fraction]:
    """`0.5 of it counts for Ada` and the like, as numbers; nobody is the empty name."""
    parts: dict[str, Fraction] = defaultdict(Fraction)
    for line in lines:
        part = re.match(r"(\S+) of it", line)
        name = re.search(r"(?:counts for|stays with) (.+?)(?:, who is elected)?$", line)
        parts[name[1] if name else ""] += Fraction(part[1]) if part else 1
    return parts


MOVING = Ballots(
    ("Ada", "Bo", "Cy", "Di", "Eve"),
    {"0>1>2": 9, "0>3": 5, "1=2>4": 4, "4>2": 3, "4": 2, "3>1": 4, "2": 1, "0=1=2": 1},
)


def test_the_parts_of_all_ballots_add_up_to_the_votes_of_every_round(followed, subtests):
    for method, seats in (("irv", 1), ("stv-scottish", 2), ("stv-scottish", 3), ("stv-meek", 3)):
        with subtests.test("the parts of all ballots add up", method=method, seats=seats):
            adds_up(followed, method, seats)


def test_what_all_ballots_give_adds_up_to_the_points_and_the_runoff(followed):
    ballots = Ballots(("Ada", "Bo", "Cy"), {"0@5>1@4": 2, "1@5>2@1": 3, "0=1@3": 1, "": 1})
    result, rows = count(ballots, "star"), followed(ballots, "star")
    points: dict[str, int] = defaultdict(int)
    for ballot, given in rows.items():
        for (name,), (value,), (total,) in given[:3]:
            points[name] += int(value) * ballots.normal.counts[ballot]
            assert total == result.reasons["points"][name]
    assert {name: str(number) for name, number in points.items()} == result.reasons["points"]
    assert rows["0@5>1@4"][3] == [["Runoff: Bo against Ada"], ["counts for Ada"], ["3\u00a0:\u00a02"]]
    assert rows["0=1@3"][3][1] == ["scores both the same, so it counts for neither"]
    vote = Ballots(("Yes", "No", "Abstain"), {"0": 2, "1": 1, "2": 1})
    assert followed(vote, "majority")["2"] == [  # by place in the order of the names: Abstain, No, Yes
        [["Yes"], ["1"], ["2"]],
        [["No"], ["0"], ["1"]],
        [["Abstain"], ["0"], ["1"]],
    ]


def adds_up(followed, method: str, seats: int) -> None:
    rounds = count(MOVING, method, seats=seats).rounds
    rows = followed(MOVING, method, seats=seats)
    assert len(rounds) > 2
    for number, each in enumerate(rounds):
        votes: dict[str, Fraction] = defaultdict(Fraction)
        for ranking, times in MOVING.normal.counts.items():
            for name, part in parts_of(rows[ranking][number][1]).items():
                votes[name] += part * times
        shown = {name: Fraction(text) for name, text in each.tally.items()} | {"": Fraction(each.exhausted)}
        assert {name for name, part in votes.items() if part} == {name for name, part in shown.items() if part}
        cut_off = Fraction(each.residue)  # stays, on the ballot's own page, with whom it was cut off
        assert all(0 <= part - shown[name] <= cut_off for name, part in votes.items())


def test_of_contests_it_is_shown_what_the_ballot_said(followed):
    cast = {"0>1>2": 6, "1=2": 3, "2": 2, "0=1": 1, "": 1}
    rows = followed(Ballots(("Ada", "Bo", "Cy"), cast), "schulze")
    assert rows["0>1>2"][0] == [["Ada against Bo"], ["6\u00a0:\u00a03"], ["Ada above Bo"]]
    assert {ranking: [said for _, _, (said,) in found] for ranking, found in rows.items()} == {
        "0>1>2": ["Ada above Bo", "Ada above Cy"],
        "1=2": ["Bo above Ada", "Cy above Ada"],
        "2": ["does not compare them", "Cy above Ada"],
        "0=1": ["ranks them equally", "Ada above Cy"],
        "": ["does not compare them", "does not compare them"],
    }


def test_with_no_opinion_a_half_ranked_pair_is_not_compared(followed):
    rows = followed(Ballots(("Ada", "Bo", "Cy"), {"0>1>2": 4, "0": 3}), "ranked-pairs", unranked="no-opinion")
    assert {row[2][0] for row in rows["0"]} == {"does not compare them"}
    assert rows["0>1>2"][0][2] == ["Ada above Bo"]


def test_of_points_it_is_shown_whom_the_ballot_gave_how_many(followed):
    rows = followed(Ballots(("Ada", "Bo", "Cy"), {"0": 4, "2>0=1": 3, "": 1}), "borda")
    points = {ranking: [row[1][0] for row in found] for ranking, found in rows.items()}
    assert points == {"": ["0", "0", "0"], "0": ["2", "0.5", "0.5"], "2>0=1": ["0.5", "0.5", "2"]}


# --- everybody can use it ---

PATHS = ("recount/", "follow/?row=7", "head-to-head/?one=0&other=1", "what-if/?without=0")


def test_pages_fit_a_phone_and_axe_finds_nothing(opened, subtests):
    page, looks = opened(PUBLIC), [(320, "light"), (1280, "dark")]
    for path in PATHS:
        page.goto(f"{PUBLIC}{path}")
        judged_in = in_turn(sorted(looks), path)
        looks.reverse()  # the look of the page before comes first
        for width, scheme in looks:
            with subtests.test("pages fit a phone and axe finds nothing", path=path, width=width, scheme=scheme):
                look(page, width, scheme)
                assert fits(page)
                if (width, scheme) in judged_in:
                    assert faults(page) == []


def test_without_scripts_the_list_can_be_leafed_through_and_the_rest_says_why_not(opened):
    page = opened(f"{SECRET}follow/", java_script_enabled=False)
    expect(page.locator("#own-code")).to_be_hidden()
    expect(page.locator("[name=code]")).to_have_count(0)
    expect(page.get_by_text("No part of your code has to be sent.")).to_be_visible()
    last = page.locator("tbody code").last.inner_text()
    page.click("a[rel=next]")
    assert page.locator("tbody code").first.inner_text() > last
    page.goto(f"{SECRET}recount/")
    expect(page.get_by_text("This needs scripts")).to_be_visible()
    page.goto(f"{SECRET}what-if/")
    page.check("[name=without] >> nth=0")
    page.click("main form button.button")
    expect(page.get_by_text("hypothetical, not the result")).to_be_visible()
