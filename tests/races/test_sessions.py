"""Races in live sessions: of hosts, of players, and of those who ask and upvote questions."""

from __future__ import annotations

from functools import partial

import pytest

from foundation.qa import store
from foundation.qa.rules import Fate, Mode
from foundation.store import keys
from parts.live import clock, repository, room_questions, seats
from parts.live.moderation import QaAction, QaQuestion
from parts.live.rules import Step
from parts.live.services import answering, deleting, moving, seating
from tests.live.conftest import drive, seated
from tests.live.qa.conftest import qa_of, send, upvote
from tests.live.test_joining import joined

from .overtaken import lost, overtaken_by
from .test_voting import events


def test_of_two_hosts_one_takes_the_step(session):
    game = session()
    version = repository.read_state(game.id).version
    lost(*[partial(moving.drive, game.id, "Hana", Step.NEXT, version)] * 2)
    assert repository.read_state(game.id).version == version + 1


def test_an_answer_that_is_written_after_the_round_has_ended_does_not_count(session):
    game = session()
    (ada,) = seated(game, "Ada")
    before, at = drive(game, Step.NEXT), clock.now()
    drive(game, Step.CLOSE)
    assert answering.submit(game, before, ada, [0], at) == answering.AnswerStatus.LATE
    assert repository.read_receipts(game.id, before.round, before.phase) == []


def test_a_session_is_deleted_once(session):
    game = session()
    drive(game, Step.END)
    lost(*[partial(deleting.delete, game.id, "Hana")] * 2, touching=keys.game(game.id))
    assert len(events("LiveSessionDeleted")) == 1


def test_one_name_is_one_seat(session):
    game = session()
    lost(partial(joined, game, "ADA"), to=partial(joined, game, "Ada"))
    assert [seat.name for seat in seats.read_seats(game.id)] == ["Ada"]


def test_one_form_is_one_seat(session):
    game, form = session(), "a" * 32
    with overtaken_by(partial(joined, game, "Ada", form)):
        joined(game, "Ada", form)
    assert len(list(seats.read_seats(game.id))) == 1


def test_a_player_is_removed_once_and_not_renamed_after(session):
    game = session()
    seated(game, "Ada", "Ben")
    lost(*[partial(seating.remove, game.id, "ada", "Hana")] * 2)
    lost(partial(seating.rename, game.id, "ben", "Hana", "Cem"), to=partial(seating.remove, game.id, "ben", "Hana"))
    assert not [seat for seat in seats.read_seats(game.id) if not seat.removed]


# --- questions from the hall ---


@pytest.fixture
def asked(session):
    """A session in which Ada has asked something; it, and what Ben may upvote."""
    game = session()
    room_questions.set_up(game.id, "Hana", is_on=True, mode=Mode.OPEN)
    ada, ben = seated(game, "Ada", "Ben")
    return game, ben, send(game, ada, "Why?")


def upvotes(game) -> dict[str, int]:
    return store.read_upvotes(room_questions.board(game.id))


def test_two_presses_upvote_once(asked):
    game, ben, question = asked
    with overtaken_by(partial(upvote, game, ben, question)):
        assert not upvote(game, ben, question)
    assert upvotes(game) == {question.id: 1}


def test_two_presses_take_back_once(asked):
    game, ben, question = asked
    upvote(game, ben, question)
    with overtaken_by(partial(upvote, game, ben, question, on=False)):
        assert not upvote(game, ben, question, on=False)
    assert upvotes(game) in ({}, {question.id: 0})


def test_one_question_sent_twice_is_one(asked):
    game, ben, _question = asked
    with overtaken_by(partial(send, game, ben, "When?")):
        send(game, ben, "When?")
    assert sorted(each.text for each in room_questions.read_questions(game.id)) == ["When?", "Why?"]
    assert qa_of(game).sent == 2


def moderated(game, question: QaQuestion) -> QaQuestion:
    return next(each for each in room_questions.read_questions(game.id) if each.id == question.id)


def test_of_two_hosts_who_moderate_a_question_the_second_changes_what_the_first_left(asked):
    game, _ben, question = asked
    act = partial(room_questions.moderate, game.id, question.id, "Hana")
    with overtaken_by(partial(act, QaAction.ANSWER, "Because.")):
        act(QaAction.HIDE)
    now = moderated(game, question)
    assert (now.fate, now.answer) == (Fate.HIDDEN, "Because.")
    assert [len(events(f"LiveQuestion{what}")) for what in ("Answered", "Hidden")] == [1, 1]


def test_a_question_that_one_host_has_hidden_is_not_put_up_by_another(asked):
    game, _ben, question = asked
    act = partial(room_questions.moderate, game.id, question.id, "Hana")
    lost(partial(act, QaAction.PUT_UP), to=partial(act, QaAction.HIDE))
    assert (moderated(game, question).fate, qa_of(game).on_screen) == (Fate.HIDDEN, "")


def test_what_one_host_has_put_up_another_does_not_take_down_by_moderating(asked):
    game, ben, question = asked
    other = send(game, ben, "When?")
    with overtaken_by(partial(room_questions.moderate, game.id, other.id, "Hana", QaAction.PUT_UP)):
        room_questions.moderate(game.id, question.id, "Hana", QaAction.ANSWER, "Because.")
    assert qa_of(game).on_screen == other.id
