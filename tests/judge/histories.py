"""Many act at once while somebody closes: some order of their acts explains what each was told, and what is left."""

from __future__ import annotations

import threading
from collections import Counter
from contextlib import suppress
from functools import partial
from random import Random

import pytest

from foundation.acts.refusals import LostRace, NotNow
from foundation.acts.storage import table, use_table
from foundation.store.table import Conflict, Unavailable
from parts.live.services import making
from parts.polls import repository as polls
from parts.polls import services as polling
from parts.polls.voters import id_of
from parts.questions.question import Type
from tests.at_once import at_once
from tests.ballots.caster import perform
from tests.ballots.history import CLOSED, DONE
from tests.ballots.test_linearizable import KINDS, PROCESSES, casters
from tests.chaos import Chaos
from tests.live.conftest import IDEAS, seated
from tests.live.crowd import UNKNOWN, play_all
from tests.live.test_histories import NAMES, all_flaws, host, paid_once
from tests.polls.conftest import by_ida, made, ranks  # noqa: F401 - a fixture

HISTORY_SECONDS = 30
NO_ANSWER = (Conflict, Unavailable, LostRace)


def check_that_they_met(acts) -> None:
    answers = Counter(act.answer for act in acts)
    assert answers[DONE] > 5, answers
    assert answers[CLOSED] > 3, answers


@pytest.mark.parametrize("kind", KINDS)
def test_what_threads_do_in_an_election_some_order_explains(rush, kind):
    board = rush(kind)
    acts = perform(board.plan(clients=6, seconds=HISTORY_SECONDS, organisers=1, closing_after=30, stubborn=True))
    check_that_they_met(acts)
    assert board.flaws(acts) == []
    assert [act.answer for act in acts if act.kind == "close"] == [DONE]


def test_what_processes_do_in_an_election_some_order_explains(rush, settings):
    board = rush("secret")
    shares = [
        board.plan(clients=2, seconds=HISTORY_SECONDS, first=2 * n, organisers=n % 2, closing_after=None if n else 15)
        for n in range(PROCESSES)
    ]
    with casters(STORE_URL=settings.STORE_URL, SECRET_KEY=settings.SECRET_KEY) as perform_together:
        acts = perform_together(shares)
    check_that_they_met(acts)
    assert board.flaws(acts) == []


def test_what_voters_of_a_poll_were_told_last_is_what_counts(made):  # noqa: F811
    """Every browser votes again and again until the poll is closed; each is alone with its vote."""
    poll = made()
    over = threading.Event()

    def voting(number: int) -> list[tuple[str, str]]:
        chance, said = Random(number), []
        while True:
            ranking = ">".join(chance.sample([each.name for each in poll.candidates], 3))
            try:
                polling.cast(poll.id, id_of(poll.id, f"voter {number}"), ranks(poll, ranking), f"{number} {len(said)}")
            except NotNow:
                return said
            except NO_ANSWER:
                said.append((ranking, "unknown"))
            else:
                said.append((ranking, "counted"))
            if len(said) == 4:
                over.set()

    def close() -> None:
        over.wait(timeout=HISTORY_SECONDS)
        while polls.find(poll.id).closed_at is None:
            with suppress(*NO_ANSWER):
                polling.close(by_ida(poll))

    _, *told = at_once(close, *(partial(voting, number) for number in range(6)))
    assert [each for each in told if isinstance(each, Exception)] == []
    stored = Counter(item["rankings"] for item in polls.each_vote(polls.find(poll.id)))
    assert sum(stored.values()) == polls.with_gates(poll.id)[1] == 6, "everybody has one vote"
    numbers = {each.name: str(each.number) for each in poll.candidates}
    for said in told:
        last = max(index for index, (_, answer) in enumerate(said) if answer == "counted")
        possible = [">".join(numbers[name] for name in ranking.split(">")) for ranking, _ in said[last:]]
        assert any(stored[each] for each in possible)


def test_what_is_told_in_a_live_session_in_bad_weather_is_what_counts(site, person):
    game = making.make(person("Hana"), Type.CALL_AND_ANSWER, IDEAS * 2, title="Friday")
    seated(game, *NAMES)
    weather = Chaos(table(), Random(17), conflicts=0.1, throttling=0.05, lost_replies=0.1)

    def drive() -> None:
        with use_table(weather):
            host(game, 2, enough=6)

    driving = threading.Thread(target=drive)
    driving.start()
    acts = play_all(game, [name.lower() for name in NAMES], weather)
    driving.join()
    assert Counter(act.told for act in acts)[UNKNOWN] > 0
    assert all_flaws(game, acts) == []
    assert paid_once(game)
