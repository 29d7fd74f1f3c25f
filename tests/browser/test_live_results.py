"""Pictures of a live session as a hall and a phone see them: judged by axe, within their room, the race played."""

from __future__ import annotations

from playwright.sync_api import expect

from config.settings import BASE_DIR
from parts.live import scores, standings
from parts.live.play import play_named
from parts.live.plays import best_answer, ranked_poll, survey, trivia
from parts.live.rounds import Entry, GivenAnswer, Round
from parts.live.seats import Seat
from parts.live.standings import standings_of
from parts.questions.question import Kind, Question, Type

from .test_access import faults, fits, in_turn, look

STYLES = [
    BASE_DIR / "static/css" / f"{name}.css" for name in ("tokens", "base", "parts", "live_results", "assembly_screens")
]
RACE = BASE_DIR / "static/js/live_race.js"
LONG = "Maximiliane " + "von und zu Lichtenberg " * 4
SEATS = {
    f"p{number}": Seat(f"p{number}", name, "") for number, name in enumerate(["Ada", LONG, "فاطمة", *"DEFGHIJKLM"])
}
OPTIONS = ("The sea", LONG, "A town", "الجبال")
WHERE = Question("Where do we go?", Kind.RANKING, options=OPTIONS)
WHICH = Question("Which are towns?", Kind.CHOICE, options=OPTIONS * 2, right=(2, 6))
SHEET = (Question("How was it?", Kind.RATING), Question("Again?", Kind.YES_NO), WHICH, Question("What else?"))


def said(*values) -> list[GivenAnswer]:
    return [GivenAnswer(f"p{number}", value, number) for number, value in enumerate(values)]


def drawn(type_: Type, round_: Round, *questions: Question, own: str = "") -> str:
    return play_named(type_).render_result(round_, questions, SEATS, own)


def race() -> str:
    votes = ["0>1"] * 4 + ["1>0"] * 3 + ["2>1"] * 2 + ["3>2>1"]
    return drawn(Type.POLL, ranked_poll.count(1, 0, WHERE, said(*votes), "s"), WHERE)


def every() -> list[str]:
    """Each picture there is."""
    answered = best_answer.count_answers(1, 0, said("Trees", "trees", LONG, "A fountain", "B", "C", "D"))
    shown = list(range(len(best_answer.merged_answers(answered))))
    own = scores.own_answers(best_answer.merged_answers(answered))
    votes = [{"ranks": {str(number): 1}, "shown": shown} for number in shown if number != own["p0"]]
    told = survey.count(1, SHEET, said(*({"0": each, "1": True, "2": [each], "3": LONG} for each in (3, 4, 5))))
    paid = [Round(n, n - 1, 1, {}, tuple(Entry(p, 0, 90 - 7 * at) for at, p in enumerate(SEATS))) for n in (1, 2)]
    standing = standings_of(paid, SEATS.values())
    return [
        drawn(Type.TRIVIA, trivia.count(1, 0, WHICH, said([2, 6], [0], [1, 2]), lambda each: (0, 1)), WHICH, own="p0"),
        drawn(Type.CALL_AND_ANSWER, best_answer.count_votes(answered, said(*votes)), WHERE, own="p0"),
        race(),
        drawn(Type.POLL, ranked_poll.count(1, 0, WHERE, said("0"), "s"), WHERE),
        drawn(Type.SURVEY, told, *SHEET),
        standings.render_standings(standing, own="p12"),
        standings.render_final(standing, own="p12"),
        standings.render_own_place(standing.place_of("p0"), 13),
    ]


def page_of(*fragments: str, hall: bool = False) -> str:
    styles = "".join(path.read_text() for path in STYLES)
    head = f'<meta name="viewport" content="width=device-width"><title>Session</title><style>{styles}</style>'
    body = f'<div class="wide stack"><h1>Session</h1>{"".join(fragments)}</div>'
    return f'<!doctype html><html lang="en">{head}<main class="{"projector" if hall else ""}">{body}</main></html>'


def test_pictures_please_axe_and_nothing_sticks_out(visit, subtests):
    page = visit("about:blank", reduced_motion="reduce")
    for hall, width, scheme in ((False, 320, "light"), (True, 1920, "dark")):
        with subtests.test("pictures please axe and nothing sticks out", width=width):
            page.set_content(page_of(*every()[:: 3 if hall else 1], hall=hall))  # in a hall some: they are the same
            look(page, width, scheme)
            assert faults(page) == []
            assert fits(page)


def test_rounds_play_as_a_race(visit):
    """It begins by itself, also where the picture comes later than the page; then it goes by the buttons."""
    page = visit("about:blank", reduced_motion="no-preference")
    page.set_content(page_of())
    page.add_script_tag(path=RACE)
    page.evaluate("html => document.querySelector('.wide').insertAdjacentHTML('beforeend', html)", race())
    stage, winner = page.locator("[data-stage]"), page.locator(".result-winner")
    words = stage.locator("caption")
    expect(words).to_contain_text("Round 1")
    expect(winner).to_be_hidden()
    expect(page.locator("[data-lap]").first).to_be_hidden()
    expect(words).to_contain_text("Round 2")  # by itself
    stage.get_by_role("button", name="Pause").click()
    stage.get_by_role("button", name="Back").click()
    expect(words).to_contain_text("Round 1")
    assert stage.locator("tbody bdi").all_inner_texts()[3] == OPTIONS[3]  # who goes is the last
    for _turn in range(2):
        stage.get_by_role("button", name="Next").click()
    expect(words).to_contain_text("6 were needed.")
    expect(winner).to_be_visible()
    assert stage.locator("tr.is-elected [data-number]").inner_text() == "6"
    assert faults(page, "[data-race]") == []


def test_who_wants_no_motion_has_all_rounds_at_once(visit):
    page = visit("about:blank", reduced_motion="reduce")
    page.set_content(page_of(race()))
    page.add_script_tag(path=RACE)
    expect(page.locator("[data-lap]").last).to_be_visible()
    expect(page.locator("[data-stage]")).to_be_hidden()
    expect(page.locator(".result-winner")).to_be_visible()


def test_records_please_axe_and_print_without_the_frame(visit, subtests):
    """What the demo has decided: the history leads to its report."""
    page = visit("/live/history/", who="Emmy Noether")
    page.get_by_role("link", name="The committee's summer").click()
    report = page.url
    small = (320, "light"), (320, "dark")
    for path, looks in (("/live/history/", small), ("/help/live/", small), (report, ((1280, "dark"),))):
        page.goto(path)
        for width, scheme in in_turn(looks, path):
            with subtests.test("records please axe", path=path, scheme=scheme):
                look(page, width, scheme)
                assert faults(page) == []
                assert fits(page)
    page.emulate_media(media="print")
    expect(page.locator(".site-nav")).to_be_hidden()
    expect(page.locator(".report .actions").first).to_be_hidden()
    expect(page.locator(".report-round").first).to_have_css("break-inside", "avoid")
    page.emulate_media(media="screen")
