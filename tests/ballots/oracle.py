"""The attacker who only asks: every page and form of those who run an election or look after the site, as an oracle.

Worlds are copies of one store that differ in nothing but who voted, or how. Whoever asks the same in two of them must
get the same answer: status, headers, text, and how often the store was asked for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from django.test import Client
from django.urls import reverse

from elections import repository
from foundation.pages import fragments
from foundation.store import keys
from tests.copies import copy_of
from tests.test_routes import (
    FORM,
    NO_GAME,
    NO_GROUP,
    NO_POLL,
    NO_POST,
    NO_SET,
    NO_SKILL,
    READ,
    ROUTES,
    SIGNED_IN,
)

# Tokens, digests, codes, pseudonyms; the clock; and how large a file is, which hangs on where pseudonyms fall in it.
CHANCE = re.compile(r"[\w-]{16,}|<time[^>]*>[^<]*</time>|[\d.]+\u00a0[KM]B", re.ASCII)
TRIPS = re.compile(r"(\d+) trips")
OWN = (
    "Set-Cookie",
    "X-Request-ID",
    "Server-Timing",
    "Content-Length",
    "Expires",
    "RateLimit",
)  # of every answer; a length is that of a text


@dataclass(frozen=True)
class Question:
    """What one of them asks: a page, or a form and what is typed into it."""

    who: str
    route: str
    words: tuple[Any, ...] = ()
    asked: tuple[tuple[str, str], ...] = ()
    is_form: bool = False

    def __str__(self) -> str:
        return f"{self.who}: {'POST' if self.is_form else 'GET'} {self.route} {dict(self.asked)}"

    @property
    def address(self) -> str:
        return reverse(self.route, args=self.words)


@dataclass
class World:
    """A store in which some have voted, and the browsers of those who ask."""

    path: Path
    browsers: dict[str, Client]
    use: Callable[[Path], None]  # from now on the site runs on this file
    answers: dict[Question, str] = field(default_factory=dict)

    def ask(self, questions: Sequence[Question]) -> None:
        """Forms are sent in a copy each, so that one does not change the answer to the next. Every answer is that of a
        process that has just begun: what one world has made it remember would be a look less in the other."""
        for question in questions:
            for memory in (repository._known_candidates, fragments.fragment_cache):
                memory._entries.clear()
                memory.weight = 0
            self.use(self.scratch() if question.is_form else self.path)
            self.answers[question] = self.answer(question)

    def scratch(self) -> Path:
        return copy_of(self.path, self.path.with_suffix(".scratch"))

    def answer(self, question: Question) -> str:
        browser = self.browsers[question.who]
        if not question.is_form:
            return as_text(browser.get(f"{question.address}?{urlencode(question.asked)}"))
        return as_text(browser.post(question.address, dict(question.asked), follow=True))


def as_text(answer: Any) -> str:
    """All that can be told from an answer."""
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    headers = sorted(f"{name}: {value}" for name, value in answer.items() if name not in OWN)
    trips = TRIPS.search(answer.get("Server-Timing", ""))
    lines = [str(answer.status_code), *headers, trips[0] if trips else "", body.decode(errors="replace")]
    went = [f"{status} {address}" for address, status in getattr(answer, "redirect_chain", [])]
    return "\n".join([*went, *lines])


def are_alike(one: str, other: str) -> bool:
    """Whether two answers differ in nothing but what is chance. Most lines do not differ at all, and need no look."""
    lines, others = one.splitlines(), other.splitlines()
    if len(lines) != len(others):
        return without_chance(one) == without_chance(other)
    different = [pair for pair in zip(lines, others, strict=True) if pair[0] != pair[1]]
    return all(without_chance(line) == without_chance(its_like) for line, its_like in different)


def without_chance(text: str) -> str:
    return CHANCE.sub("·", text)


def told_apart(one: World, other: World, forgiven: Callable[[Question], bool] = lambda question: False) -> list[str]:
    """The questions by whose answers somebody knows in which of the two they are."""
    assert one.answers.keys() == other.answers.keys()
    asked = [each for each in one.answers if not forgiven(each)]
    return [str(each) for each in asked if not are_alike(one.answers[each], other.answers[each])]


# --- what can be asked ---

UNLIKE = {"metrics", "system", "healthz", "readyz"}  # figures of the machine; no two answers are the same
# There is none of these.
MADE_UP = {NO_POLL, NO_SKILL, NO_SET, NO_GAME, NO_POST, NO_GROUP, "token", "made-up", "number", "mark"}


def every_page(who: str, election: str, voters: Sequence[str]) -> Iterator[Question]:
    """Every address but those of one's own account: of this election, of these people, and what can be searched."""
    for route, (whom, methods, words) in ROUTES.items():
        is_there = whom != SIGNED_IN and route not in UNLIKE and not MADE_UP & set(words)
        if is_there and methods in (READ, FORM):
            for voter in voters if "target" in words else voters[:1]:
                filled = tuple({"draft": election, "target": voter, "Bo": "Ada"}.get(word, word) for word in words)
                for asked in asked_of(route, election, voters):
                    yield Question(who, route, filled, tuple(asked.items()))


def asked_of(route: str, election: str, voters: Sequence[str]) -> Iterator[dict[str, str]]:
    yield {}
    if route == "paper":
        yield from ({"voter": voter} for voter in voters)
    if route == "roll":
        yield from ({"q": voter} for voter in voters)
        yield {"show": "failed"}
    if route == "raw_tables":
        yield {"table": "data", "pk": keys.election(election).pk}
        yield from ({"table": "data", "pk": keys.user(voter).pk} for voter in voters)
    if route == "raw_item":
        places = [keys.voter(election, voter) for voter in voters]
        yield from ({"table": "data", "pk": place.pk, "sk": place.sk} for place in places)


def every_form(who: str, election: str, voters: Sequence[str]) -> Iterator[Question]:
    """What can be sent about an election, with every voter's name typed in where a name is asked for."""
    of_voters: dict[str, tuple[dict[str, str], ...]] = {
        "paper": ({"rank-0": "1"}, {"rank-0": "1", "back": "1"}),
        "enter_paper": ({"rank-0": "x"}, {"rank-99": "1"}),  # a form that is in order may tell: it casts the ballot
        "invite_voters": ({},),
        "remove_voter": ({},),
        "managers": ({},),
        "hand_over_election": ({},),
        "roll": ({},),
        "import_roll": ({},),
    }
    names = {"managers": "name", "hand_over_election": "name", "roll": "voters", "import_roll": "voters"}
    for route, forms in of_voters.items():
        for form in forms:
            for voter in voters:
                asked = {names.get(route, "voter"): voter, **form}
                yield Question(who, route, (election,), tuple(asked.items()), is_form=True)
    plain: dict[str, dict[str, str]] = {
        "invitation": {"send": "1000"},
        "message_voters": {"subject": "Hello", "text": "World"},
        "describe": {"description": "New words"},
        "fix_candidates": {},
        "extend": {},
        "copy_election": {"name": "Copy"},
        "delete_election": {"name": election},
        "choose_reminders": {"hours": "24"},
    }
    for route, asked in plain.items():
        yield Question(who, route, (election,), tuple(asked.items()), is_form=True)
