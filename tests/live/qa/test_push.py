"""Open pages hear what the room asks: what is hidden is gone at once, and a form stays under the hand that fills it."""

from __future__ import annotations

import json
import re

import pytest
from django.urls import reverse

from foundation.pages.streams import OPEN_STREAM
from foundation.qa.rules import Mode
from parts.live import changes, clock, room_questions
from parts.live.moderation import QaAction
from parts.live.rules import Step
from parts.live.screens import broadcaster, caches, presence, qa_display, rendering, snapshots
from parts.live.screens.broadcaster import Broadcaster
from parts.live.screens.formats import Role
from parts.live.screens.presence import Presence
from parts.live.services import seating
from parts.questions.question import Type
from tests.access.asking import listening as heard_by
from tests.live.conftest import drive, give, made, seated  # noqa: F401 - a fixture
from tests.live.qa.conftest import Phone, send, upvote
from tests.live.test_broadcaster import Heard, listening
from tests.streams import Recorder


@pytest.fixture
def ours(monkeypatch) -> Broadcaster:
    """A hub that looks when it is woken, and has no thread."""
    found = Broadcaster(alone=True)
    monkeypatch.setattr(changes, "_subscribers", [found.wake])
    monkeypatch.setattr(broadcaster, "BROADCASTER", found)
    monkeypatch.setattr(presence, "PRESENCE", Presence())
    monkeypatch.setattr(broadcaster, "PRESENCE", presence.PRESENCE)
    return found


def html(heard: Heard, name: str) -> str:
    return heard.last(name)["html"] if name in heard.names else ""


def told(answer) -> dict[str, str]:
    return {name: data.get("html", "") for name, data in answer.json()["said"]}


def test_what_is_hidden_is_gone_with_the_first_look_after_it(game, ours):
    ada, ben = seated(game, "Ada", "Ben")
    asked = send(game, ada, "Why a bus?")
    room_questions.moderate(game.id, asked.id, "Hana", QaAction.PUT_UP)
    phone, wall = listening(ours, game, Role.QA, ben), listening(ours, game, Role.SCREEN)
    host = listening(ours, game, Role.MANAGE_QA)
    ours.tick()
    room_questions.moderate(game.id, asked.id, "Hana", QaAction.HIDE)
    ours.tick(only_woken=True)
    assert "Why a bus?" not in html(phone, "screen")
    assert "screen" in phone.names
    assert "Why a bus?" not in html(wall, "status")
    assert "status" in wall.names
    assert "hidden" in html(host, "screen")


def test_the_end_reaches_a_wall_that_shows_a_question(game, ours, client):
    """By push, and on the page that reloads itself without scripts."""
    (ada,) = seated(game, "Ada")
    asked = send(game, ada, "Why a bus?")
    room_questions.moderate(game.id, asked.id, "Hana", QaAction.PUT_UP)
    wall, phone = listening(ours, game, Role.SCREEN), listening(ours, game, Role.PLAYER, ada)
    address = reverse("screen", args=[game.id, game.screen_token])
    assert "Why a bus?" in client.get(address).content.decode()
    drive(game, Step.END)
    ours.tick(only_woken=True)
    assert "qa-up" not in html(wall, "status")
    assert "show-ended" in html(wall, "screen")
    assert "Thank you for taking part" in html(phone, "screen")
    page = client.get(address).content.decode()
    assert "show-ended" in page
    assert "Why a bus?" not in page
    assert 'http-equiv="refresh"' in page


def test_another_process_hears_of_it_at_its_next_look(game, monkeypatch):
    """Which comes twice a second: nothing that it keeps in mind stands in the way."""
    ada, ben = seated(game, "Ada", "Ben")
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now)
    elsewhere = Broadcaster(alone=True)
    monkeypatch.setattr(changes, "_subscribers", [])
    monkeypatch.setattr(caches, "MIN_THROTTLED", 1)
    first, _second = send(game, ada, "Why a bus?"), send(game, ben, "When?")
    phone = listening(elsewhere, game, Role.QA, ben)
    send(game, ada, "Not seen for a second?")
    elsewhere.tick()
    assert "Not seen" not in html(phone, "screen")
    room_questions.moderate(game.id, first.id, "Hana", QaAction.HIDE)
    elsewhere.tick()
    assert "Why a bus?" not in html(phone, "screen")
    assert "When?" in html(phone, "screen")


def test_the_author_alone_is_told_what_became_of_a_question(game, ours):
    room_questions.set_up(game.id, "Hana", mode=Mode.APPROVED)
    ada, ben = seated(game, "Ada", "Ben")
    of_ada, of_ben = (listening(ours, game, Role.QA, seat) for seat in (ada, ben))
    asked = send(game, ada, "Why a bus?")
    ours.tick(only_woken=True)
    assert "Waiting for the host." in html(of_ada, "mine")
    assert of_ben.names == []
    room_questions.moderate(game.id, asked.id, "Hana", QaAction.HIDE)
    ours.tick(only_woken=True)
    assert "Hidden by the host." in html(of_ada, "mine")
    assert not re.search(r"\bbus\b", of_ben.text)


def test_upvotes_are_told_as_numbers_until_the_order_is_another(game, ours, monkeypatch):
    ada, ben, cleo = seated(game, "Ada", "Ben", "Cleo")
    first, second = send(game, ada, "First?", 1), send(game, ben, "Second?", 2)
    now = clock.now()
    phone = listening(ours, game, Role.QA, cleo)
    ours.tick()
    upvote(game, cleo, first)
    monkeypatch.setattr(clock, "now", lambda: now + 3_000)
    ours.tick()
    assert phone.names == ["status"], "the list stays as it is under somebody's finger"
    assert f"{first.id} 1" in html(phone, "status")
    for seat in (ada, cleo):
        upvote(game, seat, second)
    monkeypatch.setattr(clock, "now", lambda: now + 6_000)
    ours.tick()
    shown = html(phone, "screen")
    assert shown.index("Second?") < shown.index("First?")


def test_sums_are_read_every_two_seconds_at_most_and_only_while_somebody_looks(site, game, ours, monkeypatch):
    (ada,) = seated(game, "Ada")
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now)
    listening(ours, game, Role.PLAYER, ada)
    with heard_by(site) as ear:
        ours.tick()
        assert "get upvotes" not in ear.take()
        listening(ours, game, Role.QA, ada)
        ear.take()
        for moment, times in ((2_000, 1), (3_999, 0), (4_000, 1)):
            monkeypatch.setattr(clock, "now", lambda at=now + moment: at)
            ours.tick()
            assert ear.take().count("get upvotes") == times, moment


def test_pages_that_ask_are_told_the_same(game, phone):
    room_questions.set_up(game.id, "Hana", mode=Mode.APPROVED)
    ada, ben = phone("Ada"), phone("Ben")
    first = ada.now().json()["version"]
    assert ada.now(version=first).status_code == 204
    ada.tell(text="Why a bus?")
    again = ada.now(version=first)
    assert "Waiting for the host." in told(again)["mine"]
    assert ben.now(version=ben.now().json()["version"]).status_code == 204
    assert ada.now(version=again.json()["version"]).status_code == 204


def test_a_stream_of_questions_is_a_player_s_own(game, phone, ours, client):
    ada, ben = phone("Ada"), phone("Ben")
    recorder = Recorder()
    stream = reverse("game_stream", args=[game.id, "qa"])
    ada.client.get(stream, **{OPEN_STREAM: recorder})
    ben.tell(text="Why a bus?")
    ours.tick(only_woken=True)
    assert "Why a bus?" in recorder.text
    seating.remove(game.id, ada.seat.player, "Hana")
    ours.tick(only_woken=True)
    assert "event: gone" in recorder.text
    for address in (stream, reverse("game_now", args=[game.id, "qa"])):
        assert client.get(address).status_code == 404, "without a seat"


def test_what_waits_is_pushed_to_hosts_alone(game, hana, phone, client):
    address = reverse("game_now", args=[game.id, "manage_qa"])
    room_questions.set_up(game.id, "Hana", mode=Mode.APPROVED)
    ada = phone("Ada")
    ada.tell(text="Why a bus?")
    assert "Why a bus?" in told(hana.get(address))["screen"]
    for other in (ada.client, client):
        assert other.get(address).status_code in (302, 403, 404)
    assert "Why a bus?" not in json.dumps(Phone(game, "Ben").now().json())


def test_a_form_of_a_player_stays_while_others_ask(game, ours):
    """On the page of the session nothing but its line at the top changes."""
    ada, ben = seated(game, "Ada", "Ben")
    playing = listening(ours, game, Role.PLAYER, ada)
    ours.tick()
    send(game, ben, "Why?")
    ours.tick(only_woken=True)
    assert playing.names == ["status"]
    assert "<b>1</b>" in html(playing, "status")


def test_a_page_that_is_loaded_has_the_key_of_what_is_pushed(game):
    ada, ben = seated(game, "Ada", "Ben")
    send(game, ada, "Why?")
    snapshot = snapshots.current(game.id)
    assert (
        qa_display.render_questions(Role.QA, snapshot, lines=[]).key == rendering.render_screen(Role.QA, snapshot).key
    )
    assert qa_display.render_own_questions(snapshot, ada).key != qa_display.render_own_questions(snapshot, ben).key


def test_an_answer_that_is_hidden_while_the_room_votes_leaves_every_phone_with_the_first_look(made, ours):  # noqa: F811
    game = made(Type.CALL_AND_ANSWER)
    ada, ben, cem = seated(game, "Ada", "Ben", "Cem")
    drive(game, Step.NEXT)
    for seat, text in ((ada, "Plant trees"), (ben, "More benches"), (cem, "Idiots")):
        give(game, seat, text)
    drive(game, Step.CLOSE)
    phone, author, host = (
        listening(ours, game, role, seat)
        for role, seat in ((Role.PLAYER, ada), (Role.PLAYER, cem), (Role.MANAGE_QA, None))
    )
    ours.tick()
    (found,) = [each for each in qa_display.texts_to_moderate(snapshots.current(game.id)) if each.text == "Idiots"]
    room_questions.moderate_texts(game.id, found.round, [found.mark], "Hana", QaAction.HIDE)
    ours.tick(only_woken=True)
    assert "More benches" in html(phone, "mine")
    assert "Idiots" not in html(phone, "mine")
    assert "The host has hidden your answer" in html(author, "mine")
    assert "hidden" in html(host, "screen")
