"""Results as readers see them: judged by axe, at every width, in light and dark, on paper, and without scripts."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from django.conf import settings
from django.template import engines
from playwright.sync_api import expect

from accounts import repository as people
from ballots.repository import every_published
from ballots.sealing import seal_closed
from elections import repository as elections
from elections.lifecycle import closing
from elections.rules import Election
from elections.turnout.counts import Turnout
from foundation.tally.ballots import Ballots
from results.repository import Found, Seal, report_on
from results.views import context_of_report
from tests.voting import cast

from .test_access import faults, fits, in_turn, look
from .test_kinds import VOTER
from .test_questions import asked  # noqa: F401 - a fixture

PARTS = ("outcome", "why", "pictures", "rankings")
STYLES = [Path(settings.BASE_DIR) / "static" / "css" / f"{name}.css" for name in ("tokens", "base", "parts", "results")]
LONG = ["מרים בן־דוד", "فاطمة الزهراء", "Maximiliane " + "von und zu Lichtenberg " * 8, "<b>Bo</b> & Co", "Eve"]
CYCLE = ["0>1>2>3"] * 41 + ["1>2>0"] * 33 + ["2>0>1>4"] * 26 + ["3>0", ""]


def rankings_of(size: int) -> list[str]:
    three = [(number, (number * 7 + 1) % size, (number + 9) % size) for number in range(size)]
    return [">".join(map(str, each)) for each in three if len(set(each)) == 3] * 3


MANY, SOME = rankings_of(50), rankings_of(20)

CASES = {
    "a cycle": (LONG, CYCLE, "schulze", {}),
    "a contest left out": (LONG, CYCLE, "ranked-pairs", {}),
    "a tie": (LONG, ["0>1>2>3>4", "1>0>2>3>4", "0=1>4"], "schulze", {}),
    "two candidates": (LONG[:2], ["0>1"] * 61 + ["1>0"] * 44 + ["0=1"] * 9, "schulze", {}),
    "no ballots": (LONG, [], "schulze", {}),
    "a lot": (LONG, ["0"] * 30 + ["1"] * 25 + ["2>0"] * 10 + ["3>1"] * 10, "irv", {}),
    "twenty candidates": ([f"Candidate {number}" for number in range(20)], SOME, "borda", {}),
    "fifty candidates": ([f"Candidate {number}" for number in range(50)], MANY, "borda", {}),
    "seven seats": ([f"Candidate {number}" for number in range(20)], SOME, "stv-scottish", {"seats": 7}),
    "seven seats of fifty": ([f"Candidate {number}" for number in range(50)], MANY, "stv-scottish", {"seats": 7}),
}


def page_of(case: str) -> str:
    """The parts of a results page about these ballots, with our styles inside."""
    names, rankings, method, rules = CASES[case]
    report = report_on(Ballots.of(names, rankings), method, seed="seed", **rules)
    seal = Seal(len(rankings), "", "", "2031-05-01T12:00:00Z", 1, report.result.candidates, Turnout(0, 0, ()))
    election = Election("Board", "Ada", "2031-04-01T12:00:00Z", voter_count=200)
    said = context_of_report(Found(election, seal, report)) | {"election": election}
    parts = "".join(f'{{% include "results/parts/{part}.html" %}}' for part in PARTS)
    body = engines["jinja2"].from_string(parts).render(said)
    styles = "".join(path.read_text() for path in STYLES)
    head = f'<meta name="viewport" content="width=device-width"><title>Board</title><style>{styles}</style>'
    content = f'<div class="wide"><h1>Board</h1><div class="stack results">{body}</div></div>'
    return f'<!doctype html><html lang="en">{head}<main>{content}</main></html>'


PHONE, DESK = (320, "dark"), (1280, "light")
SEEN = {case: [PHONE] for case in CASES} | {
    "a cycle": [PHONE, DESK],
    "a contest left out": [PHONE, DESK],
    "twenty candidates": [DESK],  # more than any picture of a method shows
    "seven seats": [PHONE, DESK],
    "fifty candidates": [],  # made of the same parts; what so many could do is stick out
    "seven seats of fifty": [],
}
DRAWN = ("a cycle", "a contest left out", "a lot", "seven seats", "seven seats of fifty")
UNFOLD = "document.querySelectorAll('details').forEach(details => details.open = true)"

OUTSIDE = """[...document.querySelectorAll(".drawing > svg :is(text, rect, circle)")]
  .filter(shape => {
    const box = shape.getBoundingClientRect(), sheet = shape.closest(".drawing-card").getBoundingClientRect();
    const clip = shape.ownerSVGElement.ownerSVGElement;
    return !clip && box.width && (box.left < sheet.left || box.right > sheet.right || box.bottom > sheet.bottom);
  })
  .map(shape => shape.outerHTML.slice(0, 120))"""


PAGES = re.compile(rb"/Type\s*/Page\b")  # in the bytes of a PDF
RIGHT_EDGES = "[...document.querySelectorAll('.picture')].map(each => each.getBoundingClientRect().right)"


def test_pictures(visit, subtests):
    page = visit("about:blank")
    for case, looks in SEEN.items():
        page.set_content(page_of(case))
        if case in DRAWN:
            with subtests.test("nothing is drawn outside of a picture", case=case):
                look(page, 320)
                assert page.evaluate(OUTSIDE) == []
        page.evaluate(UNFOLD)
        for width, scheme in () if looks else (PHONE, DESK):
            with subtests.test("nothing of very much sticks out", case=case, width=width, scheme=scheme):
                look(page, width, scheme)
                assert fits(page)
        for width, scheme in looks:
            with subtests.test("pictures please axe and nothing sticks out", case=case, width=width, scheme=scheme):
                look(page, width, scheme)
                assert fits(page)
                if (width, scheme) in in_turn(looks, case):
                    assert faults(page) == []


def test_a_picture_prints_within_the_paper(visit):
    page = visit("about:blank", width=700)
    page.set_content(page_of("fifty candidates"))
    page.emulate_media(media="print")
    edges = page.evaluate(RIGHT_EDGES)
    assert edges
    assert max(edges) <= 700


def test_a_real_page_pleases_axe_and_breaks_no_policy(visit, subtests):
    page = visit("/", who="Emmy Noether", width=375)
    for name in ("Talk of the year", "Colour of the front door"):
        with subtests.test("a real page pleases axe and breaks no policy", name=name):
            page.goto(f"/election/{name}/results/")
            assert page.locator("svg.picture").count() >= 2
            assert faults(page) == []
            assert fits(page)
        with subtests.test("a result is a report of two pages on paper", name=name):
            assert [len(PAGES.findall(page.pdf(format=paper))) for paper in ("A4", "Letter")] == [2, 2]


@pytest.mark.journey
def test_of_several_questions_an_overview_leads_to_each_and_any_code_to_its_ballot(visit, asked):  # noqa: F811
    name = unquote(asked(results_public=True).split("/")[2])
    answers = {"0": ["1"], "2:1": ["1"], "3:2": ["1"], "4:0": ["1"]}
    cast(people.find(VOTER), name, answers, f"vote in {name}")
    closing.close(people.find(people.owner_name()), elections.find(name))
    seal_closed(name)
    code = next(every_published(name, 3))["confirmation"]
    page = visit(f"/election/{name}/results/", who=VOTER, width=320)
    for width in (320, 1280):
        look(page, width)
        assert fits(page)
        assert faults(page) == []
    expect(page.locator(".answers > li")).to_have_count(4)
    expect(page.locator(".answers > li").nth(1)).to_contain_text("Winner: Candidate B")
    page.get_by_role("heading", name="The budget").get_by_role("link").click()
    expect(page.locator("#outcome")).to_have_text("Carried")
    page.get_by_role("navigation", name="Questions").get_by_role("link", name="The treasurer").click()
    for width in (320, 1280):
        look(page, width)
        assert fits(page)
        assert faults(page) == []
    page.get_by_role("link", name="Start the recount").click()
    page.get_by_role("button", name="Recount now").click()
    expect(page.locator("[data-same]")).to_be_visible()
    page.goto(f"/election/{name}/results/follow/#{code}")
    expect(page.get_by_role("status").filter(has_text="Found")).to_be_visible()
    assert page.url.endswith("/question/3/results/follow/")
    expect(page.locator("[data-ranked]")).to_contain_text("Lou")
