"""Bad weather between the site and its store: a form sent until it is answered is one ballot, not two and not none."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from accounts import repository as people
from accounts.rules import Role
from ballots import services
from ballots.sealing import seal_closed
from elections import repository as elections
from elections import rolls
from elections.lifecycle.closing import close_ended_elections
from elections.rules import State
from elections.turnout.counts import turnout
from foundation.acts.storage import table, use_table
from foundation.store import keys
from foundation.store.table import Conflict, Unavailable
from tests.chaos import Chaos
from tests.seeds import seed

from .caster import Plan, perform, send
from .history import CARRIED_OUT, DONE, UNKNOWN, Act, flaws, left_behind

VOTERS = ("Eve", "Bob", "Kim")
WEATHER = {"conflicts": 0.1, "throttling": 0.05, "lost_replies": 0.15, "slowness": 0.1, "seconds": 0.002}


@pytest.fixture
def users(person):
    return [person(name, Role.VOTER) for name in VOTERS]


def found_wrong(name: str, acts: list[Act], users: list) -> list[str]:
    return flaws(acts, left_behind(table(), name, users))


def finish_closing() -> None:
    """As the worker does: again until it is done."""
    for _ in range(100):
        try:
            close_ended_elections()
            for mark in table().each(keys.SEALING):
                seal_closed(mark["election_name"])  # which leaves the boxes to be looked into
        except (Conflict, Unavailable):
            continue
        return


@pytest.mark.few(1)
@pytest.mark.parametrize("secret", [True, False])
def test_whatever_gets_lost_no_ballot_does_and_none_is_doubled(opened, users, secret):
    opened(*VOTERS, secret_ballot=secret)
    weather = Chaos(table(), Random(seed()), **WEATHER)
    acts = perform(Plan(VOTERS, clients=4, closing_after=60, stubborn=True), weather)
    with use_table(weather):
        finish_closing()
    answers = Counter(act.answer for act in acts if act.kind != "close")
    assert answers[UNKNOWN] == 0
    assert answers[DONE] > 10
    assert answers[CARRIED_OUT] > 3, "some were carried out, and only the second time anybody heard of it"
    assert found_wrong("Board", acts, users) == []


def test_a_close_whose_answers_are_lost_is_still_one_close(opened, users):
    for number in range(10):
        opened(*VOTERS, name=f"Board {number}")
        weather = Chaos(table(), Random(number), **WEATHER)
        plan = Plan(VOTERS, clients=0, closing_after=0, election=f"Board {number}")
        acts = [send(users[0], plan.election, f"form {number}"), *perform(plan, weather)]
        finish_closing()
        closed = elections.find(plan.election).stored_state == State.CLOSED
        assert closed or acts[-1].answer == UNKNOWN
        assert found_wrong(plan.election, acts, users) == []


@pytest.mark.few(1)
@pytest.mark.parametrize("secret", [True, False])
def test_a_page_sent_again_until_it_answers_is_one_ballot(site, opened, signed_in, person, secret):
    """Through the pages, whose sessions and forms lie in the same store."""
    opened("Eve", secret_ballot=secret)
    browser = signed_in(person("Eve", Role.VOTER))
    browser.raise_request_exception = False
    weather = Chaos(site, Random(7), **WEATHER)
    statuses: Counter[int] = Counter()
    for number in range(12):
        form = {"token": f"form {number}", "acts": "0", "rank-0": "1", "rank-1": f"{1 + number % 3}"}
        if secret:
            form["secret"] = "5" * 32
        pages = "change" if secret and number else "ballot"
        address = f"/election/Board/{pages}/{'withdraw' if number % 4 == 3 else 'cast'}/"
        statuses.update(_until_it_answers(browser, weather, address, form))
    assert (statuses[200], statuses[302]) == (9, 3)
    assert statuses[503] > 2, "there was bad weather"
    (voter,) = rolls.every_voter("Board")
    cast = [event for event in site.each(keys.events()) if event["event_type"].startswith("Ballot")]
    assert len(cast) == 12
    assert services.voter_context(people.find("Eve"), "Board").revision == (1 if secret else 12)
    assert voter.voted == secret
    assert turnout("Board").voted == 0


def test_a_ballot_cast_just_after_a_change_found_none_does_not_make_that_change_look_refused(
    client, opened, person, monkeypatch
):
    """The page once read the ballot again after the refusal, found one, and called the election closed."""
    opened("Eve", secret_ballot=True)
    eve, secret, ranks = person("Eve", Role.VOTER), "5" * 32, {"0": ["1"]}
    cast = services.cast

    def cast_just_after(*arguments, **options):
        try:
            return cast(*arguments, **options)
        finally:
            cast(eve, "Board", ranks, "from the other device", secret=secret)

    monkeypatch.setattr(services, "cast", cast_just_after)
    change = {"token": "change", "acts": "0", "secret": secret, "rank-1": "1"}
    assert client.post("/election/Board/change/cast/", change).status_code == 404


def _until_it_answers(browser, weather, address, form):
    """The statuses of every answer, the last of which is not an apology."""
    statuses = []
    while not statuses or statuses[-1] in (409, 503):
        with use_table(weather):
            statuses.append(browser.post(address, form).status_code)
    return statuses
