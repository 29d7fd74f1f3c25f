"""An election day in a few seconds: voters come faster than they are answered, and nothing is lost."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings
from django.test import override_settings

from accounts import repository as users
from accounts import services as accounts
from acts.storage import use_table
from ballots import repository, services
from bench import data
from bench.client import Outcome, Request, Visit, perform
from bench.data import BOARD, ROOT, Person
from bench.server import served
from bench.voting import CAST, DONE
from elections import rolls
from elections.turnout.counts import turnout
from ranking.marks import ranking_from
from store.connect import connect

VOTERS, OTHERS, CONCURRENT_VOTERS = 120, 30, 40


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """The data of a site, with its secret."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "secret_key").write_text(settings.SECRET_KEY)
    return folder


@pytest.fixture
def day(folder) -> Iterator[None]:
    """Whatever a test does, it does on that site's store."""
    url = f"sqlite://{folder / 'plenum.sqlite3'}"
    with override_settings(STORE_URL=url), use_table(connect(url)):
        yield


@pytest.fixture(scope="module")
def port(folder) -> Iterator[int]:
    url = f"sqlite://{folder / 'plenum.sqlite3'}"
    connect(url).create()
    with override_settings(STORE_URL=url), use_table(connect(url)):
        owner = accounts.make_owner("Owner", "owner@example.org", data.PASSWORD)
        data.open_election(owner, BOARD, [each.name for each in data.add_people(VOTERS + OTHERS)])
    with served(ROOT, folder) as server:
        yield server.port


def signed_in(first: int, end: int) -> list[Person]:
    found = [users.find(f"Voter {number:06}") for number in range(first, end)]
    return [with_token(each) for each in data.sign_in(found)]


def with_token(person: Person, **changes: str) -> Person:
    """A form has a token of its own, by which one that is sent twice is known, and the secret of its ballot."""
    own = {"token": secrets.token_urlsafe(16), "secret": secrets.token_hex(16)}
    return replace(person, form=person.form | own | changes)


def sent(port: int, people: list[Person]) -> Outcome:
    return perform(port, [Visit(each.cookies, [Request(CAST, each.form)]) for each in people], CONCURRENT_VOTERS)


def answers(outcome: Outcome) -> Counter[str]:
    return Counter(str(each).partition("?")[0] for (each,) in outcome.answers.values())


def ranking_on(form: dict[str, str]) -> str:
    boxes = {name.removeprefix("rank-"): [rank] for name, rank in form.items() if name.startswith("rank-")}
    return ranking_from(boxes, data.candidates())


def rankings_of(people: list[Person]) -> list[str | None]:
    """What everybody's receipt would show."""
    standings = [services.standing_of(users.find(each.name), BOARD, secret=each.form["secret"]) for each in people]
    found = [repository.ballot_of(each) if each else None for each in standings]
    return [each.rankings if each else None for each in found]


@pytest.mark.deep
def test_every_acknowledged_ballot_is_there_as_it_was_sent(port, day):
    """Every third voter clicks twice, and so sends the same form again at once."""
    people = signed_in(0, VOTERS)
    clicks = [each for number, each in enumerate(people) for _ in range(2 if number % 3 == 0 else 1)]
    assert answers(sent(port, clicks)) == {DONE[0]: len(clicks)}
    assert rankings_of(people) == [ranking_on(each.form) for each in people]
    assert sum(1 for _ in repository.every_ballot(BOARD)) == turnout(BOARD).voted == VOTERS
    assert {voter.name for voter in rolls.every_voter(BOARD) if voter.voted} == {each.name for each in people}


@pytest.mark.deep
def test_forms_that_are_forged_or_of_strangers_leave_nothing(port, day):
    """Every voter's form with the wrong guard, without a session, or with a rank that is none."""
    people, before = signed_in(VOTERS, VOTERS + OTHERS), turnout(BOARD).voted
    forged = [with_token(each, csrfmiddlewaretoken="x" * 64) for each in people[:10]]
    nobody = {settings.SESSION_COOKIE_NAME: "nobody.at-all"}
    strangers = [replace(each, cookies=each.cookies | nobody) for each in people[10:20]]
    wrong = [with_token(each, **{"rank-0": "first"}) for each in people[20:]]
    found = answers(sent(port, forged + strangers + wrong))
    assert found == {"302 /election/Board/ballot/": 10, "302 /sign-in/": 10, "422": 10}
    assert rankings_of(people) == [None] * OTHERS
    assert sum(1 for _ in repository.every_ballot(BOARD)) == turnout(BOARD).voted == before
