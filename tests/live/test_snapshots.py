"""Rooms kept in mind: one round trip a look, right with several processes and threads, and bounded."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from foundation.acts import storage
from foundation.store import keys, round_trips
from foundation.store.log import EventLog
from foundation.store.table import Delete
from parts.live import clock, repository, seats
from parts.live.rules import Phase, Step
from parts.live.screens import caches, snapshots
from parts.live.screens.snapshots import CachedSession, SessionCache
from parts.questions.question import Type
from tests.at_once import at_once
from tests.chaos import Chaos
from tests.live.conftest import POLL, TRIVIA, drive, give, seated


@pytest.fixture
def asked(monkeypatch) -> list[str]:
    """Every round trip, also those that serve many."""
    told: list[str] = []
    monkeypatch.setattr(round_trips, "_listeners", [lambda operation, *_: told.append(operation)])
    return told


def test_after_a_step_only_what_is_new_is_read(made, asked):
    game = made(Type.TRIVIA)
    (ada,) = seated(game, "Ada")
    for step in (Step.NEXT, Step.CLOSE, Step.REVEAL, Step.NEXT):
        drive(game, step)
        snapshots.current(game.id)
    give(game, ada, [0])
    drive(game, Step.CLOSE)
    asked.clear()
    snapshot = snapshots.current(game.id)
    assert asked == ["get_many", "page"], "the round that is new"
    assert sorted(snapshot.rounds) == [1, 2]
    assert snapshot.round.count == 1


def test_a_process_that_comes_later_reads_all_rounds_at_once(made, asked, monkeypatch):
    game = made(Type.TRIVIA)
    for step in (Step.NEXT, Step.CLOSE, Step.REVEAL, Step.NEXT, Step.CLOSE):
        drive(game, step)
    known = snapshots.current(game.id)
    monkeypatch.setattr(snapshots, "SESSIONS", SessionCache())
    asked.clear()
    assert snapshots.current(game.id) == known
    assert asked == ["get_many"] + ["page"] * (1 + keys.GAME_SHARDS + 1), "questions, seats, rounds"


def test_a_round_voided_while_it_was_open_is_looked_for_once(made, asked):
    game = made(Type.TRIVIA)
    drive(game, Step.NEXT)
    drive(game, Step.VOID)
    snapshot = snapshots.current(game.id)
    assert snapshot.rounds == {}
    assert snapshot.round is None
    asked.clear()
    assert snapshots.current(game.id) is snapshot
    assert asked == ["get_many"]


def test_processes_see_each_others_steps_and_seats(made, monkeypatch):
    game = made(Type.TRIVIA)
    minds = [SessionCache(), SessionCache()]

    def both():
        found = []
        for mind in minds:
            monkeypatch.setattr(snapshots, "SESSIONS", mind)
            found.append(snapshots.current(game.id))
        return found

    for act in (
        lambda: None,
        lambda: (seated(game, "Ada"), seats.count_change(game)),
        lambda: drive(game, Step.NEXT),
        lambda: (seated(game, "Ben"), seats.count_change(game)),
        lambda: drive(game, Step.CLOSE),
        lambda: drive(game, Step.REPEAT),
    ):
        act()
        one, other = both()
        assert one == other
        assert one.state == repository.read_state(game.id)
        assert one.seats == {each.player: each for each in seats.read_seats(game.id)}


def test_a_seat_whose_number_was_never_told_is_seen_some_seconds_later(made, time):
    game = made(Type.TRIVIA)
    snapshots.current(game.id)
    seated(game, "Ada")
    time.now += caches.MAX_AGE_MS - 1
    assert snapshots.current(game.id).seats == {}
    time.now += 1
    assert list(snapshots.current(game.id).seats) == ["ada"]


def test_many_seats_are_read_once_a_second_while_a_hall_comes_in(made, time, asked, monkeypatch):
    monkeypatch.setattr(caches, "MIN_THROTTLED", 2)
    game = made(Type.TRIVIA)
    seated(game, "Ada", "Ben")
    snapshots.current(game.id)
    seated(game, "Cem")
    seats.count_change(game)
    asked.clear()
    assert len(snapshots.current(game.id).seats) == 2
    assert asked == ["get_many"]
    time.now += caches.THROTTLED_REFRESH_MS
    assert len(snapshots.current(game.id).seats) == 3


def test_who_has_answered_is_counted_once_a_second(made, time, asked):
    game = made(Type.CALL_AND_ANSWER)
    players = seated(game, "Ada", "Ben", "Cem")
    drive(game, Step.NEXT)
    assert snapshots.current(game.id).answered == 0
    for seat, text in zip(players, ("A bus", "A boat", "A bike"), strict=True):
        give(game, seat, text, at=clock.now())
    assert snapshots.current(game.id, counts=True).answered == 3
    asked.clear()
    assert snapshots.current(game.id, counts=True).answered == 3
    assert snapshots.current(game.id).answered == 3
    assert asked == ["get_many"] * 2
    drive(game, Step.CLOSE)
    assert snapshots.current(game.id, counts=True).answered == 0, "nobody has voted yet"
    snapshot = snapshots.current(game.id)
    assert len(snapshot.phase_data.answers) == 3


def test_a_game_closes_a_moment_after_everybody_has_answered(site, made, time):
    """Several processes see it at once, and one of them closes the round."""
    game = made(Type.TRIVIA)
    ada, ben = seated(game, "Ada", "Ben")
    state = drive(game, Step.NEXT)
    give(game, ada, [0], at=clock.now())
    assert not snapshots.current(game.id, counts=True).is_complete
    give(game, ben, [1], at=clock.now())
    time.now += caches.COUNT_REFRESH_MS
    snapshot = snapshots.current(game.id, counts=True)
    processes = [CachedSession(game.id) for _process in range(4)]
    assert all(each.counted(snapshot).is_complete for each in (snapshots.SESSIONS.of(game.id), *processes))
    time.now += snapshots.COMPLETE_MS - 1
    assert snapshots.current(game.id, counts=True).state == state
    time.now += 1
    at_once(*(lambda kept=kept: kept.counted(snapshot) for kept in processes))
    assert snapshots.current(game.id).state.phase == Phase.RESULTS
    assert repository.read_state(game.id).version == state.version + 1
    assert [each["event_type"] for each in EventLog(site).since(0)].count("LiveRoundSealed") == 1


def test_whoever_left_after_answering_stands_in_for_nobody(made, time):
    game = made(Type.TRIVIA)
    ada, ben, _cem = seated(game, "Ada", "Ben", "Cem")
    drive(game, Step.NEXT)
    give(game, ada, [0], at=clock.now())
    give(game, ben, [0], at=clock.now())
    storage.table().write(*seats.change(game, ada, seats.left_at_time(ada, clock.now())))
    seats.count_change(game)
    found = snapshots.current(game.id, counts=True)
    assert (found.answered, len(found.playing), found.is_complete) == (1, 2, False)


@pytest.mark.parametrize("kind", ["untimed", "paused", "poll"])
def test_only_a_running_clock_of_a_game_is_cut_short(made, time, kind):
    asked = replace(TRIVIA[0], seconds=0) if kind == "untimed" else TRIVIA[0]
    if kind == "poll":
        game, said = made(Type.POLL, (replace(POLL[0], seconds=60),)), "0>1"
    else:
        game, said = made(Type.TRIVIA, (asked,)), [0]
    (ada,) = seated(game, "Ada")
    drive(game, Step.NEXT)
    give(game, ada, said, at=clock.now())
    if kind == "paused":
        drive(game, Step.PAUSE)
    assert snapshots.current(game.id, counts=True).is_complete
    time.now += 2 * snapshots.COMPLETE_MS
    assert snapshots.current(game.id, counts=True).state.is_open
    assert snapshots.current(game.id).state.is_open


def test_what_is_over_is_closed_by_whoever_looks(made, time):
    game = made(Type.TRIVIA)
    state = drive(game, Step.NEXT)
    time.now = state.clock.end() + clock.GRACE_MS + 1
    assert snapshots.current(game.id).state.phase == Phase.RESULTS


def test_a_store_that_takes_no_writes_shows_what_there_is(site, made, time, monkeypatch):
    game = made(Type.TRIVIA)
    state = drive(game, Step.NEXT)
    time.now = state.clock.end() + clock.GRACE_MS + 1
    monkeypatch.setattr(storage, "table", lambda: Chaos(site, Random(1), read_only=True))
    assert snapshots.current(game.id).state.phase == Phase.QUESTION
    monkeypatch.undo()
    assert snapshots.current(game.id) is not None


def test_an_older_look_changes_nothing_that_is_kept(made):
    game = made(Type.TRIVIA)
    before = repository.read_state(game.id)
    drive(game, Step.NEXT)
    snapshot = snapshots.current(game.id)
    older = snapshots.SESSIONS.of(game.id).snapshot(game, before, 0, {})
    assert older.state == before
    assert snapshots.SESSIONS.of(game.id).last is snapshot


def test_an_older_look_knows_no_newer_round(made):
    game = made(Type.TRIVIA)
    before = drive(game, Step.NEXT)
    drive(game, Step.CLOSE)
    assert list(snapshots.current(game.id).rounds) == [1]
    assert snapshots.SESSIONS.of(game.id).snapshot(game, before, 0, {}).rounds == {}


def test_a_session_that_is_gone_is_forgotten(site, made):
    game = made(Type.TRIVIA)
    snapshots.current(game.id)
    site.write(Delete(keys.game(game.id)))
    assert snapshots.current(game.id) is None
    assert game.id not in snapshots.SESSIONS._sessions


def test_what_is_kept_in_mind_is_bounded(made, monkeypatch):
    games = [made(Type.TRIVIA) for _ in range(3)]
    for game in games:
        seated(game, *(f"P{n}" for n in range(10)))
    monkeypatch.setattr(snapshots, "SESSIONS", SessionCache(most=25))
    for game in games:
        assert len(snapshots.current(game.id).seats) == 10
    assert list(snapshots.SESSIONS._sessions) == [game.id for game in games[1:]], (
        "who was asked for longest ago goes first"
    )
    assert len(snapshots.current(games[0].id).seats) == 10
