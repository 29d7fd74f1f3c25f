"""A walk through every form of a site, each filled with the largest values it accepts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from itertools import chain
from typing import Any
from unittest.mock import patch

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client, override_settings
from django.urls import reverse

from foundation.acts.outbound import MAX_URL_CHARS
from foundation.store.log import utc_now
from operations.upkeep.jobs import JOBS, Leases, Outcome, run_jobs
from parts.live.moderation import MAX_BLOCKED_WORD_CHARS, MAX_BLOCKED_WORDS
from parts.news.rules import MAX_TAG_CHARS, MAX_TAGS
from parts.polls import voters
from results.front_page.site_page import Part
from tests.access.site import PRESENTED, Look, Site, build
from tests.access.words import known, written_by
from tests.fuzz.forms import Form, Typing, forms_on, long_address, states_of
from tests.photos.drawing import encoded, upright

SCRIPTS = {
    "Latin": "a",
    "Chinese": "漢",
    "Arabic": "ع",
    "emoji": "\U0001f600",
    "rare Chinese": "\U00020000",
    "combined": "e\u0323\u0302",  # composed when it is stored, so that it is shorter then
    "Hangul": "한",
}
LEFT_OUT = {"leave", "sign_out", "set_language"}  # what would end the walk for whoever tries
FIRST = ("edit_question_category",)  # before its only question moves to another
LAST = (
    "open_election",
    "rename_election",
    "person",
    "delete_election",
    "hand_over_election",
    "remove_person",
    "switch_off",
    "purpose",
    "sign_in_rule",
    "pause",
)  # after which pages are elsewhere
TELLS_OF_THE_WORKER = "readyz"  # of which there is none here
REFUSED, ERRORS = 422, 500
ATTEMPTS = 20


@contextmanager
def largest_site(letter: str) -> Iterator[Site]:
    """One in which every text that somebody wrote is as long as it can be."""
    at_leisure = patch.object(voters, "MIN_VOTING_SECONDS", 0)
    with override_settings(**PRESENTED), written_by(lambda plain, room: (plain + letter * room)[:room]), at_leisure:
        yield build()


class Walk:
    """One run through all forms, in one script; lists that people paste have so many lines."""

    def __init__(self, site: Site, letter: str, lines: int = 50):
        self.site, self.letter, self.lines = site, letter, lines
        self.number = 0
        self.accepted: list[str] = []
        self.broken: list[str] = []
        self._seen: set[tuple[str, ...]] = set()

    def go(self) -> None:
        for look in sorted([*more_looks(), *self.site.looks], key=_order):
            if look.page not in LEFT_OUT and (page := self.open(look)):
                states = (self.open(look, state) for state in states_of(look.address, page))
                for form in chain(forms_on(page), *(forms_on(each) for each in states)):
                    self.fill(look, form)
        self.site.browsers["owner"].post(reverse("resume"))

    def open(self, look: Look, state: str = "") -> str:
        """The page, or one of its states, such as ?add; empty if it is no page."""
        path, asked = (state, {}) if state else (look.address, look.asked)
        answer = self._answer(look, lambda client: client.get(path, asked))
        is_page = answer is not None and "html" in answer.get("Content-Type", "")
        return b"".join(answer).decode() if answer is not None and is_page else ""

    def fill(self, look: Look, form: Form) -> None:
        """Until it is accepted: with as much as it says that it takes at first."""
        action = form.action.rstrip("/").rsplit("/", 1)[-1]
        what = (look.page, action, form.method, *(each.name for each in form.fields))
        if what in self._seen or not form.is_filled_in:
            return
        self._seen.add(what)
        self.number += 1000
        for button in form.buttons:
            self._press(look, form, Typing(form, self.letter, self.number, self._given(look.page)), button)

    def _press(self, look: Look, form: Form, typing: Typing, button: dict[str, str]) -> None:
        def send(client: Client) -> HttpResponse:
            return (client.get if form.method == "get" else client.post)(address, typing.sent() | button)

        address = form.action or look.address
        for _attempt in range(ATTEMPTS):
            answer = self._answer(look, send)
            if answer is None or answer.status_code != REFUSED:
                self._go_on(look, form, answer)
                return
            if not typing.again(answer.text):
                return

    def _go_on(self, look: Look, form: Form, answer: HttpResponse | None) -> None:
        """What only previews something is confirmed on the page that comes of it."""
        if answer is None:
            return
        if answer.status_code in (302, 303):
            self.accepted.append(look.page)
        elif form.method == "post" and answer.status_code == 200 and "html" in answer.get("Content-Type", ""):
            confirmations = [each for each in forms_on(answer.text) if each.method == "post" and not each.is_filled_in]
            for each in confirmations:
                if any(field.type == "hidden" and len(field.value) > 100 for field in each.fields):
                    self._answer(look, partial(_confirm, each.action or look.address, each))

    def _given(self, page: str) -> dict[str, Any]:
        return {name: make(self) for name, make in GIVEN.get(page, {}).items()}

    def _answer(self, look: Look, ask: Callable[[Client], HttpResponse]) -> HttpResponse | None:
        client: Client = self.site.browsers[look.who]
        try:
            answer = ask(client)
        except Exception as error:
            self.broken.append(f"{look.page} for {look.who}: {type(error).__name__}: {error}"[:300])
            return None
        if answer.status_code >= ERRORS and look.page != TELLS_OF_THE_WORKER:
            self.broken.append(f"{look.page} for {look.who}: {answer.status_code}")
        return answer


def _confirm(address: str, form: Form, client: Client) -> HttpResponse:
    return client.post(address, form.filled({}))


def more_looks() -> list[Look]:
    """At forms that the others meet only in a state in which they are refused."""
    return [
        *(Look("edit_site_page", "owner", (str(part),)) for part in Part),
        Look("describe", "organiser", ("Draft",)),
        Look("hand_over_election", "organiser", ("Prize",)),
        Look("open_election", "organiser", ("Skilled",)),
    ]


def _order(look: Look) -> int:
    if look.page in FIRST:
        return 0
    return LAST.index(look.page) + 3 if look.page in LAST else 1 + int(look.of == "what")


def failed(site: Any) -> list[tuple[str, str]]:
    """Jobs of the worker that went wrong, and why."""
    return [
        (name, each.message) for name, each in run_jobs(JOBS, Leases(site)).items() if each.outcome == Outcome.FAILED
    ]


# --- what nobody can make up ---


def _addresses(walk: Walk) -> str:
    return "\n".join(long_address(walk.number + number) for number in range(walk.lines))


def _questions(walk: Walk) -> str:
    """In GIFT."""
    count = min(walk.lines, 198)  # a set has two already
    texts = (f"{number} {walk.letter * 290} {{=yes {walk.letter * 190} ~no}}" for number in range(count))
    return "\n\n".join(texts)


def _people(walk: Walk) -> str:
    return "\n".join(f"{number} {walk.letter * 30} <{long_address(number)}>" for number in range(walk.lines))


def _rankings(walk: Walk) -> str:
    return "\n".join(f"1: {number} {walk.letter * 190} > B" for number in range(90))


def _groups(walk: Walk) -> str:
    return ";".join(walk.letter * 58 + f"{number:02}" for number in range(16))


def _tags(walk: Walk) -> str:
    return ", ".join(f"{number}{walk.letter * MAX_TAG_CHARS}"[:MAX_TAG_CHARS] for number in range(MAX_TAGS))


def _words(walk: Walk) -> str:
    return "\n".join(
        f"{number} {walk.letter * MAX_BLOCKED_WORD_CHARS}"[:MAX_BLOCKED_WORD_CHARS]
        for number in range(MAX_BLOCKED_WORDS)
    )


def _in_days(days: int) -> Callable[[Walk], str]:
    return lambda walk: f"{utc_now() + timedelta(days=days):%Y-%m-%dT%H:%M}"


def _url(walk: Walk) -> str:
    """In any script; what is not ASCII is escaped when it is requested."""
    return f"https://hooks.example/{walk.number}/{walk.letter * MAX_URL_CHARS}"[:MAX_URL_CHARS]


def _nothing(walk: Walk) -> None:
    """What is not sent at all."""


def _known(plain: str) -> Callable[[Walk], str]:
    return lambda walk: known(plain)


PICTURE = {"file": lambda walk: SimpleUploadedFile("large.jpg", encoded(upright(1600, 1200)), "image/jpeg")}
STV = {"method": lambda walk: "stv-scottish"}
SKILL = {"skill": _known("Python")}
CHOICE = {"kind": lambda walk: "choice", "twice": _nothing, "category": _nothing}
GIVEN: dict[str, dict[str, Callable[[Walk], Any]]] = {
    "sign_in": {"name_or_email": _known("Olga")},
    "roll": {"voters": _addresses, "groups": _groups},
    "election_step": {"voters": _addresses},
    "voter_by_letter": {
        "number": lambda walk: f"{walk.number}{walk.letter * 30}",
        "postal": lambda walk: "\n".join([walk.letter * 80] * 6),
        "birth": lambda walk: "1815-12-10",
    },
    "import_roll": {"file": lambda walk: SimpleUploadedFile("roll.csv", _addresses(walk).encode(), "text/csv")},
    "add_members": {"text": _addresses},
    "managers": {"name": _known("Cleo")},
    "request": {"listed_as": lambda walk: long_address(walk.number), "address": lambda walk: long_address(walk.number)},
    "ask_for_help": {"address": lambda walk: long_address(walk.number)},
    "requests": {"until": _nothing},
    "hand_over_election": {"name": _known("Cleo")},
    "delete_election": {"name": _known("Board")},
    "game_hosts": {"name": _known("Cleo")},
    "add_webhook": {"url": _url},
    "edit_webhook": {"url": _url},
    "game_roll": {"names": _people},
    "needs": SKILL,
    "skilled_voters": SKILL,
    "own_picture": PICTURE,
    "picture_post": PICTURE,
    "candidate_picture": PICTURE,
    "sandbox": {
        "ballots": _rankings,
        "seats": lambda walk: "100",
        "seed": lambda walk: walk.letter * 100,
        "format": _nothing,
        **STV,
    },
    "remove_person": {"name": _known("Ann")},
    "manage_qa": {"words": _words},
    "make_game": {"engagement_type": lambda walk: "poll", "ideas": _nothing, "twice": _nothing},
    "game_question": CHOICE,
    "add_game_question": CHOICE,
    "import_set": {"text": _questions, "format": _nothing},
    "election_settings": STV,
    "create_election_whole": STV,
    "extend": {"ends": _in_days(40)},
    "extend_poll": {"ends": _in_days(20)},
    "reopen_poll": {"ends": _in_days(20)},
    "write_post": {"tags": _tags},
    "edit_post": {"tags": _tags},
    "person": {"role": lambda walk: "USER"},
}
