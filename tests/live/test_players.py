"""Players: what hosts do with them, and what they do with their own seat."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from foundation.store.log import EventLog
from parts.live import clock, players, repository, rounds, seats
from parts.live.rules import Names, Phase, Step
from parts.live.screens import snapshots
from parts.live.services import joining, seating
from parts.live.services.closing import LONG_AGO
from tests.at_once import at_once
from tests.live.conftest import drive, give, seated
from tests.live.test_joining import address, join


def events(site) -> list[tuple[str, dict]]:
    found = (each for each in EventLog(site).since(0) if each["event_type"].startswith("LivePlayer"))
    return [(each["event_type"], each["event_data"]) for each in found]


def change(client, game, player, act, **more):
    return client.post(reverse("change_player", args=[game.id, player]), {"act": act, **more}, follow=True)


# --- the list ---


def test_the_list_shows_and_finds_everybody(hana, made):
    game = made(names=Names.APPROVED)
    seated(game, "Ada", "Zoë <b>", "نور")
    seated(game, "Newcomer", approved=False)
    page = hana.get(address(game, "game_players")).content.decode()
    assert "3 players" in page
    assert "1 is waiting for you" in page
    assert page.index("Newcomer") < page.index("Ada") < page.index("Zoë &lt;b&gt;")
    found = hana.get(address(game, "game_players"), {"q": "ZO"}).content.decode()
    assert "Zoë" in found
    assert "Ada" not in found
    assert "Nobody found" in hana.get(address(game, "game_players"), {"q": "#"}).content.decode()


@pytest.mark.deep
def test_a_long_list_is_leafed_through(hana, made):
    game = made()
    seated(game, *(f"Guest {number:03d}" for number in range(101)))
    page = hana.get(address(game, "game_players")).content.decode()
    assert "Guest 099" in page
    assert "Guest 100" not in page
    more = re.search(r'href="([^"]+after=100)"', page)[1].replace("&amp;", "&")
    assert "Guest 100" in hana.get(more).content.decode()
    assert hana.get(address(game, "game_players"), {"after": "-1"}).status_code == 200


def test_a_cohost_may_and_no_player_of_another_session_is_found(site, made, signed_in, person):
    game, other = made(hosts=("Cleo",)), made()
    seated(game, "Ada")
    seated(other, "Ben")
    cleo = signed_in(person("Cleo"))
    assert cleo.get(address(game, "game_players")).status_code == 200
    assert cleo.get(address(other, "game_players")).status_code == 403
    assert cleo.post(reverse("change_player", args=[game.id, "ben"]), {"act": "remove"}).status_code == 404
    assert cleo.get(reverse("change_player", args=[game.id, "ada"])).status_code == 405
    assert cleo.put(address(game, "game_players")).status_code == 405
    assert cleo.get(reverse("game_players", args=["no-such-session"])).status_code == 404


# --- acts of hosts ---


def test_a_player_is_removed_told_so_and_readmitted(hana, client, site, made):
    game = made()
    join(client, game, "Ada")
    (ada,) = seats.read_seats(game.id)
    assert "Ada has been removed" in change(hana, game, ada.player, "remove").content.decode()
    told = client.get(address(game, "seat"))
    assert told.status_code == 403
    assert "The host has removed you" in told.content.decode()
    assert client.get(address(game))["Location"] == address(game, "play"), "No way around by the link."
    assert client.post(address(game, "seat"), {"act": "here"}).status_code == 403
    assert "That has already been done" in change(hana, game, ada.player, "remove").content.decode()
    change(hana, game, ada.player, "readmit", q="a")
    assert client.get(address(game, "seat")).status_code == 200
    said = {"game_id": game.id, "player": ada.player}
    assert events(site) == [("LivePlayerRemoved", said), ("LivePlayerReadmitted", said)]


def test_a_player_is_renamed_and_the_log_knows_no_names(hana, site, made):
    game = made()
    seated(game, "Rude", "Ben")
    assert "Rude is now called Ada #1." in change(hana, game, "rude", "rename", name=" Ada  #1 ").content.decode()
    assert seats.find(game.id, "rude").name == "Ada #1"
    taken = change(hana, game, "ben", "rename", name="ADA #1").content.decode()
    assert "Available: ADA #1 2, ADA #1 3." in taken
    assert "at most 40 characters" in change(hana, game, "ben", "rename", name="x" * 41).content.decode()
    assert events(site) == [("LivePlayerRenamed", {"game_id": game.id, "player": "rude"})]
    seated(game, "Rude"[::-1])
    change(hana, game, "ben", "rename", name="RUDE")
    assert seats.find(game.id, "ben").name == "RUDE", "The old name is free again."


def test_a_name_is_approved_once(hana, site, made):
    game = made(names=Names.APPROVED)
    seated(game, "Ada", approved=False)
    change(hana, game, "ada", "approve")
    assert seats.find(game.id, "ada").plays
    assert "That has already been done" in change(hana, game, "ada", "approve").content.decode()
    assert events(site) == [("LivePlayerApproved", {"game_id": game.id, "player": "ada"})]


def test_all_names_that_were_shown_are_approved_and_none_that_came_since(hana, site, made):
    game = made(names=Names.APPROVED)
    seated(game, "Ada", "Ben", approved=False)
    seated(game, "Cem")
    page = hana.get(address(game, "game_players")).content.decode()
    shown = re.findall(r'name="player" value="([^"]+)"', page)
    assert shown == ["ada", "ben"]
    seated(game, "Late", approved=False)
    done = hana.post(address(game, "game_players"), {"player": [*shown, "cem", "nobody"]}, follow=True)
    assert "2 players approved." in done.content.decode()
    assert [each.name for each in seats.read_seats(game.id) if not each.approved] == ["Late"]
    assert [kind for kind, _said in events(site)] == ["LivePlayerApproved"] * 2


def test_who_is_removed_does_not_count_in_the_round_that_is_open(hana, made):
    game = made()
    players_ = seated(game, "Ada", "Ben", "Cem")
    drive(game, Step.NEXT)
    for seat in players_:
        give(game, seat, [0])
    change(hana, game, "ada", "remove")
    change(hana, game, "ben", "remove")
    change(hana, game, "ben", "readmit")
    drive(game, Step.CLOSE)
    sealed = rounds.round_from_parts(repository.round_items(game.id, 1))
    assert {each.player for each in sealed.entries} == {"ben", "cem"}


def test_more_time_is_given_at_once_and_taken_back_between_questions(hana, site, made):
    game = made()
    seated(game, "Ada")
    state = drive(game, Step.NEXT)
    end = state.clock.end()
    change(hana, game, "ada", "time", percent="200")
    after = repository.read_state(game.id)
    assert (after.longest, after.version) == (200, state.version + 1)
    assert not after.is_over(end + clock.GRACE_MS + 1)
    assert give(game, seats.find(game.id, "ada"), [0], at=end + clock.GRACE_MS + 1) == "counted"
    assert "time while a question is open" in change(hana, game, "ada", "time", percent="150").content.decode()
    drive(game, Step.CLOSE)
    change(hana, game, "ada", "time", percent="100")
    assert seats.find(game.id, "ada").percent == 100
    (_kind, first), (kind, second) = events(site)
    assert first["state"]["longest"] == 200
    assert (kind, second) == ("LivePlayerTimed", {"game_id": game.id, "player": "ada", "percent": 100})


@pytest.mark.parametrize(("act", "more"), [("", {}), ("made-up", {}), ("time", {"percent": "900"}), ("time", {})])
def test_what_nobody_offers_changes_nothing(hana, site, made, act, more):
    game = made()
    (ada,) = seated(game, "Ada")
    assert 'class="message error' in change(hana, game, "ada", act, **more).content.decode()
    assert seats.find(game.id, "ada") == ada
    assert events(site) == []


def test_more_time_waits_for_a_closing_that_has_begun(site, made):
    """Otherwise those who were told that they came too late would count after all."""
    game = made()
    seated(game, "Ada")
    state = drive(game, Step.NEXT)
    site.write(repository.closing(game, state, LONG_AGO))
    seating.give_time(game.id, "ada", "Hana", 150)
    after = repository.read_state(game.id)
    assert (after.phase, after.longest) == (Phase.RESULTS, 150)


# --- one's own seat ---


def test_a_player_changes_their_own_name_while_the_session_waits(client, site, made):
    game = made()
    joined_by(client, game, "Ada")
    seated(game, "Ben")
    taken = client.post(address(game, "seat"), {"act": "rename", "name": "BEN"})
    assert taken.status_code == 422
    assert 'value="BEN 2"' in taken.content.decode()
    assert client.post(address(game, "seat"), {"act": "rename", "name": "x" * 41}).status_code == 422
    assert client.post(address(game, "seat"), {"act": "rename", "name": "Ada B"}).status_code == 302
    (ada,) = [each for each in seats.read_seats(game.id) if each.player != "ben"]
    assert ada.name == "Ada B"
    assert events(site) == [("LivePlayerRenamed", {"game_id": game.id, "player": ada.player})]
    drive(game, Step.NEXT)
    assert b'value="rename"' not in client.get(address(game, "seat")).content
    late = client.post(address(game, "seat"), {"act": "rename", "name": "Cem"}, follow=True)
    assert "is no longer possible" in late.content.decode()
    assert seats.find(game.id, ada.player).name == "Ada B"


def joined_by(client, game, name):
    assert join(client, game, name).status_code == 302


def test_who_leaves_may_come_back_and_what_they_said_counts(client, made):
    game = made()
    joined_by(client, game, "Ada")
    drive(game, Step.NEXT)
    (ada,) = seats.read_seats(game.id)
    give(game, ada, [0])
    assert client.post(address(game, "seat"), {"act": "leave"}).status_code == 302
    assert "You have left" in client.get(address(game, "seat")).content.decode()
    assert snapshots.current(game.id).playing == []
    drive(game, Step.CLOSE)
    assert [each.points for each in rounds.round_from_parts(repository.round_items(game.id, 1)).entries] == [1000]
    assert client.post(address(game, "seat"), {"act": "here"}).status_code == 302
    assert client.get(address(game, "seat")).status_code == 200
    assert [each.name for each in snapshots.current(game.id).playing] == ["Ada"]


def test_the_newest_device_plays_and_the_older_is_told(client, made):
    game = made()
    joined_by(client, game, "Ada")
    page = client.get(address(game, "seat")).content.decode()
    link = re.search(rf"/live/{game.id}/seat/[^<\"]+/", page)[0]
    phone = Client()
    asks = phone.get(link)
    assert "Continue as Ada" in asks.content.decode()
    assert client.get(address(game, "seat")).status_code == 200, "Who only follows a link takes nothing."
    assert phone.post(link)["Location"] == address(game, "play")
    assert phone.get(address(game, "seat")).status_code == 200
    older = client.get(address(game, "seat"))
    assert older.status_code == 409
    assert "You are now playing on another device" in older.content.decode()
    assert client.post(address(game, "seat"), {"act": "leave"}).status_code == 409
    assert Client().post(link).status_code == 410, "A link is good once."
    assert client.post(address(game, "seat"), {"act": "here"})["Location"] == address(game, "play")
    assert client.get(address(game, "seat")).status_code == 200
    assert phone.get(address(game, "seat")).status_code == 409
    assert Client().get(link).status_code == 410
    assert len(list(seats.read_seats(game.id))) == 1


def test_a_link_to_a_seat_is_good_for_its_session_and_for_ten_minutes(client, made, monkeypatch):
    game, other = made(), made()
    joined_by(client, game, "Ada")
    (seat,) = seats.read_seats(game.id)
    link = players.link_of(game, players.Pass(seat.player, seat.device, "made up"))
    for address_ in (
        reverse("take_seat", args=[game.id, link]),
        reverse("take_seat", args=[other.id, link]),
        reverse("take_seat", args=[game.id, "made-up"]),
    ):
        assert Client().get(address_).status_code == 410
        assert Client().post(address_).status_code == 410
    page = client.get(address(game, "seat")).content.decode()
    good = re.search(rf"/live/{game.id}/seat/[^<\"]+/", page)[0]
    monkeypatch.setattr(players, "DEVICE_LINK_SECONDS", -1)
    assert Client().get(good).status_code == 410


def test_a_seat_that_is_taken_twice_at_once_has_one_newest_device(made):
    game = made()
    held = players.pass_of_form(players.new_form())
    joining.join(game, repository.read_state(game.id), None, "Ada", held)
    taken = [each for each in at_once(*[lambda: joining.take_over(game, held)] * 3) if isinstance(each, players.Pass)]
    assert seats.find(game.id, held.player).device in {each.device for each in taken}
