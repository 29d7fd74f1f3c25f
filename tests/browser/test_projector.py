"""Everything a projector can show, at the sizes of real projectors: legible from the last row, and nothing cut off."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from foundation.acts.storage import table
from foundation.qa.rules import Mode
from parts.live import clock, repository, room_questions, seats
from parts.live.moderation import QaAction
from parts.live.rules import Step
from parts.live.seats import Seat
from parts.live.services import answering, deleting, moving
from parts.questions.question import Kind, Question, Type

from .live_hall import HOST, Hall, Halls, open_hall
from .test_live import store  # noqa: F401 - a fixture

SIZES = ((1920, 1080), (1024, 768))
SMALLEST = 0.022  # of the height of the screen: the smallest type that the last row can read
LONG = "Maximiliane Gräfin von und zu Lichtenberg-Wartenstein"
PLACES = ("The sea", "The hills", "A town by the river", "Anywhere with good typography")
WHICH = Question("Which of these towns lies by the sea?", Kind.CHOICE, options=PLACES, right=(0,), seconds=0)
TEN = Question(
    "Which of these ten proposals do you like? " * 3,
    Kind.CHOICE,
    options=tuple(f"{n} {LONG}" for n in range(10)),
    right=(0,),
    seconds=0,
)
WHERE = Question("Where do we go together?", Kind.RANKING, options=PLACES, seconds=0)
FEE = Question(
    "The fee",
    Kind.ALTERNATIVES,
    options=("110 euros a year", "120 euros, half for students", "150 euros", "No change"),
    majority="1/2 cast",
    seconds=0,
)
MOTION = Question(
    "The board is discharged for the past year", Kind.MOTION, detail="As proposed by the auditors.", seconds=0
)
SHEET = tuple(
    question
    for number in range(1, 5)
    for question in (
        Question(f"How did you like part {number}?", Kind.RATING),
        Question(f"Would you come to part {number} again?", Kind.YES_NO),
        Question(f"Which place suits part {number}?", Kind.CHOICE, options=PLACES),
        Question(f"Anything else about part {number}?"),
    )
)


@pytest.fixture
def halls(store, visit) -> Iterator[Halls]:  # noqa: F811
    """Sessions that are gone afterwards, so that they are not in the way of others."""
    pages: list[Page] = []
    made: list[Hall] = []

    def visited(*way: object, **reader: object) -> Page:
        pages.append(visit(*way, **reader))
        return pages[-1]

    def make(type_: Type, *questions: Question, **chosen: object) -> Hall:
        made.append(open_hall(visited, type_, questions, **chosen))
        return made[-1]

    yield make
    for page in pages:
        page.goto("about:blank")
    for hall in made:
        deleting.delete(hall.game.id, HOST)


# --- acts, without a browser ---


def sit(hall: Hall, *names: str) -> list[Seat]:
    found = [Seat(f"player{number}", name, hall.game.created_at) for number, name in enumerate(names)]
    for seat in found:
        table().write(*seats.seating(hall.game, seat))
    return found


def step(hall: Hall, *steps: Step) -> None:
    for each in steps:
        moving.drive(hall.game.id, HOST, each, repository.read_state(hall.game.id).version)


def give(hall: Hall, said: dict[Seat, object]) -> None:
    for seat, answer in said.items():
        answering.submit(hall.game, repository.read_state(hall.game.id), seat, answer, clock.now())


# --- what there is to show ---


def lobby(halls: Halls, people: int, title: str = "Friday in the hall") -> Hall:
    hall = halls(Type.TRIVIA, WHICH, title=title)
    sit(hall, *(f"{LONG if number % 7 == 3 else 'Somebody'} {number}" for number in range(people)))
    return hall


def trivia(halls: Halls, question: Question, answers: list[int], *steps: Step) -> Hall:
    hall = halls(Type.TRIVIA, question)
    people = sit(hall, *(LONG if number == 3 else f"Player {number}" for number in range(len(answers))))
    step(hall, Step.NEXT)
    give(hall, {seat: [answer] for seat, answer in zip(people, answers, strict=True)})
    step(hall, *steps)
    return hall


def podium(halls: Halls) -> Hall:
    """Two share the first place, so that the next is third."""
    hall = halls(Type.TRIVIA, WHICH, WHICH)
    people = sit(hall, LONG, *(f"Player {number}" for number in range(12)))
    for right in (3, 2):
        step(hall, Step.NEXT)
        give(hall, {seat: [0 if at < right else 1] for at, seat in enumerate(people)})
        step(hall, Step.CLOSE, Step.REVEAL)
    step(hall, Step.END)
    return hall


def best_answer(halls: Halls, *steps: Step) -> Hall:
    hall = halls(Type.CALL_AND_ANSWER, Question("What should we try?", seconds=0))
    people = sit(hall, *(f"Player {number}" for number in range(8)))
    step(hall, Step.NEXT)
    give(hall, {seat: f"{LONG} and its {number} neighbours" for number, seat in enumerate(people)})
    for each in steps:
        step(hall, each)
        if repository.read_state(hall.game.id).phase == "voting":
            shown = list(range(8))
            give(hall, {seat: {"ranks": {str((at + 1) % 3): 1}, "shown": shown} for at, seat in enumerate(people)})
    return hall


def ranking(
    halls: Halls, *votes: str, question: Question = WHERE, steps: tuple[Step, ...] = (Step.CLOSE, Step.REVEAL)
) -> Hall:
    hall = halls(Type.POLL, question)
    people = sit(hall, *(f"Player {number}" for number in range(len(votes))))
    step(hall, Step.NEXT)
    give(hall, dict(zip(people, votes, strict=True)))
    step(hall, *steps)
    return hall


def before_and_after(halls: Halls) -> Hall:
    hall = ranking(
        halls,
        *["0>1"] * 4,
        *["1>2"] * 3,
        *["2"] * 2,
        question=Question(WHERE.title, Kind.RANKING, options=PLACES, seconds=0, twice=True),
    )
    step(hall, Step.AGAIN)
    give(hall, dict(zip(seats.read_seats(hall.game.id), ["1>0"] * 6 + ["2>1"] * 3, strict=True)))
    step(hall, Step.CLOSE, Step.REVEAL)
    return hall


def ideas(halls: Halls, *steps: Step) -> Hall:
    hall = halls(Type.POLL, Question("What shall we do?", Kind.IDEAS, seconds=0))
    people = sit(hall, *(f"Player {number}" for number in range(9)))
    step(hall, Step.NEXT)
    give(hall, {seat: [f"Idea {number} of {LONG}"] for number, seat in enumerate(people)})
    for each in steps:
        step(hall, each)
        if each == Step.VOTE:
            give(hall, {seat: f"{at % 3}>1>0" if at % 3 > 1 else "0>1" for at, seat in enumerate(people)})
    return hall


def survey(halls: Halls, *steps: Step) -> Hall:
    hall = halls(Type.SURVEY, *SHEET)
    people = sit(hall, *(f"Player {number}" for number in range(9)))
    step(hall, Step.NEXT)
    said = {Kind.TEXT: f"More time for {LONG}.", Kind.RATING: 4, Kind.YES_NO: True, Kind.CHOICE: [2]}
    give(hall, {seat: {str(at): said[each.kind] for at, each in enumerate(SHEET)} for seat in people})
    step(hall, *steps)
    return hall


def words(halls: Halls, *steps: Step) -> Hall:
    hall = halls("word-cloud", Question("One word for this week?", seconds=0))
    people = sit(hall, *(f"Player {number}" for number in range(30)))
    step(hall, Step.NEXT)
    said = ["Typography", "joy", "coffee", "Ranking", "sleep", "gjpqy", "Handwerkskammer", "schön", "sun"]
    give(hall, {seat: [said[number % 3], said[number % 9], f"word{number}"] for number, seat in enumerate(people)})
    step(hall, *steps)
    return hall


def assembly(halls: Halls, question: Question, votes: list[object], *steps: Step) -> Hall:
    hall = halls(Type.ASSEMBLY, question)
    people = sit(hall, *(f"Member {number}" for number in range(len(votes) or 5)))
    for each in steps:
        step(hall, each)
        if each == Step.VOTE:
            give(hall, dict(zip(people, votes, strict=True)))
    return hall


def asked(halls: Halls) -> Hall:
    hall = halls(Type.TRIVIA, WHICH)
    (ada,) = sit(hall, "Ada")
    settings = room_questions.set_up(hall.game.id, HOST, is_on=True, mode=Mode.OPEN)
    state = repository.read_state(hall.game.id)
    question = room_questions.send(
        hall.game, state, settings, ada, [], "Why is the pagination of the yearly report so jumpy? " * 4, clock.now()
    )
    room_questions.moderate(hall.game.id, question.id, HOST, QaAction.PUT_UP)
    return hall


CLOSED, SHOWN = (Step.CLOSE,), (Step.CLOSE, Step.REVEAL)
VOTED = (Step.NEXT, Step.VOTE, Step.CLOSE)
MANY = ["0", "1", "2", "3", "0>2", "1>0", "3>1>0"]
SCREENS: dict[str, Callable[[Halls], Hall]] = {
    "lobby-empty": lambda halls: lobby(halls, 0),
    "lobby-few": lambda halls: lobby(halls, 3),
    "lobby-many": lambda halls: lobby(halls, 90, title=f"{LONG}: a general meeting of everybody"),
    "trivia-question": lambda halls: trivia(halls, WHICH, [0, 0, 1]),
    "trivia-all": lambda halls: trivia(halls, WHICH, [0, 0, 1, 2]),
    "trivia-ten": lambda halls: trivia(halls, TEN, [0]),
    "trivia-closed": lambda halls: trivia(halls, WHICH, [0, 0, 1], *CLOSED),
    "trivia-result": lambda halls: trivia(halls, WHICH, [0, 0, 1, 2, 2, 0, 0, 0, 1, 3, 1, 1], *SHOWN),
    "trivia-ten-result": lambda halls: trivia(halls, TEN, [0, 1, 2, 3, 4, 5, 9], *SHOWN),
    "trivia-void": lambda halls: trivia(halls, WHICH, [0, 0, 1], Step.VOID),
    "podium-tie": podium,
    "best-question": best_answer,
    "best-voting": lambda halls: best_answer(halls, Step.CLOSE),
    "best-result": lambda halls: best_answer(halls, Step.CLOSE, Step.CLOSE, Step.REVEAL),
    "poll-question": lambda halls: ranking(halls, "0", "1", steps=()),
    "poll-one-round": lambda halls: ranking(halls, *["0>1"] * 5, "1", "2"),
    "poll-race": lambda halls: ranking(halls, *MANY),
    "poll-tie": lambda halls: ranking(halls, "0", "0", "1", "1"),
    "poll-few": lambda halls: ranking(halls, "0"),
    "poll-end": lambda halls: ranking(halls, "0", "1", "2", steps=(*SHOWN, Step.END)),
    "poll-twice": before_and_after,
    "ideas-question": ideas,
    "ideas-sorting": lambda halls: ideas(halls, Step.CLOSE),
    "ideas-result": lambda halls: ideas(halls, Step.CLOSE, Step.VOTE, Step.CLOSE, Step.REVEAL),
    "survey-question": survey,
    "survey-result": lambda halls: survey(halls, *SHOWN),
    "words-question": words,
    "words-result": lambda halls: words(halls, *SHOWN),
    "assembly-talking": lambda halls: assembly(halls, MOTION, [], Step.NEXT),
    "assembly-voting": lambda halls: assembly(halls, FEE, ["0>1>2>3"] * 3, Step.NEXT, Step.VOTE),
    "assembly-motion": lambda halls: assembly(halls, MOTION, ["yes", "yes", "no", "abstain"], *VOTED),
    "assembly-fee": lambda halls: assembly(halls, FEE, ["0>1>3>2"] * 4 + ["1>0>3>2"], *VOTED),
    "assembly-tie": lambda halls: assembly(halls, FEE, ["0>3>1>2", "1>3>0>2"], *VOTED),
    "assembly-end": lambda halls: assembly(halls, MOTION, ["yes", "yes", "no"], *VOTED, Step.END),
    "qa": asked,
}


# --- what is wrong with one ---

# Text that is smaller than it may be, is cut off or lies outside; controls are not for the room.
LOOK = """(smallest) => {
  const found = new Set();
  const least = Math.floor(innerHeight * smallest * 10) / 10;
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const inside = text.parentElement;
    if (!text.data.trim() || inside.closest(".hall-tools, .bar, .race-controls, .pager, .out-of-sight")) continue;
    if (!inside.checkVisibility({ visibilityProperty: true })) continue;
    const scale = inside.getScreenCTM?.().a ?? 1;
    const size = parseFloat(getComputedStyle(inside).fontSize) * scale;
    const words = text.data.trim().slice(0, 30);
    if (size < least) found.add(`${size.toFixed(1)} px of ${least}: ${words}`);
  }
  const show = document.querySelector(".show");
  const isPaged = document.querySelector(".pager:not([hidden])");
  if (!isPaged && show.scrollHeight > show.clientHeight + 1) found.add("cut off");
  if (document.querySelector(".hall").scrollHeight > innerHeight + 1) found.add("too high");
  if (document.documentElement.scrollWidth > innerWidth) found.add("too wide");
  return [...found];
}"""


def test_the_last_row_reads_everything(halls, subtests):
    page: Page | None = None
    for name, made in SCREENS.items():
        hall = made(halls)
        page = page or hall.screen(reduced_motion="reduce")
        page.goto(hall.path("screen") + f"{hall.game.screen_token}/")
        for width, height in SIZES:
            with subtests.test("the last row reads everything", screen=name, size=f"{width}x{height}"):
                page.set_viewport_size({"width": width, "height": height})
                expect(page.locator(".show")).to_be_attached()
                assert page.evaluate(LOOK, SMALLEST) == []


def test_a_long_survey_is_shown_in_pages(halls):
    """They are turned by buttons and by keys; each question is whole on one of them."""
    wall = survey(halls, *SHOWN).screen(reduced_motion="reduce")
    box, pager = wall.locator("[data-pages]"), wall.locator(".pager")
    expect(pager).to_contain_text("1 / ")
    total = int(pager.locator("b").inner_text().split(" / ")[1])
    seen: set[str] = set()
    for number in range(1, total + 1):
        expect(pager).to_contain_text(f"{number} / {total}")
        seen |= set(box.evaluate(WHOLE))
        wall.keyboard.press("ArrowDown")
    assert seen == {each.title for each in SHEET}
    expect(pager).to_contain_text(f"1 / {total}")
    pager.get_by_role("button", name="Back").click()
    expect(pager).to_contain_text(f"{total} / {total}")


WHOLE = """(box) => {
  const { top, bottom } = box.getBoundingClientRect();
  const cut = parseFloat(box.style.clipPath.split(" ")[2]) || 0;
  const isWhole = (each) => each.top >= top - 1 && each.bottom <= bottom - cut + 1;
  const sheets = [...box.querySelectorAll(".sheet")].filter((each) => isWhole(each.getBoundingClientRect()));
  return sheets.map((each) => each.querySelector("h2").textContent.trim());
}"""


def test_a_game_is_dark_unless_this_browser_says_otherwise(halls):
    wall = lobby(halls, 1).screen(color_scheme="light")
    expect(wall.locator("html")).to_have_attribute("data-theme", "dark")
    expect(wall.get_by_label("Dark room")).to_be_checked()
    wall.get_by_text("Bright room").click()
    wall.reload()
    expect(wall.locator("html")).to_have_attribute("data-theme", "light")
    poll = ranking(halls, steps=()).screen(color_scheme="light")
    expect(poll.locator("html")).not_to_have_attribute("data-theme", "dark")


def test_the_podium_rises_in_turn_and_stands_still_for_whoever_wants_that(halls):
    hall = podium(halls)
    order = "() => [3, 1].map((place) => getComputedStyle(document.querySelector(`.step-${place}`)).animationDelay)"
    wall = hall.screen(reduced_motion="no-preference")
    expect(wall.locator(".step-1 bdi")).to_have_count(2)  # they share it
    expect(wall.locator(".final-rest .board-place").first).to_have_text("4")
    assert wall.evaluate(order) == ["0.4s", "2.8s"]
    still = hall.screen(reduced_motion="reduce")
    assert still.evaluate("getComputedStyle(document.querySelector('.step-1')).animationName") == "none"


def test_when_everybody_has_answered_the_host_is_next(halls):
    hall = trivia(halls, WHICH, [0, 1])
    host, remote = hall.host(), hall.remote()
    for page in (host, remote):
        expect(page.locator("#status")).to_contain_text("Everyone has answered")
        assert page.locator("[data-first-step]").evaluate("each => getComputedStyle(each).outlineStyle") == "solid"
    host.set_viewport_size({"width": 320, "height": 800})
    assert host.locator(".answered-all b").bounding_box()["width"] > 160  # not a letter on each line
