"""A hall to test in: a session on the site of all browser tests, whoever runs it, and phones that join it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from playwright.sync_api import APIRequestContext, Page, expect

from accounts import repository as people
from parts.live import repository
from parts.live.rules import Game
from parts.live.services import making
from parts.questions.question import Question, Type

from .conftest import MAX_ATTEMPTS, Visit, Windows
from .test_access import faults, look
from .test_people import wide

HOST = "Emmy Noether"
PHONE_WIDTH_PX, WALL_WIDTH_PX = 390, 1280


@dataclass(frozen=True)
class Hall:
    game: Game
    visit: Visit  # opens a page, signed in or not

    @property
    def link(self) -> str:
        return f"/live/{self.game.id}/join/{self.game.token}/"

    def path(self, page: str) -> str:
        return f"/live/{self.game.id}/{page}/"

    def host(self, **reader: object) -> Page:
        return self.visit(self.path("host"), who=HOST, **{"width": WALL_WIDTH_PX, **reader})

    def remote(self, **reader: object) -> Page:
        return self.visit(self.path("remote"), who=HOST, **{"width": PHONE_WIDTH_PX, **reader})

    def screen(self, kind: str = "screen", **reader: object) -> Page:
        """A projector that nobody is signed in at."""
        return self.visit(self.path(kind) + f"{self.game.screen_token}/", **{"width": WALL_WIDTH_PX, **reader})

    def phone(self, name: str, **reader: object) -> Page:
        """Somebody who has followed the link."""
        page = self.visit(self.link, **{"width": PHONE_WIDTH_PX, **reader})
        page.fill("[name=name]", name)
        page.click("main form .actions button")
        expect(page.locator("#screen")).to_be_visible()
        return page

    def phase(self) -> str:
        """As the store says it, for what no page shows."""
        state = repository.read_state(self.game.id)
        assert state is not None
        return state.key


Halls = Callable[..., Hall]


def open_hall(visit: Visit, type_: Type, questions: Sequence[Question], **chosen: object) -> Hall:
    host = people.find(HOST)
    assert host is not None
    return Hall(making.make(host, type_, questions, **{"title": "Friday in the hall", **chosen}), visit)


# --- phones that nobody looks at ---

HIDDEN = re.compile('name="(csrfmiddlewaretoken|form|round)" value="([^"]+)"')


@dataclass(frozen=True)
class Voice:
    """A phone in the room of which no page is opened: it fetches a page, and sends one of its forms."""

    request: APIRequestContext

    def sends(self, page: str, to: str = "", **form: str) -> str:
        """What the site answers."""
        hidden = dict(HIDDEN.findall(self.request.get(page, max_retries=MAX_ATTEMPTS).text()))
        answer = self.request.post(to or page, form=hidden | form, max_retries=MAX_ATTEMPTS)
        assert answer.ok, answer.text()
        return answer.text()


Voices = Callable[..., Voice]


@contextmanager
def lent_voices(windows: Windows, address: str, cookies_of: Callable[[str], list]) -> Iterator[Voices]:
    """Makes such phones, of somebody who is signed in, or of anybody."""
    with ExitStack() as lent:

        def voice(who: str = "") -> Voice:
            window = lent.enter_context(windows.lend(address, {}))
            window.context.add_cookies(cookies_of(who) if who else [])
            return Voice(window.context.request)

        yield voice


def seated(voice: Voice, hall: Hall, name: str) -> Voice:
    voice.sends(hall.link, name=name)
    return voice


def ranks(voice: Voice, hall: Hall, to: str, *options: int) -> None:
    ranked = {f"rank-{option}": str(place) for place, option in enumerate(options, 1)}
    assert "It can still be changed." in voice.sends(hall.path("play"), hall.path(to), **ranked)


# --- acts ---


def press(page: Page, words: str) -> None:
    """Take a step that is not asked about first."""
    page.get_by_role("button", name=words, exact=True).click()


def press_surely(page: Page, words: str) -> None:
    """Take one that is: where scripts run in a dialog, else on a page of its own."""
    page.get_by_role("link", name=words, exact=True).click()
    page.get_by_role("button", name=words, exact=True).click()


def shows(page: Page, words: str) -> None:
    expect(page.locator("#screen")).to_contain_text(words)


def judged(page: Page, *schemes: str) -> list[str]:
    """What axe has against the page as it stands, and whether it sticks out; in light and dark unless one is named."""
    found = []
    for scheme in schemes or ("light", "dark"):
        look(page, page.viewport_size["width"], scheme)
        found += faults(page) + wide(page)
    return found
