"""A session waits two weeks to be held, runs as long as somebody hosts it or people vote, and then ends by itself."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client

from parts.live import clock, repository, rules
from parts.live.rules import Phase, Step
from parts.live.screens import presence, snapshots
from parts.live.services import correcting, moving
from parts.questions.question import Kind, Question, Type
from tests.clock import stands_at
from tests.live.conftest import drive, give, seated

ONE_DAY, ONE_HOUR, ONE_MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)


@pytest.fixture
def at(monkeypatch):
    """Everything that asks for the time is told that so much has passed since a moment."""

    def moved(moment: str, by: timedelta) -> None:
        then = rules.later(moment, by)
        stands_at(monkeypatch, then)
        milliseconds = int(rules.from_text(then).timestamp() * 1000)
        monkeypatch.setattr(clock, "now", lambda: milliseconds)

    return moved


def phase(game) -> Phase:
    return repository.read_state(game.id).phase


@pytest.mark.needs("assembly")
def test_an_assembly_prepared_two_weeks_before_can_be_held(made, at):
    game = made(Type.ASSEMBLY)
    at(game.created_at, 14 * ONE_DAY - ONE_MINUTE)
    moving.end_abandoned()
    assert Client().get(f"/join/{game.code}/").url.endswith(f"/join/{game.token}/")
    assert drive(game, Step.NEXT).phase == Phase.SHOWN
    at(game.created_at, 15 * ONE_DAY)
    moving.end_abandoned()
    assert phase(game) == Phase.SHOWN, "It was started yesterday."


@pytest.mark.needs("assembly")
def test_one_that_nobody_starts_is_gone_after_two_weeks(made, at):
    game = made(Type.ASSEMBLY)
    at(game.created_at, 14 * ONE_DAY)
    assert moving.end_abandoned() == 1
    assert phase(game) == Phase.ENDED
    assert repository.running_of("Hana") == []


@pytest.mark.needs("assembly")
def test_preparing_it_gives_it_another_two_weeks(made, at):
    game = made(Type.ASSEMBLY)
    at(game.created_at, 10 * ONE_DAY)
    correcting.add(game.id, "Hana", Question("Any other business", Kind.TOPIC))
    at(game.created_at, 24 * ONE_DAY - ONE_MINUTE)
    assert moving.end_abandoned() == 0
    at(game.created_at, 24 * ONE_DAY + ONE_MINUTE)
    assert moving.end_abandoned() == 1


@pytest.mark.needs("assembly")
def test_no_vote_is_cut_off_while_people_vote(made, at):
    """An hour before the assembly would be abandoned, one votes; a day after its making, another does."""
    game = made(Type.ASSEMBLY)
    ada, ben, cy = seated(game, "Ada", "Ben", "Cy")
    at(game.created_at, ONE_DAY - ONE_MINUTE)
    drive(game, Step.NEXT)
    drive(game, Step.CLOSE)
    drive(game, Step.NEXT)
    drive(game, Step.VOTE)
    give(game, ada, "yes")
    at(game.created_at, ONE_DAY + 30 * ONE_HOUR)
    give(game, ben, "no")
    at(game.created_at, ONE_DAY + 65 * ONE_HOUR)
    assert moving.end_abandoned() == 0
    give(game, cy, "no")
    assert drive(game, Step.CLOSE).phase == Phase.RESULTS
    assert snapshots.current(game.id).round.result["no"] == 2


def test_a_session_ends_two_hours_after_the_last_sign_of_life(made, at):
    game = made(Type.SURVEY)
    (ada,) = seated(game, "Ada")
    start = drive(game, Step.NEXT).changed_at
    at(start, 2 * ONE_HOUR - ONE_MINUTE)
    give(game, ada, {"0": 4})
    at(start, 4 * ONE_HOUR - 2 * ONE_MINUTE)
    assert moving.end_abandoned() == 0, "Somebody has answered."
    at(start, 4 * ONE_HOUR)
    assert moving.end_abandoned() == 1


def test_it_does_not_end_while_somebody_hosts_it(made, at):
    game = made(Type.TRIVIA)
    start = drive(game, Step.NEXT).changed_at
    drive(game, Step.CLOSE)
    at(start, 3 * ONE_HOUR)
    presence.Presence().host_looks(snapshots.current(game.id))
    assert moving.end_abandoned() == 0
    at(start, 5 * ONE_HOUR + ONE_MINUTE)
    assert moving.end_abandoned() == 1


@pytest.mark.needs("assembly")
def test_a_congress_goes_on_the_next_day(made, at):
    game = made(Type.ASSEMBLY)
    start = drive(game, Step.NEXT).changed_at
    at(start, 24 * ONE_HOUR)
    assert moving.end_abandoned() == 0
    drive(game, Step.CLOSE)
    at(start, 60 * ONE_HOUR)
    assert moving.end_abandoned() == 1, "Nobody has come back for a day and a half."


def test_nothing_lives_for_ever(made):
    game, lifetime = made(), clock.Lifetime(waiting=timedelta(days=999))
    state, last = repository.read_state(game.id), rules.later(game.created_at, clock.MAX_SESSION_DURATION)
    assert rules.is_abandoned(game, state, "", last, lifetime)
    assert not rules.is_abandoned(game, state, "", rules.later(last, -ONE_MINUTE), lifetime)


def test_a_prepared_session_is_found_below_any_number_of_others(made, monkeypatch):
    monkeypatch.setattr(repository, "MAX_RECENT_SESSIONS", 2)
    game = made(title="Prepared")
    for _number in range(3):
        drive(made(), Step.END)
    assert [each.title for each in repository.running_of("Hana")] == ["Prepared"]
    assert game.id not in [each.id for each in repository.history("Hana", limit=2)[0]]
