"""What strangers can do, they can do without end: what the site keeps of it has a bound that does not grow with them.

Every public address is asked for and sent, each time by a new browser from the same network, with made-up values in
everything its forms take. What is stored, queued and mailed after the first few times is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import inf
from pathlib import Path
from time import time
from types import SimpleNamespace

import pytest
from django.test import Client, override_settings
from django.urls import reverse

from accounts import throttle
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from foundation.acts import rate_limits
from foundation.acts.rate_limits import SECONDS_PER_DAY
from foundation.acts.storage import table
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.schema import SCHEMA
from foundation.store.table import Key
from parts.live.rules import MAX_PLAYERS, Names
from parts.live.services import making
from parts.news import services as news
from parts.news.services import Written
from parts.polls import services as polling
from parts.polls import voters
from parts.questions.question import Kind, Question, Type
from tests.background import finish_background
from tests.copies import copy_of
from tests.fuzz.forms import EMAIL, Form, forms_on
from tests.people import confirm, make_owner, make_person
from tests.test_routes import NO_GAME, NO_POLL, NO_POST, PUBLIC, ROUTES

STRANGERS = {name: words for name, (whom, _methods, words) in ROUTES.items() if whom == PUBLIC}
FIRST, MANY = 2, 10  # times: until everything is there that is kept once; and then again
MAX_LIMIT = 300  # that a test goes beyond
TOMORROW = (time() // SECONDS_PER_DAY + 2) * SECONDS_PER_DAY  # no test sees the end of its day, or of a shorter window

# What an address may keep beyond the first times, and why. Without an entry: nothing.
A_LIMIT = "the hourly limit of the network; no more however many there are"
NAMES = 16  # told apart here, of those that are typed; on a real site more than anybody can send (`NAMES_APART`)
EACH_NUMBER = "counters under the numbers that names are counted by, and one of the network"
EACH_ADDRESS = "a task for each address, refused to nobody; the worker has them gone in a lane of their own"
ALLOWED: dict[str, tuple[str, dict[str, float]]] = {
    "register": (A_LIMIT, {"registration": 300, "mail": 300, "session": 300, "throttle": 600}),
    "news_by_mail": (A_LIMIT, {"mail": 50, "throttle": 150}),
    "ask_for_help": (
        "the daily limit of the network",
        dict.fromkeys(("request", "request's sender", "submitted form", "event", "throttle"), 100),
    ),
    "sign_in": (EACH_NUMBER, {"throttle": 2 * NAMES + 1}),
    "forgotten": (EACH_NUMBER, {"throttle": 3 * NAMES + 1}),
    "my_link": (EACH_ADDRESS, {"background task": inf}),
    "election_my_link": (EACH_ADDRESS, {"background task": inf}),
    "poll": ("POLL_VOTES_PER_ADDRESS", dict.fromkeys(("poll's vote", "submitted form", "event"), 100)),
    "join_game": ("the seats of a session", {"seat": MAX_PLAYERS, "player's name": MAX_PLAYERS}),
}
FORM_ON = {"like_post": "post"}  # an address whose form is on another page
TYPED = {"poll": {"rank-0": "1", "rank-1": "2"}}  # where what is made up would never do


@pytest.fixture(scope="module")
def prepared(tmp_path_factory) -> tuple[Path, dict[object, str]]:
    """A site with an open election, poll, session and post, and what stands for the made-up words of the table."""
    path = tmp_path_factory.mktemp("prepared") / "plenum.sqlite3"
    with override_settings(STORE_URL=f"sqlite://{path}"):
        table().create()
        olga, otto = make_owner(), confirm(make_person("Otto"))
        draft = drafts.create(otto, "draft", vote_by_link=True)
        add_candidates(otto, draft, [Candidate("Ada"), Candidate("Bo")])
        add_voters(otto, draft, ["ann@example.org"])
        lifecycle.open_(otto, elections.find("draft"), editable=False)
        about = {"title": "Lunch", "description": "", "time_zone": "UTC", "expires_at": None}
        poll, _key = polling.make(otto, ("Pizza", "Sushi"), 30, **about)
        post = news.write(olga, Written("Seen", "*Words*", ("board",)))
        news.publish(olga, post)
        asked = Question("Which is a prime?", Kind.CHOICE, options=("3", "4"), right=(0,))
        game = making.make(otto, Type.TRIVIA, [asked], title="Friday", names=Names.TYPED)
        finish_background()
        return path, {NO_POLL: poll.id, NO_POST: post.id, NO_GAME: game.id, "made-up": game.token}


@pytest.fixture
def words(prepared, tmp_path, settings, monkeypatch) -> Iterator[dict[object, str]]:
    path, words = prepared
    settings.STORE_URL = f"sqlite://{copy_of(path, tmp_path / 'plenum.sqlite3')}"
    monkeypatch.setattr(voters, "MIN_VOTING_SECONDS", 0)
    monkeypatch.setattr(throttle, "NAMES_APART", NAMES)
    monkeypatch.setattr(rate_limits, "time", SimpleNamespace(time=lambda: TOMORROW))
    yield words
    table().close()


def kept() -> Counter[str]:
    """How many items of each type there are."""
    return Counter(SCHEMA.type_of(Key(item["PK"], item["SK"], name)).label for name, item in table().everything())


def ask(name: str, address: str, page: str, number: int) -> set[int]:
    """Open it and send its forms, or nothing where it has none, in a browser that was never here. The statuses."""
    client = Client()
    opened = client.get(page)
    is_page = opened.get("Content-Type", "").startswith("text/html") and not opened.streaming
    on_page = forms_on(opened.content.decode()) if is_page else []
    here = {address} | ({""} if page == address else set())
    own = [each for each in on_page if each.method == "post" and each.action in here]
    statuses = {opened.status_code}
    for form in own or [Form(address, "post")]:
        made_up = {each.name: f"made up {number}" for each in form.free} | {EMAIL: f"made.up.{number}@example.org"}
        for button in form.buttons:
            sent = form.filled(made_up) | button | TYPED.get(name, {})
            statuses.add(client.post(address, sent).status_code)
    return statuses


def how_often(name: str) -> int:
    """More than its limit, where a test can reach that."""
    _why, allowed = ALLOWED.get(name, ("", {}))
    limit = min(allowed.values(), default=0)
    return int(1.2 * limit) if limit <= MAX_LIMIT else 0


def check(name: str, words: dict[object, str], times: int) -> None:
    def place(route: str) -> str:
        return reverse(route, args=[words.get(word, word) for word in STRANGERS[route]])

    address, page = place(name), place(FORM_ON.get(name, name))
    for number in range(FIRST):
        ask(name, address, page, number)
    before = kept()
    for number in range(FIRST, FIRST + times):
        assert max(ask(name, address, page, number)) < 500
    _why, allowed = ALLOWED.get(name, ("", {}))
    more = {label: count for label, count in (kept() - before).items() if count > allowed.get(label, 0)}
    assert not more, f"{address} keeps more the more often it is asked"
    finish_background()
    assert not list(table().each(keys.LINK_TASKS)), "the worker has them gone"


@pytest.mark.deep
@pytest.mark.parametrize("name", STRANGERS)
def test_what_a_stranger_does_without_end_leaves_no_more(words, name):
    check(name, words, max(MANY, how_often(name)))


def test_addresses_that_may_keep_more_are_there():
    assert ALLOWED.keys() | FORM_ON.keys() | TYPED.keys() <= STRANGERS.keys()
