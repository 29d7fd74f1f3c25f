"""A round is closed once: one thread of one process reads what was given, and everybody else waits for it."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from foundation.acts.storage import SITE
from foundation.store.table import Unavailable
from parts.live import clock, repository, rules
from parts.live.rules import Game, Phase, State, Step
from parts.live.screens import snapshots
from parts.live.services import closing
from parts.live.services.answering import AnswerStatus
from parts.questions.question import Type
from tests.live.conftest import drive, give, seated


@pytest.fixture
def reading(monkeypatch) -> Callable[..., list[int]]:
    """Counts how often all answers of a round are read, and does something meanwhile."""
    usual, read = repository.read_answers, list[int]()

    def watched(meanwhile: Callable[[], None] = lambda: None) -> list[int]:
        def answers(game_id: str, round_: int):
            read.append(round_)
            if len(read) == 1:
                meanwhile()
            return usual(game_id, round_)

        monkeypatch.setattr(repository, "read_answers", answers)
        return read

    return watched


@pytest.fixture
def asked(made, monkeypatch) -> tuple[Game, State]:
    """One question, to which somebody has answered. Nobody is taken for dead, however slow the machine is."""
    monkeypatch.setattr(rules, "MAX_CLOSING_MS", 600_000)
    game = made(Type.TRIVIA)
    (ada,) = seated(game, "Ada")
    state = drive(game, Step.NEXT)
    give(game, ada, [0])
    return game, state


def test_whoever_comes_while_a_round_is_closed_has_what_comes_of_it(asked, reading):
    game, state = asked
    results: list[State] = []
    others = [
        threading.Thread(target=lambda: results.append(closing.close(game, state, SITE))),  # of this process
        threading.Thread(target=lambda: results.append(closing._closed(game, state, SITE))),  # of another one
    ]

    def come() -> None:
        begun = repository.read_state(game.id)
        others.append(threading.Thread(target=lambda: results.append(closing._closed(game, begun, SITE))))
        for each in others:
            each.start()

    read = reading(come)
    after = closing.close(game, state, "Hana")
    for each in others:
        each.join()
    assert read == [1]
    assert after.phase == Phase.RESULTS
    assert results == [after] * 3


def test_an_answer_that_comes_while_a_round_is_closed_does_not_close_it_again(site, asked, reading):
    game, _state = asked
    (ben,) = seated(game, "Ben")
    told: list[AnswerStatus] = []
    late = threading.Thread(target=lambda: told.append(give(game, ben, [0])))

    def answer() -> None:
        assert repository.read_state(game.id).closing
        late.start()

    read = reading(answer)
    drive(game, Step.CLOSE)
    late.join()
    assert read == [1]
    heard = repository.read_receipts(game.id, 1, Phase.QUESTION)
    assert told == [AnswerStatus.COUNTED if len(heard) == 2 else AnswerStatus.LATE] or told == [AnswerStatus.NOT_OPEN]


def test_a_look_leaves_a_round_to_whoever_closes_it(site, asked, reading):
    game, state = asked
    site.write(repository.closing(game, state, clock.now()))
    read = reading()
    assert snapshots.current(game.id).state.phase == Phase.QUESTION
    assert read == []


def test_somebody_else_closes_it_if_whoever_began_is_never_heard_of_again(site, asked, monkeypatch):
    """Even if their clock is ahead of ours."""
    game, state = asked
    monkeypatch.setattr(rules, "MAX_CLOSING_MS", 10)
    monkeypatch.setattr(closing, "POLL_SECONDS", 0.001)
    site.write(repository.closing(game, state, clock.now() + 3_600_000))
    assert closing.close(game, state, "Hana").phase == Phase.RESULTS


def test_nobody_waits_for_an_attempt_that_has_failed(asked, monkeypatch):
    game, state = asked

    def fails(*_words):
        raise Unavailable("The store is away.")

    with monkeypatch.context() as patch:
        patch.setattr(repository, "round_writing", fails)
        with pytest.raises(Unavailable):
            closing.close(game, state, "Hana")
    there = repository.read_state(game.id)
    assert (there.phase, there.closing) == (Phase.QUESTION, closing.LONG_AGO)
    monkeypatch.setattr(closing.time, "sleep", fails)
    assert closing.close(game, there, "Hana").phase == Phase.RESULTS
