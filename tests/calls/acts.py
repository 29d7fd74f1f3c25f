"""`python -m tests.calls.acts` prints how many Python functions each of ten requests calls, on a small site.

It is a process of its own, so that nothing depends on what tests did before. Each act is done several times by
different people, until all is loaded and cached as on a busy site; what is cached for a second stays cached. Of the
last figures the smallest counts, so that nothing that happens once in a while matters.
"""

from __future__ import annotations

import gc
import json
import random
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from unittest.mock import patch

if __name__ == "__main__":
    import django

    import tests.environment  # noqa: F401 - says where the site is, before anything reads the settings

    django.setup()

from django.http import HttpResponse
from django.urls import reverse

from accounts import api_tokens, policy, repository
from accounts.models import User
from foundation.acts import branding, features, pause
from operations.upkeep import heartbeats
from parts.live.repository import read_state
from parts.live.rules import Step
from parts.live.services import moving
from parts.polls import services as polls
from parts.polls import voters
from tests.bench import data
from tests.bench.client import hidden_fields
from tests.bench.data import BOARD, LAST_YEAR, Person

from .counter import Browser, CountingHandler, page

REPETITIONS, COUNTED = 6, 3  # of each act, and how many of the last are looked at
VOTERS, BALLOTS = 50, 50  # on the rolls, and in the election whose result is looked at
POLL = {"title": "Lunch on Friday", "description": "", "time_zone": "UTC", "expires_at": None}

Act = Callable[[int], HttpResponse]  # by the number of who does it; the last request that it makes is counted


def counts() -> dict[str, int]:
    handler, found = CountingHandler(), {}
    for name, act in acts(handler):
        calls = []
        for number in range(REPETITIONS):
            answer = act(number)
            assert answer.status_code < 400, f"{name} is answered with {answer.status_code}"
            calls.append(handler.calls)
        found[name] = min(calls[-COUNTED:])
    return found


def acts(handler: CountingHandler) -> Iterator[tuple[str, Act]]:
    made = data.election(VOTERS, sealed=BALLOTS)
    owner, people = Person(**made["owner"]), [Person(**each) for each in made["voters"]]
    desk, browsers = Browser(handler, owner.cookies), [Browser(handler, each.cookies) for each in people]
    runner = repository.find(data.OWNER)
    yield from voting(browsers, [each.form for each in people])
    browsers.reverse()  # from now on people who have not voted
    yield "ballot page", lambda number: browsers[number].get(reverse("ballot", args=[BOARD]))
    yield "result", lambda number: browsers[number].get(reverse("results", args=[LAST_YEAR]))
    yield "home", lambda number: browsers[number].get("/")
    yield "dashboard", lambda number: desk.get(reverse("dashboard", args=[BOARD]))
    yield "electoral roll", lambda number: desk.get(reverse("roll", args=[BOARD]))
    yield "live answer", answering(handler, runner)
    yield "poll vote", voting_in_poll(handler, runner)
    yield "API call", calling(handler, runner)


def voting(browsers: list[Browser], marked: list[dict[str, str]]) -> Iterator[tuple[str, Act]]:
    """In an election that is secret and takes changes: whoever changes a ballot is known by its secret alone."""
    opening, secrets = reverse("change", args=[BOARD]), dict[int, str]()

    def cast(number: int) -> HttpResponse:
        form = form_to_cast(browsers[number], "ballot", "cast", marked[number])
        answer = browsers[number].send(reverse("cast", args=[BOARD]), form)
        secrets[number] = hidden_fields(page(answer), opening).get("secret", form["secret"])
        return answer

    def change(number: int) -> HttpResponse:
        opened = hidden_fields(browsers[number].page(opening), "") | {"secret": secrets[number]}
        assert browsers[number].send(opening, opened).status_code == 302
        form = form_to_cast(browsers[number], "change_ballot", "change_cast", marked[number + 1])
        return browsers[number].send(reverse("change_cast", args=[BOARD]), form)

    yield "cast", cast
    yield "change of a ballot", change


def form_to_cast(browser: Browser, ballot: str, cast: str, marks: Mapping[str, str]) -> dict[str, str]:
    """What casts a ballot with these marks: a form of the ballot page, or of the review that follows it."""
    ballot, cast = (reverse(each, args=[BOARD]) for each in (ballot, cast))
    ranks = {name: value for name, value in marks.items() if name.startswith("rank-")}
    fields = hidden_fields(browser.page(ballot), ballot, cast) | ranks
    return fields if "token" in fields else hidden_fields(page(browser.send(ballot, fields, follow=True)), cast)


def answering(handler: CountingHandler, host: User) -> Act:
    made = data.hall(host, REPETITIONS)
    moving.drive(made["game"], host.name, Step.NEXT, read_state(made["game"]).version)
    players = [Person(**each) for each in made["players"]]

    def answer(number: int) -> HttpResponse:
        browser = Browser(handler, players[number].cookies)
        browser.get(reverse("play", args=[made["game"]]))
        return browser.send(reverse("give_answer", args=[made["game"]]), players[number].form)

    return answer


def voting_in_poll(handler: CountingHandler, maker: User) -> Act:
    poll, _key = polls.make(maker, ("Pizza", "Sushi", "Tacos"), 30, **POLL)
    address = reverse("poll", args=[poll.id])

    def vote(number: int) -> HttpResponse:
        browser = Browser(handler)
        form = hidden_fields(browser.page(address), "") | {"rank-0": "1", "rank-1": "2"}
        with patch.object(voters, "MIN_VOTING_SECONDS", 0):
            return browser.send(address, form)

    return vote


def calling(handler: CountingHandler, owner: User) -> Act:
    token = api_tokens.create(owner, "A program", ["read", "organise"], 30)
    program = Browser(handler, authorization=f"Bearer {token}")
    return lambda number: program.get(reverse("api/elections/-", args=[BOARD]))


def main() -> None:
    """In a thread of its own, at which no other profiler looks, and without looking for garbage meanwhile."""
    gc.disable()
    random.seed(0)  # which gates people come by is chance, and the first at a gate has more to do
    for each in (pause.cache, branding.cache, features.cache, policy.cache, heartbeats.watch):
        each.ticking = float  # which stands at 0.0, and is no Python function
    with ThreadPoolExecutor(1) as thread:
        print(json.dumps(thread.submit(counts).result()))


if __name__ == "__main__":
    main()
