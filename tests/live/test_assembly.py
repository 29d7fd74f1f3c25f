"""An assembly from its first item to its end: what is talked about, what is voted on, and what it takes."""

from __future__ import annotations

import pytest

from live import counting, repository, rules, seats
from live.questions import Kind, Question, Type
from live.rules import Phase, Step
from live.services import agenda, joining, moving
from live.services.answering import Told
from store import keys
from store.log import EventLog
from tests.live.conftest import drive, give, seated


def events(site, kind: str) -> list[dict]:
    return [each["event_data"] for each in EventLog(site).since(0) if each["event_type"] == kind]


def call(game, place: int):
    return moving.drive(game.id, "Hana", Step.NEXT, repository.state(game.id).version, place)


def sealed(game) -> counting.Round:
    return counting.round_of(repository.round_items(game.id, repository.state(game.id).round))


def vote(game, **said: str):
    """The item at hand put to the vote, and what each says."""
    drive(game, Step.VOTE)
    for name, words in said.items():
        assert give(game, seats.find(game.id, name), words) == Told.COUNTED
    drive(game, Step.CLOSE)
    return sealed(game)


@pytest.fixture
def assembly(made):
    game = made(Type.ASSEMBLY, entitled=10, quorum="1/4")
    seated(game, "Ada", "Ben", "Cem", "Dan")
    return game


def test_a_topic_is_talked_about_and_closed_without_a_vote(site, assembly):
    state = drive(assembly, Step.NEXT)
    assert state.phase == Phase.TALKING
    assert Step.VOTE not in rules.offered(assembly, state)
    assert give(assembly, seats.find(assembly.id, "ada"), "yes") == Told.NOT_OPEN
    state = drive(assembly, Step.CLOSE)
    assert (state.phase, state.revealed) == (Phase.RESULTS, True)
    assert sealed(assembly).result["outcome"] == "talked"
    assert sealed(assembly).result["present"] == ["ada", "ben", "cem", "dan"]


def test_an_open_vote_keeps_who_voted_how_and_who_was_there(site, assembly):
    call(assembly, 1)
    round_ = vote(assembly, ada="yes", ben="no", cem="abstain")
    assert round_.result["outcome"] == "lost", "Half of the votes is no majority."
    assert {each.player: each.said for each in round_.entries} == {"ada": "yes", "ben": "no", "cem": "abstain"}
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
    assert repository.salt(assembly.id, 1) is None
    assert not repository.votes(assembly.id, 1), "What was given is removed."


def test_a_secret_vote_of_two_is_not_opened(made):
    game = made(Type.ASSEMBLY)
    seated(game, "Ada", "Ben")
    call(game, 2)
    with pytest.raises(rules.NotNow, match="at least 3"):
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
    site.write(*seats.change(assembly, dan, joining.replace(dan, left=True)))
    drive(assembly, Step.REPEAT)
    assert "dan" not in vote(assembly, ada="yes").result["present"]


def test_without_its_quorum_an_assembly_decides_nothing(made):
    game = made(Type.ASSEMBLY, entitled=9, quorum=">1/2")
    seated(game, "Ada", "Ben", "Cem", "Dan")
    call(game, 1)
    result = vote(game, ada="yes", ben="yes", cem="yes").result
    assert (result["quorate"], result["outcome"], result["yes"]) == (False, "invalid", 3)


def test_the_agenda_grows_while_the_assembly_runs(site, assembly):
    drive(assembly, Step.NEXT)
    place = agenda.add(assembly.id, "Hana", Question("One more", Kind.MOTION, seconds=0))
    assert place == 5
    assert repository.questions(assembly.id)[place].title == "One more"
    drive(assembly, Step.CLOSE)
    assert call(assembly, place).question == place
    drive(assembly, Step.CLOSE)
    assert drive(assembly, Step.NEXT).question == 1, "The first that was never called."
    with pytest.raises(agenda.NotAnItem):
        agenda.add(assembly.id, "Hana", Question("A text"))


def test_what_is_talked_about_at_the_end_is_closed_without_a_vote(assembly):
    call(assembly, 1)
    assert drive(assembly, Step.END).phase == Phase.ENDED
    assert counting.round_of(repository.round_items(assembly.id, 1)).result["outcome"] == "talked"
    assert not list(repository.table().each(keys.shards_of_game(assembly.id, "VOTE#")[0]))
