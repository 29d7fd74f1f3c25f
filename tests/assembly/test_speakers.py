"""The list of speakers: who is next and why, and what becomes of it when people ask, leave, are removed and called."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse

from foundation.acts.refusals import NotNow
from foundation.acts.storage import next_version
from foundation.store import keys
from foundation.store.log import EventLog
from foundation.store.table import Put
from parts.assembly import speakers
from parts.assembly.speakers import NOBODY, as_item, speakers_of
from parts.live import repository, seats
from parts.live.rules import Phase, State, Step
from parts.live.screens import broadcaster, player_part, snapshots
from parts.live.screens.formats import Role
from parts.live.services import seating
from parts.live.services.formats import HOOKS
from parts.questions.question import Type
from tests.assembly.test_check_in import address, host, send_check_in
from tests.at_once import at_once
from tests.live.conftest import drive, seated
from tests.people import sign_in
from tests.races.overtaken import overtaken_by

TALKING = State(phase=Phase.SHOWN, round=1, played=(0,))
EVERYBODY = {"ada", "ben", "cem"}


def names(list_, state=TALKING, there=EVERYBODY) -> list[str]:
    return [player for player, _spoken in speakers.queue(list_, state, there)]


def asked(*players, list_=NOBODY, state=TALKING):
    for at, player in enumerate(players, 1):
        list_ = speakers.with_request(list_, state, player, at)
    return list_


def kept(game):
    return speakers_of(repository.table().get(keys.game_speakers(game.id)))


@pytest.fixture
def assembly(made):
    game = made(Type.ASSEMBLY)
    seated(game, "Ada", "Ben", "Cem")
    drive(game, Step.NEXT)
    return game


# --- who is next ---


def test_first_who_has_not_spoken_then_who_asked_first():
    list_ = speakers.with_speaker(asked("ada", "ben", "cem"), TALKING, "ada", 10)
    list_ = speakers.with_request(list_, TALKING, "ada", 11)
    assert names(list_) == ["ben", "cem", "ada"], "Nobody speaks twice before all have spoken once."
    list_ = speakers.with_speaker(list_, TALKING, "ben", 20)
    list_ = speakers.with_request(list_, TALKING, "ben", 21)
    assert names(list_) == ["cem", "ada", "ben"]
    turns = speakers.queue(list_, TALKING, EVERYBODY)
    assert [spoken for _player, spoken in turns] == [0, 1, 1]
    elsewhere = replace(TALKING, round=2, played=(0, 1))
    (turn,) = speakers.queue(asked("ada", list_=list_, state=elsewhere), elsewhere, {"ada"})
    assert turn == ("ada", 0), "About another item everybody begins anew."


def test_who_asks_twice_keeps_their_place_and_may_take_it_back():
    list_ = asked("ada", "ben", "ada")
    assert names(list_) == ["ada", "ben"]
    assert names(speakers.without_request(list_, TALKING, "ada")) == ["ben"]


def test_who_is_not_there_is_passed_over():
    assert names(asked("ada", "ben"), there={"ben"}) == ["ben"]


def test_a_closed_list_takes_nobody_else_and_keeps_who_is_on_it():
    closed = speakers.with_list_closed(asked("ada"), TALKING, True)
    with pytest.raises(NotNow, match="closed"):
        speakers.with_request(closed, TALKING, "ben", 9)
    assert names(speakers.with_request(closed, TALKING, "ada", 9)) == ["ada"]
    assert names(speakers.with_request(speakers.with_list_closed(closed, TALKING, False), TALKING, "ben", 9)) == [
        "ada",
        "ben",
    ]


def test_the_list_is_empty_once_the_item_is_closed():
    list_ = speakers.with_list_closed(speakers.with_speaker(asked("ada", "ben"), TALKING, "ada", 5), TALKING, True)
    voting = replace(TALKING, phase=Phase.VOTING)
    assert names(list_, voting) == []
    after = speakers.with_debate_over(list_, voting, 30)
    assert [(each.player, each.began, each.ended) for each in after.held] == [("ada", 5, 30)]
    again = replace(TALKING, round=2, played=(0, 0))
    assert not speakers.current_list(after, again).closed
    assert speakers.queue(asked("ada", list_=after, state=again), again, EVERYBODY)[0] == ("ada", 1), "The same item."
    with pytest.raises(NotNow):
        speakers.with_request(list_, voting, "cem", 40)


def test_bounds_hold(monkeypatch):
    monkeypatch.setattr(speakers, "MAX_WAITING_SPEAKERS", 2)
    monkeypatch.setattr(speakers, "MAX_RECORDED_SPEECHES", 2)
    with pytest.raises(NotNow, match="full"):
        asked("ada", "ben", "cem")
    list_ = NOBODY
    for at in range(1, 5):
        list_ = speakers.with_speaker(speakers.with_request(list_, TALKING, "ada", at), TALKING, "ada", at)
        list_ = speakers.with_speech_ended(list_, TALKING, at + 1)
    assert [each.began for each in list_.held] == [3, 4]
    with pytest.raises(NotNow):
        speakers.with_time_limit(list_, TALKING, 7)


def test_what_is_stored_is_read_as_it_was():
    list_ = replace(speakers.with_speaker(asked("ada", "ben"), TALKING, "ada", 5), version=3, minutes=2)
    assert speakers_of(as_item(list_)) == list_
    assert speakers_of(as_item(NOBODY)) == speakers_of(None) == NOBODY


# --- acts ---


def test_called_twice_they_speak_once_and_what_was_said_is_kept(assembly):
    for player in ("ada", "ben"):
        speakers.ask(assembly, player)
    speakers.call(assembly, "ada")
    assert speakers.call(assembly, "ada").speaking.player == "ada", "A double click skips nobody."
    assert speakers.end(assembly, "ben").speaking.player == "ada", "Nor does one that came too late."
    list_ = speakers.call(assembly, "ben")
    assert [(each.player, each.item, each.round) for each in list_.held] == [("ada", 0, 1)]
    assert list_.held[0].ended >= list_.held[0].began
    with pytest.raises(NotNow):
        speakers.call(assembly, "cem")
    drive(assembly, Step.CLOSE)
    assert [each.player for each in kept(assembly).held] == ["ada", "ben"]
    assert kept(assembly).speaking is None
    assert kept(assembly).held[1].ended


@pytest.mark.deep
def test_two_hundred_who_ask_at_once_are_all_on_the_list(made):
    game = made(Type.ASSEMBLY)
    drive(game, Step.NEXT)
    players = [f"p{number}" for number in range(200)]
    answers = at_once(*(lambda player=player: speakers.ask(game, player) for player in players))
    assert not [each for each in answers if isinstance(each, Exception)]
    assert sorted(each.player for each in kept(game).waiting) == sorted(players)
    assert kept(game).version == 200


def test_who_leaves_is_off_the_list_and_who_is_removed_speaks_no_longer(assembly):
    for player in ("ada", "ben", "cem"):
        speakers.ask(assembly, player)
    speakers.call(assembly, "ada")
    seating.remove(assembly.id, "ada", "Hana")
    seating.check_out(assembly.id, "ben", "Hana")
    list_ = kept(assembly)
    assert (list_.speaking, [each.player for each in list_.waiting]) == (None, ["cem"])
    assert list_.held[0].ended
    assert speakers.floor_of(snapshots.current(assembly.id)).next.name == "Cem"


def test_leaving_by_oneself_takes_one_off_the_list(made):
    game = made(Type.ASSEMBLY)
    ada = sign_in("Ada")
    send_check_in(ada, game)
    drive(game, Step.NEXT)
    (seat,) = seats.read_seats(game.id)
    speakers.ask(game, seat.player)
    ada.post(reverse("seat", args=[game.id]), {"act": "leave"})
    assert not kept(game).waiting


def test_leaving_a_session_without_a_list_writes_none(made):
    game = made()
    HOOKS.of(game).on_left(game, "ada")
    speakers.end_debate(game)
    assert repository.table().get(keys.game_speakers(game.id)) is None


def test_only_what_the_chair_decides_is_in_the_log(site, assembly):
    speakers.ask(assembly, "ada")
    speakers.close(assembly, "Hana", is_closed=True)
    speakers.limit(assembly, "Hana", 3)
    speakers.close(assembly, "Hana", is_closed=False)
    speakers.call(assembly, "ada")
    said = [each["event_data"] for each in EventLog(site).since(0) if each["event_type"] == "LiveSpeakersChanged"]
    assert said == [
        {"game_id": assembly.id, "round": 1, "closed": closed, "minutes": minutes}
        for closed, minutes in ((True, 0), (True, 3), (False, 3))
    ]


# --- buttons ---


@pytest.fixture
def talk(made):
    """Ada has checked in by account, and the first item is talked about."""
    game = made(Type.ASSEMBLY)
    ada = sign_in("Ada")
    send_check_in(ada, game)
    drive(game, Step.NEXT)
    (seat,) = seats.read_seats(game.id)
    return game, ada, seat


def press(client, game, act, **more):
    return client.post(reverse("speakers", args=[game.id]), {"act": act, **more})


def test_a_player_asks_and_takes_it_back_without_scripts_and_with(talk):
    game, ada, seat = talk
    assert press(ada, game, "ask")["Location"] == address(game, "play")
    assert [each.player for each in kept(game).waiting] == [seat.player]
    fetched = {"headers": {"X-Requested-With": "fetch"}}
    again = ada.post(reverse("speakers", args=[game.id]), {"act": "ask"}, **fetched)
    assert again.status_code == 204
    assert len(kept(game).waiting) == 1
    press(ada, game, "back")
    assert not kept(game).waiting
    speakers.close(game, "Hana", is_closed=True)
    refused = ada.post(reverse("speakers", args=[game.id]), {"act": "ask"}, **fetched)
    assert (refused.status_code, refused.content) == (409, b"The list of speakers is closed.")


def test_the_chair_calls_ends_removes_closes_and_limits(talk):
    game, ada, seat = talk
    hana = host()
    press(ada, game, "ask")
    assert press(hana, game, f"call {seat.player}", **{"from": "remote"})["Location"] == address(game, "remote")
    assert kept(game).speaking.player == seat.player
    press(hana, game, f"end {seat.player}")
    press(ada, game, "ask")
    press(hana, game, f"remove {seat.player}")
    assert (kept(game).speaking, kept(game).waiting) == (None, ())
    press(hana, game, "close")
    press(hana, game, "limit", minutes="5")
    press(hana, game, "limit", minutes="7")
    assert (kept(game).closed, kept(game).minutes) == (True, 5)
    press(hana, game, "reopen")
    assert not kept(game).closed


def test_strangers_and_those_who_do_not_run_it_change_nothing(talk, made):
    game, ada, seat = talk
    press(ada, game, "ask")
    for act in (f"call {seat.player}", "close", "limit"):
        assert press(ada, game, act).status_code == 403
        assert press(Client(), game, act).status_code == 302
    assert press(Client(), game, "ask").status_code == 302, "Without a seat there is nothing to ask."
    assert press(host(), made(), "ask").status_code == 302
    assert press(ada, game, "made up").status_code == 302
    assert ada.get(reverse("speakers", args=[game.id])).status_code == 405
    assert (kept(game).speaking, kept(game).closed, len(kept(game).waiting)) == (None, False, 1)


def test_nobody_asks_while_nothing_is_talked_about_nor_from_an_older_device(talk):
    game, ada, _seat = talk
    other = Client()
    other.post("/sign-in/", {"name_or_email": "Ada", "password": "correct horse battery"})
    send_check_in(other, game)
    assert press(ada, game, "ask")["Location"] == address(game), "The older device checks in again."
    drive(game, Step.CLOSE)
    assert press(other, game, "ask").status_code == 302
    assert not kept(game).waiting


# --- what screens show ---


def panels(role, game):
    return [each for each in broadcaster.shared(role, snapshots.current(game.id)).events if each.name == "beside"]


def test_what_is_pushed_follows_the_list_and_not_the_clock(assembly):
    def shown(role=Role.REMOTE):
        (said,) = panels(role, assembly)
        return said

    empty = shown()
    assert b"Nobody has asked to speak yet." in empty.data
    speakers.ask(assembly, "ada")
    one = shown()
    assert one.key != empty.key
    assert b"Give the floor to" in one.data
    assert b"Give the floor to" not in shown(Role.SCREEN).data
    speakers.call(assembly, "ada")
    now = shown()
    assert shown() is now, "As long as nothing changes, nothing is made anew."
    assert b"data-speech" in now.data
    assert panels(Role.SCOREBOARD, assembly) == []


def test_a_players_own_part_changes_only_with_their_place(assembly):
    seat = seats.find(assembly.id, "cem")

    def key():
        return player_part.own_key(snapshots.current(assembly.id), seat)

    nothing = key()
    for player in ("ada", "ben", "cem"):
        speakers.ask(assembly, player)
    waiting, snapshot = key(), snapshots.current(assembly.id)
    assert waiting != nothing
    speakers.call(assembly, "ada")
    assert key() == waiting, "The button that they may be about to press stays."
    speakers.call(assembly, "ben")
    assert key() != waiting
    assert player_part.own_version(snapshot, seat) != player_part.own_version(snapshots.current(assembly.id), seat)
    assert speakers.position_of(snapshots.current(assembly.id), "cem") == speakers.Position.NEXT


def test_a_long_list_is_shown_as_far_as_there_is_room(made):
    game = made(Type.ASSEMBLY)
    everybody = [f"P{number}" for number in range(30)]
    seated(game, *everybody)
    drive(game, Step.NEXT)
    for name in everybody:
        speakers.ask(game, name.lower())
    (said,) = panels(Role.SCREEN, game)
    assert b"and 22 others" in said.data
    assert speakers.floor_of(snapshots.current(game.id)).next.name == "P0"


# --- two processes at once, one step at a time ---


def asked_elsewhere(game, player: str) -> None:
    """In another process, which has a lock of its own."""
    before = kept(game)
    after = speakers.with_request(before, repository.read_state(game.id), player, 5)
    item = {**keys.game_speakers(game.id).item, **as_item(next_version(before, after)), "ttl": game.ttl}
    repository.table().write(Put(item))


@pytest.mark.parametrize("waiting", [["cem"], []])
def test_of_two_who_ask_at_once_both_are_on_the_list(assembly, waiting):
    for player in waiting:
        speakers.ask(assembly, player)
    with overtaken_by(lambda: asked_elsewhere(assembly, "ben")):
        speakers.ask(assembly, "ada")
    assert {each.player for each in kept(assembly).waiting} == {*waiting, "ada", "ben"}


def test_who_asks_while_a_host_closes_the_list_stays_on_it(assembly):
    with overtaken_by(lambda: asked_elsewhere(assembly, "ben")):
        speakers.close(assembly, "Hana", True)
    assert kept(assembly).closed
    assert [each.player for each in kept(assembly).waiting] == ["ben"]
