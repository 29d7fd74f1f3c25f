"""An assembly from its first item to its end: what is talked about, what is voted on, and what it takes."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import pytest

from foundation.acts.refusals import NotNow
from foundation.store import keys
from foundation.store.log import EventLog
from parts.live import clock, repository, rounds, seats, steps
from parts.live.rules import Phase, Step
from parts.live.services import correcting, moving, seating
from parts.live.services.answering import AnswerStatus
from parts.questions.question import Kind, Question, Type
from tests.background import finish_background
from tests.live.conftest import drive, give, seated


def events(site, kind: str) -> list[dict]:
    return [each["event_data"] for each in EventLog(site).since(0) if each["event_type"] == kind]


def call(game, place: int):
    return moving.drive(game.id, "Hana", Step.NEXT, repository.read_state(game.id).version, place)


def sealed(game) -> rounds.Round:
    return rounds.round_from_parts(repository.round_items(game.id, repository.read_state(game.id).round))


def vote(game, **said: str):
    """The item at hand put to the vote, and what each says."""
    drive(game, Step.VOTE)
    for name, words in said.items():
        assert give(game, seats.find(game.id, name), words) == AnswerStatus.COUNTED
    drive(game, Step.CLOSE)
    return sealed(game)


@pytest.fixture
def assembly(made):
    game = made(Type.ASSEMBLY, entitled=10, quorum="1/4")
    seated(game, "Ada", "Ben", "Cem", "Dan")
    return game


def test_a_topic_is_talked_about_and_closed_without_a_vote(site, assembly):
    state = drive(assembly, Step.NEXT)
    assert state.phase == Phase.SHOWN
    assert Step.VOTE not in steps.offered(assembly, state)
    assert give(assembly, seats.find(assembly.id, "ada"), "yes") == AnswerStatus.NOT_OPEN
    state = drive(assembly, Step.CLOSE)
    assert (state.phase, state.revealed) == (Phase.RESULTS, True)
    assert sealed(assembly).result["outcome"] == "talked"
    assert sealed(assembly).result["present"] == ["ada", "ben", "cem", "dan"]


def test_an_open_vote_keeps_who_voted_how_and_who_was_there(site, assembly):
    call(assembly, 1)
    round_ = vote(assembly, ada="yes", ben="no", cem="abstain")
    assert round_.result["outcome"] == "lost", "Half of the votes is no majority."
    assert {each.player: each.value for each in round_.entries} == {"ada": "yes", "ben": "no", "cem": "abstain"}
    assert (round_.result["yes"], round_.result["no"], round_.result["abstain"]) == (1, 1, 1)
    assert round_.result["present"] == ["ada", "ben", "cem", "dan"], "Who is there and says nothing is there."
    (event,) = events(site, "LiveRoundSealed")
    assert (event["present_count"], event["entitled"], event["quorum"], event["quorate"]) == (4, 10, "1/4", True)
    opened = [each for each in events(site, "LiveSessionMoved") if each["step"] == "vote"]
    assert [each["present_count"] for each in opened] == [4]


def test_a_secret_vote_keeps_receipts_and_nobody(site, assembly):
    call(assembly, 2)
    round_ = vote(assembly, ada="0", ben="0", cem="1", dan="abstain")
    assert round_.result["outcome"] == "elected"
    assert {each.player for each in round_.entries} == {""}
    assert sorted(each.receipt for each in round_.entries) == [each.receipt for each in round_.entries]
    assert repository.read_salt(assembly.id, 1) is None
    finish_background("empty live round")
    assert not repository.read_votes(assembly.id, 1), "What was given is removed."


def test_a_secret_vote_of_two_is_not_opened(made):
    game = made(Type.ASSEMBLY)
    seated(game, "Ada", "Ben")
    call(game, 2)
    with pytest.raises(NotNow, match="at least 3"):
        drive(game, Step.VOTE)


def test_amendments_are_ranked_and_the_best_has_to_beat_no_change(site, assembly):
    call(assembly, 3)
    assert vote(assembly, ada="1>0>2", ben="1>2>0", cem="2>1>0").result["outcome"] == "carried"
    drive(assembly, Step.REPEAT)
    result = vote(assembly, ada="1>0>2", ben="2>1>0", cem="2>0>1", dan="1>2").result
    assert (result["winners"], result["outcome"]) == ([1, 2], "lost"), "Nothing changes where no change is as good."


def test_who_leaves_between_two_votes_is_there_at_the_first_alone(site, assembly):
    call(assembly, 1)
    assert "dan" in vote(assembly, ada="yes").result["present"]
    dan = seats.find(assembly.id, "dan")
    site.write(*seats.change(assembly, dan, replace(dan, left=True)))
    drive(assembly, Step.REPEAT)
    assert "dan" not in vote(assembly, ada="yes").result["present"]


def test_without_its_quorum_an_assembly_decides_nothing(made):
    game = made(Type.ASSEMBLY, entitled=9, quorum=">1/2")
    seated(game, "Ada", "Ben", "Cem", "Dan")
    call(game, 1)
    result = vote(game, ada="yes", ben="yes", cem="yes").result
    assert (result["quorate"], result["outcome"], result["yes"]) == (False, "invalid", 3)


# --- the edges from the ballot to the outcome; where each rule is from, tests/tally/test_majorities.py says ---

ENTITLED = 12
EDGES = [
    # majority, yes, no, abstain, there and silent, outcome, needed, of, why
    ("1/2 cast", 3, 3, 0, 2, "lost", 4, 6, "exactly half"),
    ("1/2 cast", 4, 3, 1, 0, "carried", 4, 7, "one more than half; who abstains has cast no vote"),
    ("1/2 cast", 1, 0, 7, 2, "carried", 1, 1, "one votes and all others abstain or are silent"),
    ("1/2 cast", 0, 0, 5, 0, "lost", 1, 0, "everybody abstains"),
    ("1/2 cast", 0, 0, 0, 6, "lost", 1, 0, "nobody votes"),
    ("2/3 cast", 4, 2, 3, 0, "carried", 4, 6, "exactly two thirds"),
    ("2/3 cast", 5, 3, 0, 0, "lost", 6, 8, "less"),
    ("4/5 cast", 4, 1, 0, 0, "carried", 4, 5, "exactly four fifths"),
    ("4/5 cast", 7, 2, 0, 0, "lost", 8, 9, "less"),
    ("1/2 present", 5, 0, 0, 5, "lost", 6, 10, "half of those present are silent"),
    ("1/2 present", 5, 0, 0, 4, "carried", 5, 9, "one of them has left since the vote before"),
    ("1/2 present", 5, 0, 5, 0, "lost", 6, 10, "to abstain has the effect of a no"),
    ("2/3 present", 6, 1, 1, 1, "carried", 6, 9, "exactly two thirds of those present"),
    ("1/2 entitled", 6, 0, 0, 0, "lost", 7, 12, "half of all, although everybody there says yes"),
    ("1/2 entitled", 7, 0, 0, 0, "carried", 7, 12, "one more"),
    ("2/3 entitled", 8, 0, 0, 0, "carried", 8, 12, "exactly two thirds of all"),
    ("2/3 entitled", 7, 0, 0, 0, "lost", 8, 12, "one less"),
    ("4/5 entitled", 9, 0, 0, 0, "lost", 10, 12, "9 of 12 is less than 9.6"),
    ("4/5 entitled", 10, 2, 0, 0, "carried", 10, 12, "10 of 12 is more"),
]


@pytest.mark.deep
def test_majorities_are_exact_from_the_ballot_to_the_outcome(site, made):
    """In one assembly, in which people come and go between two votes: open and secret votes in turn."""
    items = [
        Question(row[-1], Kind.MOTION, majority=row[0], secret=bool(at % 2) and sum(row[1:4]) >= 3, seconds=0)
        for at, row in enumerate(EDGES)
    ]
    game = made(Type.ASSEMBLY, items, entitled=ENTITLED)
    people = seated(game, *(f"P{number}" for number in range(ENTITLED)))
    for place, (_majority, yes, no, abstain, silent, outcome, needed, of, why) in enumerate(EDGES):
        said = ["yes"] * yes + ["no"] * no + ["abstain"] * abstain
        present(site, game, people, len(said) + silent)
        call(game, place)
        drive(game, Step.VOTE)
        for person, words in zip(people, said, strict=False):
            assert give(game, person, words) == AnswerStatus.COUNTED
        drive(game, Step.CLOSE)
        result = sealed(game).result
        assert (result["outcome"], result["needed"], result["of"]) == (outcome, needed, of), why
        assert (result["yes"], result["no"], result["abstain"]) == (yes, no, abstain), why
        assert result["present"] == sorted(each.player for each in people[: len(said) + silent]), why


def present(site, game, people, number: int) -> None:
    """So many are there; the others have left."""
    for at, person in enumerate(people):
        seat = seats.find(game.id, person.player)
        if seat.left != (at >= number):
            site.write(*seats.change(game, seat, replace(seat, left=at >= number)))


QUORUMS = [
    ("", 1, "carried", "nothing is asked"),
    ("6", 6, "carried", "exactly as many as it takes"),
    ("6", 5, "invalid", "one has left: what is decided without a quorum is null and void, Robert's Rules 40:6"),
    ("1/2", 6, "carried", "at least half"),
    (">1/2", 6, "invalid", "half is not more than half, Robert's Rules 3:3"),
    (">1/2", 7, "carried", "one more"),
    ("1/4", 3, "carried", "exactly a quarter"),
    ("1/3", 3, "invalid", "a third of 12 is 4"),
]


def test_a_quorum_is_exact_and_counted_when_the_vote_is_closed(site, made):
    for quorum, number, outcome, why in QUORUMS:
        game = made(Type.ASSEMBLY, [Question("Yes?", Kind.MOTION, seconds=0)], entitled=ENTITLED, quorum=quorum)
        people = seated(game, *(f"P{each}" for each in range(7)))
        drive(game, Step.NEXT)
        drive(game, Step.VOTE)
        assert give(game, people[0], "yes") == AnswerStatus.COUNTED
        present(site, game, people, number)  # the others leave while the vote is open
        drive(game, Step.CLOSE)
        assert sealed(game).result["outcome"] == outcome, why


@pytest.mark.parametrize("item", [1, 2], ids=["open", "secret"])
def test_who_leaves_during_a_vote_was_there_whether_they_voted_or_not(assembly, item, monkeypatch):
    """Otherwise the record of a secret vote would tell who of those who left had voted."""
    ticks = count(clock.now())
    monkeypatch.setattr(clock, "now", lambda: next(ticks))
    seated(assembly, "Eva")
    seating.check_out(assembly.id, "eva", "Hana")
    call(assembly, item)
    drive(assembly, Step.VOTE)
    people = {each.player: each for each in seats.read_seats(assembly.id)}
    for player in ("ada", "ben", "cem"):
        give(assembly, people[player], "0" if item == 2 else "yes")
    for player in ("cem", "dan"):
        seating.check_out(assembly.id, player, "Hana")
    drive(assembly, Step.CLOSE)
    assert sealed(assembly).result["present"] == ["ada", "ben", "cem", "dan"]


def test_who_leaves_while_an_item_is_talked_about_was_not_there(assembly):
    call(assembly, 0)
    seating.check_out(assembly.id, "cem", "Hana")
    drive(assembly, Step.CLOSE)
    assert "cem" not in sealed(assembly).result["present"]


def test_a_vote_that_no_change_wins_tells_how_the_best_version_fared(assembly):
    call(assembly, 3)
    result = vote(assembly, ada="2>0>1", ben="2>0", cem="0>2").result
    assert (result["winners"], result["best"], result["outcome"]) == ([2], 0, "lost")
    assert (result["yes"], result["no"], result["abstain"]) == (1, 2, 0)


def test_the_agenda_grows_while_the_assembly_runs(site, assembly):
    drive(assembly, Step.NEXT)
    place = correcting.add(assembly.id, "Hana", Question("One more", Kind.MOTION, seconds=0))
    assert place == 5
    assert repository.read_questions(assembly.id)[place].title == "One more"
    drive(assembly, Step.CLOSE)
    assert call(assembly, place).question == place
    drive(assembly, Step.CLOSE)
    assert drive(assembly, Step.NEXT).question == 1, "The first that was never called."
    with pytest.raises(NotNow):
        correcting.add(assembly.id, "Hana", Question("A text"))


def test_what_is_talked_about_at_the_end_is_closed_without_a_vote(assembly):
    call(assembly, 1)
    assert drive(assembly, Step.END).phase == Phase.ENDED
    assert rounds.round_from_parts(repository.round_items(assembly.id, 1)).result["outcome"] == "talked"
    assert not list(repository.table().each(keys.shards_of_game(assembly.id, "VOTE#")[0]))
