"""A round that cannot be counted stops nothing: hosts are told, phones stay where they are, and every way out works."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from accounts import repository as people
from accounts.rules import Role
from foundation.acts.refusals import LostRace, NotNow
from foundation.store.limits import MAX_ITEM_BYTES
from foundation.store.table import Put
from parts.live import clock, repository, rules
from parts.live.play import play_named
from parts.live.plays.survey import Survey
from parts.live.plays.trivia import Trivia
from parts.live.rules import UNCOUNTABLE, Phase, Step
from parts.live.screens import snapshots
from parts.live.services import answering, deleting, moving
from parts.live.services.answering import AnswerStatus
from parts.questions.question import Type
from tests.clock import stands_at
from tests.live.conftest import drive, give, seated
from tests.live.test_hosting import address, shown, take
from tests.live.test_play import Phone

MESSAGE = str(UNCOUNTABLE)


def raises(play, closing):
    raise KeyError("an answer it did not foresee")


def writes_too_much(play, closing):
    game = closing.game
    large = repository.item_at(repository.keys.round_part(game.id, 9, 9), game, {"text": "x" * MAX_ITEM_BYTES})
    return replace(CLOSE(play, closing), writes=(Put(large),))


CLOSE = Trivia.close


@pytest.fixture
def broken(made, monkeypatch):
    """A session whose first question is open, is answered, and cannot be counted."""

    def make(type_: Type = Type.TRIVIA, fault=raises, play=Trivia, **chosen):
        game = made(type_, **chosen)
        seats = seated(game, "Ada", "Ben")
        drive(game, Step.NEXT)
        if play is Trivia:
            give(game, seats[0], [0])
        monkeypatch.setattr(play, "close", fault)
        return game

    return make


@pytest.fixture
def hana(made, signed_in) -> Client:
    return signed_in(people.find("Hana"))


@pytest.fixture
def failures(caplog):
    """The failures in the log."""
    return lambda: [each for each in caplog.records if each.getMessage() == "failure"]


def pass_its_time(monkeypatch, game) -> None:
    state = repository.read_state(game.id)
    later = state.clock.end(state.longest) + clock.GRACE_MS + 1
    monkeypatch.setattr(clock, "now", lambda: later)


@pytest.mark.parametrize("fault", [raises, writes_too_much])
def test_the_host_is_told_voids_it_and_goes_on(broken, hana, fault, monkeypatch):
    game = broken(fault=fault)
    take(hana, game, Step.CLOSE)
    for page in ("host_game", "remote"):
        assert MESSAGE in shown(hana, game, page)
        assert {"Void this round", "Try to count it again"} <= set(re.findall("[A-Z][a-z ]+", shown(hana, game, page)))
    take(hana, game, Step.VOID)
    assert MESSAGE not in shown(hana, game)
    monkeypatch.setattr(Trivia, "close", CLOSE)
    drive(game, Step.NEXT)
    give(game, seated(game, "Cem")[0], [0, 1])
    assert drive(game, Step.CLOSE).phase == Phase.RESULTS
    rounds = snapshots.current(game.id).rounds
    assert {number: [(each.player, each.points) for each in round_.entries] for number, round_ in rounds.items()} == {
        2: [("cem", 1000)]
    }, "Nobody has points from the round that was voided."


@pytest.mark.parametrize("is_known", [False, True])
@pytest.mark.parametrize(
    "leave",
    [
        lambda game: drive(game, Step.VOID),
        lambda game: drive(game, Step.REPEAT),
        lambda game: drive(game, Step.END),
        lambda game: deleting.delete(game.id, "Hana"),
    ],
    ids=["void", "repeat", "end", "delete"],
)
def test_every_way_out_works(broken, monkeypatch, leave, is_known):
    """Before anybody knows that the round cannot be counted, and after; time is up in both cases."""
    game = broken()
    pass_its_time(monkeypatch, game)
    if is_known:
        assert snapshots.current(game.id).state.is_uncountable
    leave(game)
    found = repository.find(game.id)
    assert found is None or (found[1].voided == (1,) and not found[1].closing)


def test_a_cohost_voids_it_and_a_moderator_ends_it(broken, signed_in, person):
    cleo, admin = signed_in(person("Cleo")), signed_in(person("an admin", Role.ADMIN))
    game, other = broken(hosts=("Cleo",)), broken()
    take(cleo, game, Step.CLOSE)
    assert MESSAGE in shown(cleo, game)
    take(cleo, game, Step.VOID)
    assert repository.read_state(game.id).phase == Phase.RESULTS
    take(admin, other, Step.END)
    assert repository.read_state(other.id).phase == Phase.ENDED


def test_other_steps_are_refused_with_the_reason(broken, hana):
    game = broken()
    for step in (Step.CLOSE, Step.PAUSE, Step.NEXT):
        with pytest.raises(NotNow, match=MESSAGE):
            drive(game, step)
    script = {"X-Requested-With": "fetch"}
    version = repository.read_state(game.id).version
    answer = hana.post(address(game, "drive"), {"act": f"{Step.CLOSE} {version}"}, headers=script)
    assert (answer.status_code, answer.content.decode()) == (409, MESSAGE)


def test_phones_keep_their_screen_when_time_is_up_and_the_log_has_it_once(broken, monkeypatch, failures):
    game = broken()
    phone = Phone(game, "Dan")
    assert "Who proposed the Schulze method?" in phone.page()
    pass_its_time(monkeypatch, game)
    for _look in range(3):
        assert "Who proposed the Schulze method?" in phone.page()
        assert phone.client.get(reverse("game_now", args=[game.id, "player"])).status_code == 200
        snapshots.current(game.id, counts=True)
    assert give(game, seated(game, "Eve")[0], [0]) == AnswerStatus.LATE
    assert phone.answer(option="0").status_code == 200
    (logged,) = failures()
    assert logged.error == "KeyError"
    assert "in raises" in logged.where
    assert drive(game, Step.VOID).phase == Phase.RESULTS


def test_an_answer_that_was_being_given_is_not_confirmed(broken):
    game = broken()
    (eve,), looked = seated(game, "Eve"), repository.read_state(game.id)
    with pytest.raises(NotNow):
        drive(game, Step.CLOSE)
    assert answering.submit(game, looked, eve, [0], clock.now()) == AnswerStatus.LATE


def test_the_worker_ends_it_when_nobody_comes_back(broken, monkeypatch, settings, failures):
    game = broken()
    pass_its_time(monkeypatch, game)
    for _round in range(2):
        assert moving.end_abandoned() == 0, "It is not abandoned yet."
    assert len(failures()) == 1
    stands_at(monkeypatch, rules.later(game.created_at, timedelta(days=1)))
    assert moving.end_abandoned() == 1
    state = repository.read_state(game.id)
    assert (state.phase, state.voided) == (Phase.ENDED, (1,))


def test_it_is_counted_after_all_if_the_fault_is_mended(broken, monkeypatch):
    game = broken()
    with pytest.raises(NotNow):
        drive(game, Step.CLOSE)
    monkeypatch.setattr(Trivia, "close", CLOSE)
    assert drive(game, Step.CLOSE).phase == Phase.RESULTS
    assert [each.player for each in snapshots.current(game.id).rounds[1].entries] == ["ada"]


def test_an_anonymous_one_is_voided_with_its_salt(broken):
    """A survey is never repeated while it is open, and yet this one can be voided."""
    game = broken(Type.SURVEY, play=Survey)
    with pytest.raises(NotNow):
        drive(game, Step.CLOSE)
    assert repository.read_salt(game.id, 1)
    drive(game, Step.VOID)
    assert repository.read_salt(game.id, 1) is None


@pytest.mark.parametrize("step", [Step.VOID, Step.END])
def test_one_that_a_backup_has_kept_without_its_salt_is_left_all_the_same(site, broken, step):
    game = broken(Type.SURVEY, play=Survey)
    with pytest.raises(NotNow):
        drive(game, Step.CLOSE)
    site.write(*repository.unsalting(game, 1))
    assert drive(game, step).voided == (1,)


@pytest.mark.needs("assembly")
def test_an_item_of_an_assembly_that_is_only_discussed_is_voided_too(broken):
    game = broken(Type.ASSEMBLY, play=type(play_named("topic")))
    with pytest.raises(NotNow):
        drive(game, Step.CLOSE)
    assert drive(game, Step.VOID).phase == Phase.RESULTS
    assert drive(game, Step.NEXT).phase == Phase.SHOWN


def test_a_session_is_ended_by_whoever_looked_before_another_voided_the_round(broken):
    game = broken()
    with pytest.raises(NotNow):
        drive(game, Step.CLOSE)
    looked = repository.find(game.id)
    drive(game, Step.VOID)
    after = moving.end(*looked, "Hana")
    assert (after.phase, after.voided) == (Phase.ENDED, (1,))


def test_whoever_looked_before_it_could_not_be_counted_looks_again_and_voids_it(broken):
    game = broken()
    looked = repository.read_state(game.id)
    with pytest.raises(NotNow):
        drive(game, Step.CLOSE)
    with pytest.raises(LostRace):
        moving.drive(game.id, "Hana", Step.VOID, looked.version, found=(game, looked))
    assert drive(game, Step.VOID).voided == (1,), "The screen that they are shown has the same button."
