"""Robots play along: seated at the first look, the same in every process, and counted nowhere."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace

import pytest
from django.utils import translation

from foundation.acts.refusals import NotNow
from foundation.store import keys
from parts.live import clock, repository, rounds, seats, steps
from parts.live.plays import survey, trivia
from parts.live.plays.ranked_poll import random_ranking
from parts.live.plays.robot_texts import robot_sentences
from parts.live.rounds import GivenAnswer, may_be_shown
from parts.live.rules import Phase, Step
from parts.live.screens import robots, snapshots
from parts.live.screens.snapshots import SessionCache
from parts.questions.question import Kind, Question, Type
from tests.live.conftest import SURVEY, TRIVIA, drive, give, seated


def given(site, game, round_=1, votes=False):
    spans = keys.live_votes if votes else keys.live_answers
    return [item for span in spans(game.id, round_) for item in site.each(span)]


def test_robots_are_seated_at_the_first_look_and_once(made):
    game = made(Type.TRIVIA, debug_mode=5)
    (ada,) = seated(game, "Robot 2")
    snapshot = snapshots.current(game.id)
    assert sorted(seat.name for seat in snapshot.playing if seat.robot) == [
        "Robot 1",
        "Robot 2 (robot-0002)",
        "Robot 3",
        "Robot 4",
        "Robot 5",
    ]
    assert not snapshot.seats[ada.player].robot
    snapshots.SESSIONS.forget(game.id)
    assert len(snapshots.current(game.id).seats) == 6
    assert not robots.seat_all(game, {}), "they are there"


def test_robots_disagree_and_like_the_first_options_best():
    """Otherwise a rehearsal would never show a race."""
    question = Question("Where to?", Kind.RANKING, options=("Up", "Down", "Left", "Right"))
    rankings = [random_ranking(question, Random(seed)).split(">") for seed in range(200)]
    assert len({tuple(each) for each in rankings}) > 12
    firsts = [sum(each[0] == option for each in rankings) for option in "0123"]
    assert firsts == sorted(firsts, reverse=True)
    assert 70 < firsts[0] < 130
    assert all(sorted(each) == list("0123") for each in rankings)


def test_a_session_without_robots_has_none(made):
    assert snapshots.current(made(Type.TRIVIA).id).seats == {}


@pytest.mark.few(2)
@pytest.mark.parametrize("type_", list(Type))
def test_a_host_alone_plays_a_whole_session(made, time, type_):
    game = made(type_, debug_mode=5)
    snapshots.current(game.id)
    while (state := snapshots.current(game.id).state).phase != Phase.ENDED:
        if state.is_open:
            time.now = state.clock.began + clock.LEAD_MS + robots.MAX_ANSWER_MS
            assert snapshots.current(game.id, counts=True).answered == 5
            drive(game, Step.CLOSE)
            assert snapshots.current(game.id).round is None or snapshots.current(game.id).round.count == 5
        elif state.phase == Phase.SHOWN:
            drive(game, Step.VOTE if Step.VOTE in steps.offered(game, state) else Step.CLOSE)
        elif state.phase == Phase.RESULTS and not state.revealed:
            assert snapshots.current(game.id).round.count == 5
            drive(game, Step.REVEAL)
        else:
            drive(
                game,
                Step.NEXT if len(state.played) < (1 if type_ == Type.SURVEY else game.total_questions) else Step.END,
            )
    (past,), _cursor = repository.history("Hana", limit=5)
    assert (past.players, past.answers) == (0, 0), "robots are not counted in the history"


def test_robots_are_mostly_right_and_not_always():
    snapshot = SimpleNamespace(open_question=TRIVIA[1])
    chosen = [trivia.Trivia().robot_answer(snapshot, None, Random(number)) for number in range(100)]
    assert 50 < chosen.count([0, 1]) < 100


def test_beside_people_only_people_are_in_the_history(made, time):
    game = made(Type.POLL, debug_mode=5)
    (ada,) = seated(game, "Ada")
    snapshots.current(game.id)
    state = drive(game, Step.NEXT)
    time.now = state.clock.began + clock.LEAD_MS + robots.MAX_ANSWER_MS
    snapshots.current(game.id)
    give(game, ada, "0>1>2", at=time.now)
    drive(game, Step.CLOSE)
    assert rounds.round_from_parts(repository.round_items(game.id, 1)).count == 6
    drive(game, Step.END)
    (past,), _cursor = repository.history("Hana", limit=5)
    assert (past.players, past.answers) == (1, 1)


def test_each_robot_answers_at_its_moment_the_same_in_every_process(site, made, time, monkeypatch):
    game = made(Type.TRIVIA, debug_mode=5)
    snapshots.current(game.id)
    state = drive(game, Step.NEXT)
    seen = [seats.find(game.id, robots.player(number)) for number in range(1, 6)]
    moments = sorted(robots.moment(game, state, each) for each in seen)
    time.now = moments[2]
    snapshots.current(game.id)
    first = given(site, game)
    assert sorted(item["at"] for item in first) == moments[:3]
    monkeypatch.setattr(snapshots, "SESSIONS", SessionCache())
    snapshots.current(game.id)
    assert given(site, game) == first
    time.now = moments[-1]
    snapshots.current(game.id)
    assert len(given(site, game)) == 5


def test_robots_vote_for_others_answers(site, made, time):
    game = made(Type.CALL_AND_ANSWER, debug_mode=5)
    snapshots.current(game.id)
    for phase in (Phase.QUESTION, Phase.VOTING):
        state = drive(game, Step.NEXT if phase == Phase.QUESTION else Step.CLOSE)
        assert state.phase == phase
        time.now = state.clock.began + clock.LEAD_MS + robots.MAX_ANSWER_MS
        snapshots.current(game.id)
    assert len(given(site, game, votes=True)) == 5
    drive(game, Step.CLOSE)
    sealed = snapshots.current(game.id).round
    assert sealed.votes == 5
    assert sum(entry.points for entry in sealed.entries) > 0


def test_robots_speak_the_language_of_whoever_looks():
    assert len(set(robot_sentences())) == len(robot_sentences())
    with translation.override("en"):
        assert robots.name(3) == "Robot 3"


# --- nobody hides among robots ---


IDEAS = (Question("What next?", Kind.IDEAS, seconds=0),)
LOOKS = Question("Who chairs?", Kind.CHOICE, options=("Ines", "Jo"), secret=True, seconds=0)


@pytest.mark.few(4)
@pytest.mark.parametrize(("people", "told"), [(0, True), (1, False), (2, False), (3, True)])
@pytest.mark.parametrize(
    ("type_", "asked", "said"),
    [
        (Type.POLL, None, "2>1"),
        (Type.SURVEY, None, {"0": 5, "1": True, "2": [0], "3": "secret"}),
        (Type.POLL, IDEAS, ["secret"]),
    ],
    ids=["poll", "survey", "ideas"],
)
def test_what_few_people_say_is_not_told_however_many_robots_there_are(made, time, type_, asked, said, people, told):
    """What robots say can be worked out by anybody: what is left would be the people's."""
    game = made(type_, asked, debug_mode=5)
    found = seated(game, *("Ada", "Ben", "Cem")[:people])
    snapshots.current(game.id)
    state = drive(game, Step.NEXT)
    time.now = state.clock.began + clock.LEAD_MS + robots.MAX_ANSWER_MS
    snapshots.current(game.id)
    for seat in found:
        assert give(game, seat, said) == "counted"
    after = drive(game, Step.CLOSE)
    if asked == IDEAS and told:
        assert after.phase == Phase.SORTING
        return
    result = snapshots.current(game.id).round
    assert result.result.get("too_few", False) is not told
    assert bool(result.entries) is told


def test_a_question_of_a_survey_that_few_people_answered_is_not_told():
    """All of them sent something, but only two answered the second question."""
    robots_said = [GivenAnswer(f"r{n}", {"0": 3, "1": True}, 0, robot=True) for n in range(4)]
    people_said = [GivenAnswer(f"p{n}", {"0": 5, **({"1": False} if n < 2 else {})}, 0) for n in range(3)]
    told = survey.count(1, SURVEY[:2], [*robots_said, *people_said]).result["questions"]
    assert ["too_few" in each for each in told] == [False, True]
    assert [each["count"] for each in told] == [7, 6]


@pytest.mark.needs("assembly")
def test_a_secret_vote_needs_three_people_beside_robots(made, time):
    game = made(Type.ASSEMBLY, (LOOKS,), debug_mode=5)
    found = seated(game, "Ada", "Ben")
    snapshots.current(game.id)
    drive(game, Step.NEXT)
    with pytest.raises(NotNow, match="not counting robots"):
        drive(game, Step.VOTE)
    found += seated(game, "Cem")
    state = drive(game, Step.VOTE)
    time.now = state.clock.began + clock.LEAD_MS + robots.MAX_ANSWER_MS
    snapshots.current(game.id)
    for seat in found[:2]:
        give(game, seat, "0")
    drive(game, Step.CLOSE)
    assert snapshots.current(game.id).round.result["outcome"] == "too few"
    assert snapshots.current(game.id).round.entries == ()


@pytest.mark.parametrize(("answers", "by_robots", "told"), [(2, 0, False), (3, 0, True), (9, 7, False), (9, 6, True)])
def test_only_people_count_towards_what_is_told(answers, by_robots, told):
    assert may_be_shown(answers, by_robots) is told
