"""A session from its first question to its end, and the steps that two hosts take at once."""

from __future__ import annotations

import pytest

from foundation.acts.refusals import LostRace, NotNow
from foundation.store import keys
from foundation.store.log import EventLog
from foundation.store.table import Delete
from parts.live import clock, repository, rounds
from parts.live.plays import best_answer
from parts.live.rules import Phase, Step
from parts.live.services import closing, moving
from parts.live.services.answering import AnswerStatus
from parts.questions.question import Kind, Question, Type
from tests.background import finish_background
from tests.live.conftest import drive, give, seated


def events(site, kind: str) -> list[dict]:
    return [each["event_data"] for each in EventLog(site).since(0) if each["event_type"] == kind]


def test_a_trivia_session_pays_each_round_once(site, made):
    game = made(Type.TRIVIA)
    ada, ben = seated(game, "Ada", "Ben")
    drive(game, Step.NEXT)
    assert give(game, ada, [0]) == AnswerStatus.COUNTED
    assert give(game, ben, [0]) == AnswerStatus.COUNTED
    assert give(game, ben, [1]) == AnswerStatus.COUNTED, "The last one counts."
    state = drive(game, Step.CLOSE)
    assert (state.phase, state.revealed) == (Phase.RESULTS, False)
    assert give(game, ada, [1]) == AnswerStatus.NOT_OPEN
    sealed = rounds.round_from_parts(repository.round_items(game.id, 1))
    assert {each.player: each.points for each in sealed.entries} == {"ada": 1000, "ben": 0}
    (event,) = events(site, "LiveRoundSealed")
    assert (event["count"], event["digest"]) == (2, rounds.round_digest(sealed))
    drive(game, Step.REVEAL)
    assert drive(game, Step.NEXT).question == 1
    assert drive(game, Step.END).phase == Phase.ENDED
    assert len(events(site, "LiveRoundSealed")) == 2, "What is open at the end is closed first."
    (past,), _cursor = repository.history("Hana", limit=5)
    assert (past.players, past.rounds, past.answers) == (2, 2, 2)
    assert repository.read_code(game.code)["ended_at"] == past.ended_at


def test_answers_are_gathered_and_voted_on(made):
    game = made(Type.CALL_AND_ANSWER)
    ada, ben, cem = seated(game, "Ada", "Ben", "Cem")
    drive(game, Step.NEXT)
    for seat, text in ((ada, "A bus"), (ben, "A boat"), (cem, "A bike")):
        assert give(game, seat, text) == AnswerStatus.COUNTED
    assert drive(game, Step.CLOSE).phase == Phase.VOTING
    gathered = best_answer.read_gathered(game.id, 1)
    shown = gathered.shown_to("ada")
    assert {gathered.answers[number].text for number in shown} == {"A boat", "A bike"}
    boat = next(number for number in shown if gathered.answers[number].text == "A boat")
    assert give(game, ada, {"ranks": {str(boat): 1}, "shown": list(shown)}) == AnswerStatus.COUNTED
    assert drive(game, Step.CLOSE).phase == Phase.RESULTS
    sealed = rounds.round_from_parts(repository.round_items(game.id, 1))
    assert {each.player: each.points for each in sealed.entries} == {"ada": 0, "ben": 3, "cem": 0}


def test_two_answers_are_too_few_to_vote_on(made):
    game = made(Type.CALL_AND_ANSWER)
    ada, ben = seated(game, "Ada", "Ben")
    drive(game, Step.NEXT)
    give(game, ada, "A bus")
    give(game, ben, "A boat")
    assert drive(game, Step.CLOSE).phase == Phase.RESULTS


@pytest.mark.parametrize("type_", [Type.POLL, Type.SURVEY])
def test_nothing_leads_from_an_anonymous_answer_to_its_player(site, made, type_):
    game = made(type_)
    players = seated(game, "Ada", "Ben", "Cem")
    drive(game, Step.NEXT)
    said = "0>1>2" if type_ == Type.POLL else {"0": 4, "1": True, "3": "Thanks"}
    for seat in players:
        assert give(game, seat, said) == AnswerStatus.COUNTED
        assert give(game, seat, said) == AnswerStatus.COUNTED
    assert repository.read_salt(game.id, 1)
    drive(game, Step.CLOSE)
    sealed = rounds.round_from_parts(repository.round_items(game.id, 1))
    assert sealed.count == 3
    assert {each.player for each in sealed.entries} <= {""}
    assert repository.read_salt(game.id, 1) is None
    assert repository.read_answers(game.id, 1), "Nobody waits until they are removed."
    assert finish_background("empty live round") == 1
    assert repository.read_answers(game.id, 1) == []
    assert not repository.EMPTYING.unfinished()


def test_whoever_looks_after_the_end_closes_the_round(made, monkeypatch):
    game = made(Type.TRIVIA)
    (ada,) = seated(game, "Ada")
    state = drive(game, Step.NEXT)
    end = state.clock.end()
    assert give(game, ada, [0], at=end + clock.GRACE_MS) == AnswerStatus.COUNTED
    assert give(game, ada, [1], at=end + clock.GRACE_MS + 1) == AnswerStatus.LATE
    monkeypatch.setattr(clock, "now", lambda: end + clock.GRACE_MS + 1)
    assert closing.settled(game, state).phase == Phase.RESULTS
    assert rounds.round_from_parts(repository.round_items(game.id, 1)).entries[0].points == 1000


def test_a_step_names_the_version_it_leaves(made):
    game = made(Type.TRIVIA)
    seated(game, "Ada")
    version = repository.read_state(game.id).version
    moving.drive(game.id, "Hana", Step.NEXT, version)
    with pytest.raises(LostRace):
        moving.drive(game.id, "Hana", Step.NEXT, version)
    assert repository.read_state(game.id).round == 1


def test_a_closing_that_was_cut_short_is_gone_on_with(site, made):
    game = made(Type.TRIVIA)
    (ada,) = seated(game, "Ada")
    state = drive(game, Step.NEXT)
    give(game, ada, [0])
    site.write(repository.closing(game, state, closing.LONG_AGO))
    assert give(game, ada, [1]) in (AnswerStatus.COUNTED, AnswerStatus.LATE)
    assert repository.read_state(game.id).phase == Phase.RESULTS


def test_a_round_that_is_voided_or_repeated_does_not_count(made):
    game = made(Type.TRIVIA)
    (ada,) = seated(game, "Ada")
    drive(game, Step.NEXT)
    give(game, ada, [0])
    drive(game, Step.CLOSE)
    state = drive(game, Step.REPEAT)
    assert (state.round, state.question, state.voided) == (2, 0, (1,))
    state = drive(game, Step.VOID)
    assert (state.phase, state.voided) == (Phase.RESULTS, (1, 2))


def test_a_session_that_cannot_be_closed_is_not_waited_for(site, made, monkeypatch):
    """Whoever ends it is told, and a worker goes on with other sessions."""
    game = made(Type.POLL)
    seated(game, "Ada")
    drive(game, Step.NEXT)
    closes = []
    monkeypatch.setattr(closing, "close", lambda game, state, who: closes.append(who) or state)
    with pytest.raises(NotNow, match="could not be closed"):
        drive(game, Step.END)
    assert len(closes) == moving.MAX_CLOSE_ATTEMPTS


@pytest.mark.parametrize("step", [Step.END, Step.CLOSE])
def test_ideas_whose_order_is_lost_are_dropped_and_the_session_goes_on(site, made, step):
    """Once this was asked for again and again, for ever."""
    game = made(Type.POLL, (Question("What next?", Kind.IDEAS, seconds=0),))
    people = seated(game, "Ada", "Ben", "Cem")
    drive(game, Step.NEXT)
    for seat in people:
        give(game, seat, [f"{seat.name}'s idea"])
    assert drive(game, Step.CLOSE).phase == Phase.SORTING
    site.write(Delete(keys.sorted_ideas(game.id, 1)))
    after = drive(game, step)
    assert after.phase == (Phase.ENDED if step == Step.END else Phase.RESULTS)
    assert after.voided == (1,)
