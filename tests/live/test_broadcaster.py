"""Who listens hears what changes: once made for all, nothing lost in between, nothing of another session."""

from __future__ import annotations

import json
import threading
from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from foundation.acts import pause
from foundation.acts.storage import table
from foundation.pages.streams import Listener
from foundation.store import keys
from foundation.store.table import Delete
from parts.live import changes, clock, repository, seats
from parts.live.rules import Phase, Step
from parts.live.screens import broadcaster, caches, player_part, presence, rendering, snapshots
from parts.live.screens.broadcaster import Broadcaster, Subscriber
from parts.live.screens.formats import Fragment, Role
from parts.live.screens.presence import Presence
from parts.live.services import moving
from parts.questions.question import Type
from tests.chaos import Chaos
from tests.live.conftest import drive, give, seated
from tests.streams import Recorder


@pytest.fixture
def made_so_often(monkeypatch) -> Counter:
    """Plain screens in the place of templates, counted."""
    counts = Counter()

    def screen(role, snapshot):
        counts["screen", role] += 1
        return Fragment(snapshot.state.key, f"{role} {snapshot.state.key}")

    def status(role, snapshot):
        counts["status", role] += 1
        away, paused = snapshot.present.host_away, snapshot.state.is_paused
        html = f"{snapshot.answered} of {len(snapshot.playing)}, away {away}, {paused}"
        return Fragment(f"{snapshot.state.version} {html}", html)

    def mine(snapshot, seat, said=None):
        counts["mine", seat.player] += 1
        return Fragment(player_part.own_key(snapshot, seat), f"{seat.name} {snapshot.state.key}")

    monkeypatch.setattr(rendering, "render_screen", screen)
    monkeypatch.setattr(rendering, "render_status", status)
    monkeypatch.setattr(player_part, "render_own", mine)
    return counts


@pytest.fixture
def time(monkeypatch):
    """A clock that somebody moves."""

    class Time:
        now = clock.now()

        def pass_(self, milliseconds):
            self.now += milliseconds

    time = Time()
    monkeypatch.setattr(clock, "now", lambda: time.now)
    return time


@pytest.fixture(autouse=True)
def others_forgotten(monkeypatch):
    monkeypatch.setattr(presence, "PRESENCE", Presence())
    monkeypatch.setattr(broadcaster, "PRESENCE", presence.PRESENCE)


class Heard(Recorder):
    """Somebody who listens."""

    @property
    def events(self):
        """Names and data, in their order."""
        blocks = [block.split("\n") for block in self.text.split("\n\n") if block]
        return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for _id, name, data in blocks]

    @property
    def names(self):
        return [name for name, _data in self.events]

    @property
    def versions(self):
        return [int(line[4:].partition("-")[0]) for line in self.text.split("\n") if line.startswith("id: ")]

    def last(self, name):
        return [data for each, data in self.events if each == name][-1]


def listening(to: Broadcaster, game, role=Role.PLAYER, seat=None, language="en", address="") -> Heard:
    """Somebody who was shown the room as it is now."""
    heard = Heard()
    snapshot = snapshots.current(game.id)
    subscriber = Subscriber(heard.listener, role, language, address, version=snapshot.state.version)
    subscriber.accepts(broadcaster.for_all(role, snapshot))
    if seat:
        subscriber.player, subscriber.device, subscriber.seat = seat.player, seat.device, seat.version
        subscriber.own = player_part.own_version(snapshot, seat, role)
    to.join(snapshot, subscriber)
    return heard


@pytest.fixture
def ours() -> Broadcaster:
    return Broadcaster(alone=True)


def test_a_change_is_made_once_for_all_who_are_shown_the_same(made, ours, made_so_often):
    game = made(Type.TRIVIA)
    players = seated(game, *(f"P{n}" for n in range(30)))
    phones = [listening(ours, game, seat=seat) for seat in players]
    german = listening(ours, game, language="de")
    ours.tick()
    ours.tick()
    for each in (*phones, german):
        each.said.clear()
    drive(game, Step.NEXT)
    made_so_often.clear()
    ours.tick()
    assert made_so_often["screen", Role.PLAYER] == made_so_often["status", Role.PLAYER] == 2, "one a language"
    assert [phone.names for phone in phones] == [["screen", "status", "clock", "mine"]] * 30
    assert german.names == ["screen", "status", "clock"]
    assert len({phone.said[0] for phone in phones}) == 1
    assert len({id(phone.said[0]) for phone in phones}) == 1, "the same bytes, not copies"
    made_so_often.clear()
    ours.tick()
    assert not made_so_often, "nothing has changed"
    assert all(len(phone.events) == 4 for phone in phones)


def test_a_step_taken_here_is_told_at_once(made, ours, made_so_often, monkeypatch):
    monkeypatch.setattr(changes, "_subscribers", [ours.wake])
    game = made(Type.TRIVIA)
    phone = listening(ours, game)
    ours.tick(only_woken=True)
    assert phone.events == []
    drive(game, Step.NEXT)
    ours.tick(only_woken=True)
    assert phone.last("screen")["html"] == "player question-1-0-0"


def test_what_changes_between_the_picture_and_the_beginning_is_not_lost(made, ours, made_so_often):
    game = made(Type.TRIVIA)
    before = snapshots.current(game.id)
    drive(game, Step.NEXT)
    late = Heard()
    subscriber = Subscriber(late.listener, Role.PLAYER, "en", version=before.state.version)
    subscriber.accepts(broadcaster.for_all(Role.PLAYER, before))
    first = listening(ours, game)
    ours.tick()
    ours.join(before, subscriber)
    ours.tick(only_woken=True)
    assert late.last("screen")["html"] == "player question-1-0-0"
    assert first.events == []


def test_who_was_shown_something_newer_is_told_nothing_older(made, ours, made_so_often):
    game = made(Type.TRIVIA)
    older = snapshots.current(game.id)
    drive(game, Step.NEXT)
    phone = listening(ours, game)
    ours._send_all(older)
    assert phone.events == []


def test_two_hubs_on_one_store_hear_of_each_others_steps(made, made_so_often):
    one, other = Broadcaster(alone=True), Broadcaster(alone=True)
    game = made(Type.TRIVIA)
    seated(game, "Ada")
    phones = [listening(one, game), listening(other, game)]
    steps = [Step.NEXT, Step.PAUSE, Step.RESUME, Step.CLOSE, Step.REVEAL, Step.NEXT]
    for step in steps:
        drive(game, step)
        one.tick()
        other.tick()
    assert phones[0].names == phones[1].names
    for phone in phones:
        assert phone.versions == sorted(phone.versions), "never backwards"
        assert phone.last("screen")["key"] == "question-2-0-0"


def test_a_question_closes_at_its_end_though_nobody_drives(made, ours, made_so_often, time):
    game = made(Type.TRIVIA)
    (ada,) = seated(game, "Ada")
    state = drive(game, Step.NEXT)
    phone = listening(ours, game, seat=ada)
    ours.tick()
    time.now = state.clock.end() + clock.GRACE_MS
    ours.tick(only_woken=True)
    assert phone.events == []
    assert ours._until_deadline() == 0.001, "it sleeps until then, not until the next look"
    time.pass_(1)
    ours.tick(only_woken=True)
    assert phone.last("screen")["key"] == "results-1-0-0"
    assert ours._until_deadline() > 1000


def test_who_has_more_time_has_a_clock_of_their_own(made, ours, made_so_often):
    game = made(Type.TRIVIA)
    ada, ben = (*seated(game, "Ada"), *seated(game, "Ben", percent=200))
    phones = [listening(ours, game, seat=each) for each in (ada, ben)]
    drive(game, Step.NEXT)
    ours.tick()
    assert [phone.last("clock")["length"] for phone in phones] == [30_000, 60_000]


def test_those_of_one_session_never_hear_of_another(made, ours, made_so_often):
    one, other = made(Type.TRIVIA), made(Type.POLL)
    phones = [listening(ours, one), listening(ours, other)]
    drive(one, Step.NEXT)
    ours.tick()
    assert phones[0].names == ["screen", "status", "clock"]
    assert phones[1].events == []


def test_only_what_is_new_to_somebody_is_their_own(made, ours, made_so_often):
    game = made(Type.TRIVIA)
    ada, ben = seated(game, "Ada", "Ben")
    phones = [listening(ours, game, seat=each) for each in (ada, ben)]
    made_so_often.clear()
    table().write(*seats.change(game, ada, replace(ada, name="Ada L")))
    seats.count_change(game)
    ours.tick()
    assert phones[0].last("mine")["html"] == "Ada L waiting-0-0-0"
    assert phones[1].names == []


def test_how_many_have_answered_is_told_to_the_hall_and_not_to_phones(made, ours, made_so_often, time):
    game = made(Type.POLL)
    ada, ben = seated(game, "Ada", "Ben")
    drive(game, Step.NEXT)
    wall, phone = listening(ours, game, Role.SCREEN), listening(ours, game, Role.SCOREBOARD)
    ours.tick()
    give(game, ada, "0>1>2", at=clock.now())
    give(game, ada, "1>0>2", at=clock.now() + 1)
    time.pass_(caches.COUNT_REFRESH_MS)
    ours.tick()
    assert wall.last("status")["html"].startswith("1 of 2")
    time.pass_(caches.COUNT_REFRESH_MS - 1)
    give(game, ben, "1>0>2", at=clock.now())
    ours.tick()
    assert wall.last("status")["html"].startswith("1 of 2"), "it is counted once a second"
    time.pass_(1)
    ours.tick()
    assert wall.last("status")["html"].startswith("2 of 2")
    del phone


def test_the_newest_device_wins_and_the_older_one_is_told(made, ours, made_so_often):
    game = made(Type.TRIVIA)
    (ada,) = seated(game, "Ada", device="one")
    old = listening(ours, game, seat=ada)
    table().write(*seats.change(game, ada, replace(ada, device="two")))
    new = listening(ours, game, seat=seats.find(game.id, "ada"))
    ours.tick()
    assert old.names == [], "as long as the roster says nothing"
    seats.count_change(game)
    ours.tick()
    assert old.names == ["elsewhere"]
    assert not old.listener.is_open
    assert new.listener.is_open
    assert ours.listeners(game.id) == 1


def test_who_is_removed_and_those_of_a_session_that_is_gone_are_told(site, made, ours, made_so_often):
    game = made(Type.TRIVIA)
    ada, ben = seated(game, "Ada", "Ben")
    phones = [listening(ours, game, seat=each) for each in (ada, ben)]
    site.write(*seats.change(game, ada, replace(ada, removed=True)))
    seats.count_change(game)
    ours.tick()
    assert phones[0].names[-1] == "gone"
    assert "gone" not in phones[1].names
    site.write(Delete(keys.game(game.id)))
    ours.tick()
    assert phones[1].names[-1] == "gone"
    assert ours.listeners(game.id) == 0


def test_a_store_in_trouble_leaves_everybody_what_they_have(site, made, ours, made_so_often, monkeypatch):
    game = made(Type.TRIVIA)
    phone = listening(ours, game)
    drive(game, Step.NEXT)
    weather = Chaos(site, Random(1), throttling=1.0)
    monkeypatch.setattr(broadcaster, "table", lambda: weather)
    for _ in range(3):
        ours.tick()
    assert phone.events == []
    assert phone.listener.is_open
    weather.throttling = 0.0
    ours.tick()
    assert phone.last("screen")["key"] == "question-1-0-0"


def test_a_broken_screen_takes_no_other_with_it(made, ours, made_so_often, monkeypatch, caplog):
    game = made(Type.TRIVIA)
    plain = rendering.render_screen

    def broken(role, snapshot):
        if role == Role.SCREEN:
            raise LookupError("no such template")
        return plain(role, snapshot)

    phone, wall = listening(ours, game), listening(ours, game, Role.SCREEN)
    ours.tick()
    monkeypatch.setattr(rendering, "render_screen", broken)
    drive(game, Step.NEXT)
    ours.tick()
    ours.tick()
    assert phone.names == ["screen", "status", "clock"]
    assert wall.events == []
    assert [record.message for record in caplog.records if record.exc_info] == ["A screen could not be made."]


# --- who is there ---


def test_a_host_who_is_nowhere_is_missed_after_a_while_and_back_at_once(made, made_so_often, time, monkeypatch):
    game = made(Type.TRIVIA)
    here, there = Broadcaster(alone=True), Broadcaster(alone=True)
    ours, theirs = Presence(), Presence()

    def tick():
        for each, known in ((here, ours), (there, theirs)):
            monkeypatch.setattr(broadcaster, "PRESENCE", known)
            each.tick()
            each.tick()

    monkeypatch.setattr(broadcaster, "PRESENCE", ours)
    phone = listening(here, game)
    monkeypatch.setattr(broadcaster, "PRESENCE", theirs)
    host = listening(there, game, Role.HOST)
    for _ in range(12):
        tick()
        time.pass_(presence.REPORT_INTERVAL_MS)
    assert "away True" not in phone.text, "the host listens in another process"
    there.leave(game.id, host.listener)
    for _ in range(3):
        tick()
        time.pass_(presence.REPORT_INTERVAL_MS)
    assert "away True" not in phone.text
    tick()
    assert "away True" in phone.last("status")["html"]
    monkeypatch.setattr(broadcaster, "PRESENCE", ours)
    listening(here, game, Role.REMOTE)
    tick()
    assert "away False" in phone.last("status")["html"]


def test_nobody_is_missed_after_the_end(made, ours, made_so_often, time):
    game = made(Type.TRIVIA)
    phone = listening(ours, game)
    ours.tick()
    time.pass_(presence.HOST_AWAY_MS)
    ours.tick()
    ours.tick()
    assert "away True" in phone.last("status")["html"]
    drive(game, Step.END)
    ours.tick()
    ours.tick()
    assert "away False" in phone.last("status")["html"]


def test_players_of_all_processes_are_counted_and_those_who_ask_for_a_while(site, made, time):
    game = made(Type.TRIVIA)
    snapshot = snapshots.current(game.id)
    ours, theirs = Presence(), Presence()
    theirs.saw_player(game.id, "cem")
    theirs.saw_player(game.id, "cem")
    theirs.look(snapshot, {"ada", "ben"})
    ours.saw_player(game.id, "dan")
    ours.look(snapshot)
    assert snapshots.current(game.id).present.players == 4
    time.pass_(presence.PRESENT_MS)
    ours.look(snapshot, {"eve"})
    assert snapshots.current(game.id).present.players == 1


# --- the thread ---


def test_the_thread_runs_while_somebody_listens_and_no_longer(made, made_so_often):
    game = made(Type.TRIVIA)
    own = Broadcaster()
    phone = listening(own, game)
    thread = own._thread
    assert thread.is_alive()
    assert thread.daemon
    told = threading.Event()
    take = phone.take
    phone.take = lambda said: (take(said), told.set())
    drive(game, Step.NEXT)
    own.wake(game.id)
    assert told.wait(30)
    assert phone.last("screen")["key"] == "question-1-0-0"
    own.leave(game.id, phone.listener)
    thread.join(30)
    assert not thread.is_alive()
    again = listening(own, game)
    assert own._thread.is_alive()
    again.leave()
    own.leave(game.id, again.listener)
    own._thread and own._thread.join(30)


def test_a_whole_session_is_heard_in_its_order(made, ours, made_so_often, time):
    game = made(Type.CALL_AND_ANSWER)
    players = seated(game, "Ada", "Ben", "Cem")
    phone = listening(ours, game, seat=players[0])
    for step in (Step.NEXT, Step.CLOSE, Step.CLOSE, Step.REVEAL, Step.END):
        if step == Step.CLOSE and snapshots.current(game.id).state.phase == Phase.QUESTION:
            for seat, text in zip(players, ("A bus", "A boat", "A bike"), strict=True):
                give(game, seat, text)
        moving.drive(game.id, "Hana", step, snapshots.current(game.id).state.version)
        ours.tick()
    assert [data["key"].partition("-")[0] for name, data in phone.events if name == "screen"] == [
        "question",
        "voting",
        "results",
        "results",
        "ended",
    ]
    assert phone.versions == sorted(phone.versions)


def test_a_listener_hears_nothing_twice(made, ours, made_so_often):
    game = made(Type.TRIVIA)
    phone = listening(ours, game)
    for step in (Step.NEXT, Step.CLOSE, Step.REVEAL):
        drive(game, step)
        ours.tick()
        ours.tick()
    assert len(phone.said) == len(set(phone.said)) == 3
    assert isinstance(phone.listener, Listener)


def test_nothing_is_closed_while_the_site_is_paused(site, made, ours, made_so_often, time):
    game = made(Type.TRIVIA)
    state = drive(game, Step.NEXT)
    phone = listening(ours, game)
    ours.around = pause.guarded
    pauses = pause.pause_item(pause.Pause("Olga", game.created_at, 5))
    site.write(pauses)
    pause.cache.forget()
    time.now = state.clock.end() + clock.GRACE_MS + 1
    ours.tick()
    assert repository.read_state(game.id).phase == Phase.QUESTION
    site.write(Delete(pauses.key))
    pause.cache.forget()
    ours.tick()
    assert phone.last("screen")["key"] == "results-1-0-0"
    pause.cache.forget()


# --- how many streams ---


def test_a_seat_has_two_streams_and_the_oldest_is_closed(made, ours):
    game = made(Type.TRIVIA)
    ada, ben = seated(game, "Ada", "Ben")
    heard = [listening(ours, game, seat=ada) for _stream in range(5)]
    other, asks = listening(ours, game, seat=ben), listening(ours, game, role=Role.QA, seat=ada)
    assert [each.listener.is_open for each in heard] == [False, False, False, True, True]
    assert other.listener.is_open
    assert asks.listener.is_open, "Another page of the same seat has its own."
    assert ours.listeners(game.id) == 4
    screens = [listening(ours, game, role=Role.SCREEN) for _screen in range(4)]
    assert all(each.listener.is_open for each in screens), "A hall may have several."


def test_an_address_has_its_share_of_the_streams(made, ours, settings):
    settings.WEB_CONNECTIONS = 10
    game = made(Type.TRIVIA)
    people = seated(game, *(f"P{n}" for n in range(7)))
    heard = [listening(ours, game, seat=each, address="192.0.2.1") for each in people]
    assert not ours.has_room_for("192.0.2.1")
    assert ours.has_room_for("192.0.2.2")
    ours.leave(game.id, heard[0].listener)
    assert ours.has_room_for("192.0.2.1")
