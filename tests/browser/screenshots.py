"""Screenshots of the main pages for people to look at: every width, both themes, both languages, a long site name.

`make screenshots` writes them to build/screenshots. Nothing is judged here, so this is no part of the tests.
"""

from __future__ import annotations

from itertools import product

from django.urls import reverse
from playwright.sync_api import Page

from accounts import repository as people
from config.settings import BASE_DIR
from elections import repository as elections
from elections import setup_steps
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.drafts.services import add_question
from elections.roll.services import add_voters
from foundation.acts.storage import table
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from parts.polls.demo import MAKER

from .conftest import Visit
from .live_hall import HOST, Halls
from .test_access import look
from .test_live import store  # noqa: F401 - a fixture
from .test_projector import SCREENS, WHICH, halls, trivia  # noqa: F401 - a fixture among them

FOLDER = BASE_DIR / "build" / "screenshots"
WIDTHS_PX = (390, 768, 1024, 1280)
PROJECTOR_PX = {"width": 1920, "height": 1080}
SCHEMES = ("light", "dark")
LANGUAGES = ("en", "de")
OWNER, VOTER = "Ada Lovelace", "Hypatia"
LONG_SITE_NAME = "Gesellschaft der Freunde der Mathematik!"


def election(page: str, name: str, *more: str) -> str:
    return reverse(page, args=[name, *more])


def draft() -> str:
    owner = people.find(OWNER)
    created = drafts.create(owner, "Speaker of the year")
    add_candidates(owner, created, [Candidate(name) for name in ("Amara", "Beatriz", "Chen")])
    return created.name


QUESTIONS = {
    "Who chairs us?": ("Amara", "فاطمة الزهراء", "Chen"),
    "What comes into the garden?": ("Bees", "A pond", "A table that is so long that everybody finds a place at it"),
    "Do we raise the fee?": ("Yes", "No"),
}


def several_questions() -> str:
    owner = people.find(OWNER)
    (first, candidates), *others = QUESTIONS.items()
    made = drafts.create(owner, "Annual meeting")
    add_candidates(owner, made, [Candidate(each) for each in candidates])
    for title, candidates in others:
        asked = add_question(owner, elections.find(made.name), title, first_title=first)
        add_candidates(owner, asked, [Candidate(each) for each in candidates])
    add_voters(owner, elections.find(made.name), [VOTER, HOST])
    return made.name


def pages(halls: Halls) -> dict[str, tuple[str, str]]:  # noqa: F811
    """By name: where each is, and who looks at it."""
    polls = {item["title"]: item["id"] for item in table().each(keys.made_by(MAKER))}
    running, meeting = trivia(halls, WHICH, [0, 0, 1]), SCREENS["assembly-end"](halls)
    film, board, drafted = "Film for Friday evening", "Board 2027", draft()
    return {
        "home-signed-out": ("/", ""),
        "home": ("/", OWNER),
        "home-voter": ("/", VOTER),
        "elections": (reverse("elections"), OWNER),
        "election": (election("election", film), VOTER),
        "ballot": (election("ballot", film), VOTER),
        "results": (election("results", "Committee of the workshop"), OWNER),
        "dashboard": (election("dashboard", board), OWNER),
        **{f"setup-{step}": (election("election_step", drafted, step), OWNER) for step in setup_steps.BY_NAME},
        "questions": (election("election_step", several := several_questions(), "candidates"), OWNER),
        "questions-dashboard": (election("dashboard", several), OWNER),
        "polls": (reverse("polls"), OWNER),
        "poll": (reverse("poll", args=[polls["Where shall we eat on Friday?"]]), ""),
        "poll-results": (reverse("poll_results", args=[polls["Day of the summer party"]]), ""),
        "live": (reverse("games"), HOST),
        "live-host": (running.path("host"), HOST),
        "try": (reverse("try_it"), ""),
        "try-live": (reverse("try_live"), ""),
        "news": (reverse("news"), OWNER),
        "people": (reverse("people"), OWNER),
        "skills": (reverse("skills"), OWNER),
        "find-people": (reverse("find_people"), OWNER),
        "profile": (reverse("profile", args=[VOTER]), OWNER),
        "person": (reverse("person", args=[VOTER]), OWNER),
        "me": (reverse("me"), VOTER),
        "admin": (reverse("admin"), OWNER),
        "help": (reverse("help"), OWNER),
        "minutes": (meeting.path("minutes"), HOST),
    }


def take(page: Page, name: str, language: str) -> None:
    for width in WIDTHS_PX:
        for scheme in SCHEMES:
            look(page, width, scheme)
            keep(page, f"{name}-{width}-{scheme}-{language}")


def keep(page: Page, name: str) -> None:
    """The whole page, on a screen as high as it is: what sticks to the edge of one would cover what lies there."""
    height = page.evaluate("document.documentElement.scrollHeight")
    page.set_viewport_size({"width": page.viewport_size["width"], "height": height})
    page.screenshot(path=FOLDER / f"{name}.png", animations="disabled")


def test_the_main_pages(visit: Visit, halls: Halls):  # noqa: F811
    shown = pages(halls)
    phone = trivia(halls, WHICH, [0, 0, 1])
    for language in LANGUAGES:
        for name, (path, who) in shown.items():
            take(visit(path, who=who, locale=language), name, language)
        take(phone.phone(f"Ada {language}", locale=language), "phone", language)


def test_the_projector(halls: Halls):  # noqa: F811
    for name, made in SCREENS.items():
        hall = made(halls)
        for language, scheme in product(LANGUAGES, SCHEMES):
            page = hall.screen(locale=language, color_scheme=scheme)
            page.set_viewport_size(PROJECTOR_PX)
            page.evaluate("theme => document.documentElement.dataset.theme = theme", scheme)  # of any kind of session
            page.screenshot(path=FOLDER / f"projector-{name}-1920-{scheme}-{language}.png", animations="disabled")


def test_a_long_site_name(visit: Visit):
    form = visit(reverse("edit_site_page", args=["name"]), who=OWNER)
    form.fill("[name=name]", LONG_SITE_NAME)
    form.click("main form .actions button")
    for name, who in {"signed-out": "", "signed-in": OWNER}.items():
        take(visit("/", who=who, locale="de"), f"long-site-name-{name}", "de")
