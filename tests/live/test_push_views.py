"""What open pages hear: a whole picture first, then what changes; the same by stream and by asking; for nobody else."""

from __future__ import annotations

import json

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from accounts import repository as people
from foundation.acts.storage import table
from foundation.pages.streams import EVENT_STREAM, OPEN_STREAM
from parts.live import clock, players, seats
from parts.live.players import Pass
from parts.live.rules import Step
from parts.live.screens import broadcaster, presence, snapshots
from parts.live.screens.broadcaster import Broadcaster
from parts.live.screens.presence import Presence
from parts.live.seats import Seat
from parts.questions.question import Type
from tests.live.conftest import drive, give
from tests.live.test_broadcaster import Heard
from tests.people import sign_in


@pytest.fixture(autouse=True)
def by_hand(monkeypatch):
    """No thread: tests tick."""
    monkeypatch.setattr(broadcaster, "BROADCASTER", Broadcaster(alone=True))
    monkeypatch.setattr(presence, "PRESENCE", Presence())
    monkeypatch.setattr(broadcaster, "PRESENCE", presence.PRESENCE)


def phone(game, name: str = "Ada", device: str = "d1") -> Client:
    """The browser of somebody who has a seat."""
    held = Pass(name.lower(), device, "secret")
    if seats.find(game.id, held.player) is None:
        seat = Seat(held.player, name, game.created_at, secret=players.digest(held.secret), device=device)
        table().write(*seats.seating(game, seat))
        seats.count_change(game)
    client = Client(headers={"host": "localhost:8000"})
    client.cookies.update(players.set_seat_cookie(HttpResponse(), game, held).cookies)
    return client


def browser(name: str) -> Client:
    return sign_in(people.find(name))


def address(page: str, game, role: str, **asked: str) -> str:
    query = "&".join(f"{name}={value}" for name, value in asked.items())
    return reverse(page, args=[game.id, role]) + (f"?{query}" if query else "")


def asked(client: Client, game, role: str, **has: str):
    return client.get(address("game_now", game, role, **has))


def listened(client: Client, game, role: str, **has: str):
    heard = Heard()
    answer = client.get(address("game_stream", game, role, **has), **{OPEN_STREAM: heard})
    return answer, heard


# --- the same by both ways ---


@pytest.mark.parametrize("role", ["player", "host", "remote", "screen", "scoreboard"])
def test_both_ways_say_the_same_and_then_nothing(made, role):
    game = made(Type.TRIVIA)
    client = phone(game) if role == "player" else browser("Hana")
    has = {"token": game.screen_token} if role in ("screen", "scoreboard") else {}
    asked(client, game, role, **has)
    answer = asked(client, game, role, **has)
    told = answer.json()
    streaming, heard = listened(client, game, role, **has)
    assert (answer.status_code, streaming.status_code) == (200, 200)
    assert streaming["Content-Type"] == EVENT_STREAM
    names = ["screen", "status", "clock", *(["mine"] if role == "player" else [])]
    assert [name for name, _data in told["said"]] == heard.names == names
    same = [(name, data) for name, data in heard.events if name != "clock"]
    assert same == [tuple(each) for each in told["said"] if each[0] != "clock"]
    assert asked(client, game, role, **has, version=told["version"]).status_code == 204
    drive(game, Step.NEXT)
    assert asked(client, game, role, **has, version=told["version"]).status_code == 200
    heard.leave()


def test_what_a_page_has_is_not_sent_again(made):
    game = made(Type.TRIVIA)
    ada = phone(game)
    keys = {name: data["key"] for name, data in asked(ada, game, "player").json()["said"] if name != "clock"}
    has = {"screen": keys["screen"], "mine": keys["mine"]}
    assert [name for name, _data in asked(ada, game, "player", **has).json()["said"]] == ["status", "clock"]
    _answer, heard = listened(ada, game, "player", **has)
    assert heard.names == ["status", "clock"]
    drive(game, Step.NEXT)
    broadcaster.BROADCASTER.tick()
    assert heard.names[2:] == ["screen", "status", "clock", "mine"]


def test_a_stream_goes_on_with_what_changes_until_its_client_goes(made):
    game = made(Type.TRIVIA)
    _answer, heard = listened(phone(game), game, "player")
    assert broadcaster.BROADCASTER.listeners(game.id) == 1
    for step in (Step.NEXT, Step.CLOSE, Step.REVEAL):
        drive(game, step)
        broadcaster.BROADCASTER.tick()
    assert [data["key"].partition("-")[2].partition("-")[0] for name, data in heard.events if name == "screen"] == [
        "waiting",
        "question",
        "results",
        "results",
    ]
    assert heard.versions == sorted(heard.versions)
    heard.leave()
    assert broadcaster.BROADCASTER.listeners(game.id) == 0


def test_a_phone_that_wakes_up_is_shown_its_own_answer(made):
    game = made(Type.TRIVIA)
    ada = phone(game)
    drive(game, Step.NEXT)
    give(game, seats.find(game.id, "ada"), [1])
    _answer, heard = listened(ada, game, "player")
    assert "Borda" in heard.last("mine")["html"]


def test_where_no_answer_is_held_open_pages_ask(made):
    game = made(Type.TRIVIA)
    assert phone(game).get(address("game_stream", game, "player")).status_code == 204


def test_only_the_head_of_a_stream(made):
    game = made(Type.TRIVIA)
    assert phone(game).head(address("game_stream", game, "player")).status_code == 204


# --- what it costs ---


@pytest.fixture
def standing(monkeypatch):
    """Whoever is there is looked for every few seconds, and not in between."""
    moment = clock.now()
    monkeypatch.setattr(clock, "now", lambda: moment)


def _trips_of(client: Client, where: str) -> int:
    answer = client.get(where, **{OPEN_STREAM: Heard()})
    return int(answer["Server-Timing"].partition('desc="')[2].partition(" ")[0])


@pytest.mark.usefixtures("standing")
def test_a_players_account_is_not_looked_for(made):
    game = made(Type.TRIVIA)
    ada = phone(game)
    ada.cookies.update(browser("Hana").cookies)
    asked(ada, game, "player")
    assert _trips_of(ada, address("game_now", game, "player")) == 1


# --- for whom ---


@pytest.mark.parametrize("page", ["game_now", "game_stream"])
class TestDoors:
    def get(self, client: Client, page: str, game, role: str, **has: str) -> int:
        return client.get(address(page, game, role, **has), **{OPEN_STREAM: Heard()}).status_code

    def test_a_stranger_sees_nothing(self, made, page):
        game, stranger = made(Type.TRIVIA), Client(headers={"host": "localhost:8000"})
        found = {role: self.get(stranger, page, game, role) for role in ("player", "host", "remote", "screen")}
        assert found == {"player": 404, "host": 403, "remote": 403, "screen": 404}
        assert self.get(stranger, page, game, "owner") == 404
        assert broadcaster.BROADCASTER.listeners(game.id) == 0

    def test_somebody_elses_account_is_no_hosts(self, made, page, person):
        game = made(Type.TRIVIA)
        person("Olga")
        assert self.get(browser("Olga"), page, game, "host") == 403

    def test_a_player_is_no_host_and_a_host_no_player(self, made, page):
        game = made(Type.TRIVIA)
        assert self.get(phone(game), page, game, "host") == 403
        assert self.get(browser("Hana"), page, game, "player") == 404

    @pytest.mark.parametrize("token", ["", "made-up", "é"])
    def test_a_screen_needs_its_token(self, made, page, token):
        game, wall = made(Type.TRIVIA), Client(headers={"host": "localhost:8000"})
        assert self.get(wall, page, game, "screen", token=token) == 404
        assert self.get(wall, page, game, "screen", token=game.token) == 404
        assert self.get(wall, page, game, "screen", token=game.screen_token) == 200

    def test_a_cookie_is_good_for_one_session_only(self, made, page):
        one, other = made(Type.TRIVIA), made(Type.TRIVIA)
        ada = phone(one)
        (name,) = ada.cookies
        ada.cookies[players.cookie_name(other.id)] = ada.cookies[name].value
        assert self.get(ada, page, one, "player") == 200
        assert self.get(ada, page, other, "player") == 404

    def test_nothing_is_sent_there(self, made, page):
        game = made(Type.TRIVIA)
        assert phone(game).post(address(page, game, "player")).status_code == 405

    def test_there_is_no_such_session(self, site, page):
        stranger = Client(headers={"host": "localhost:8000"})
        for game_id in ("made-up", "x" * 100):
            where = reverse(page, args=[game_id, "screen"])
            assert stranger.get(f"{where}?token=x").status_code == 404


def test_an_older_device_and_somebody_removed_are_told_so_and_no_more(made):
    from dataclasses import replace

    game = made(Type.TRIVIA)
    ada = phone(game)
    seat = seats.find(game.id, "ada")
    for after, last in ((replace(seat, device="d2"), "elsewhere"), (replace(seat, removed=True), "gone")):
        before = seats.find(game.id, "ada")
        table().write(*seats.change(game, before, replace(after, version=before.version)))
        assert asked(ada, game, "player").json()["said"] == [[last, {}]]
        answer, heard = listened(ada, game, "player")
        assert f"event: {last}" in answer.content.decode()
        assert not heard.is_held
    assert broadcaster.BROADCASTER.listeners(game.id) == 0


# --- who is there ---


def test_who_asks_is_there(made):
    game = made(Type.TRIVIA)
    asked(phone(game, "Ada"), game, "player")
    presence.PRESENCE._seen[game.id].told_at = 0
    asked(phone(game, "Ben"), game, "player")
    assert snapshots.current(game.id).present.players == 2
    presence.PRESENCE._seen[game.id].told_at = 0
    asked(phone(game, "Cem"), game, "player", quiet="1")
    assert snapshots.current(game.id).present.players == 2


def test_the_events_are_plain_lines(made):
    game = made(Type.TRIVIA)
    _answer, heard = listened(phone(game), game, "player")
    for block in heard.text.rstrip("\n").split("\n\n"):
        mark, name, data = block.split("\n")
        assert mark.startswith("id: 1-")
        assert name.startswith("event: ")
        assert json.loads(data.removeprefix("data: "))
