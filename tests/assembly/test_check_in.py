"""Checking in to an assembly: by account or by a code of the roll, once, and the same person on every device."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from accounts import repository as people
from accounts.rules import Role
from foundation.acts import rate_limits
from foundation.acts.refusals import NotNow, Refusal
from foundation.acts.storage import table
from foundation.ranking.codes import code_symbols
from foundation.store import keys
from foundation.store.log import EventLog
from parts.assembly import attendance, check_in, roll, speakers
from parts.assembly.attendance import AssemblySeat, Entitlement, own_of
from parts.live import players, repository, rules, seats
from parts.live.rules import Step
from parts.live.screens import snapshots
from parts.live.services import joining, seating
from parts.questions.question import Type
from tests.clock import at_its_own_moment
from tests.live.conftest import drive, seated
from tests.people import PASSWORD, sign_in


def address(game, name="check_in"):
    return reverse(name, args=[game.id, game.token] if name in ("check_in", "join_game") else [game.id])


def token_of(page) -> str:
    return re.search(r'name="form" value="([^"]+)"', page.content.decode())[1]


def send_check_in(client, game, **more):
    """As a browser does: the page, then its button."""
    return client.post(address(game), {"form": token_of(client.get(address(game))), **more})


def by_code(client, game, code):
    return send_check_in(client, game, by="code", code=code)


def code_of(game, name) -> str:
    return roll.code_of(game.id, roll.find(game.id, name))


def host() -> Client:
    client = Client()
    client.post("/sign-in/", {"name_or_email": "Hana", "password": PASSWORD})
    return client


def there(game) -> list[str]:
    return sorted(each.name for each in seats.read_seats(game.id) if each.is_there)


@pytest.fixture
def assembly(made):
    return made(Type.ASSEMBLY)


@pytest.fixture
def listed(assembly, person):
    """Ada has an account, Zita and Yves have none."""
    person("Ada")
    roll.add(assembly.id, "Hana", ["Ada", "Zita", "Yves"])
    return repository.find(assembly.id)[0]


# --- by account ---


def test_whoever_joins_an_assembly_is_led_to_its_check_in(client, assembly):
    assert client.get(address(assembly, "join_game"))["Location"] == address(assembly)
    assert client.post(address(assembly, "join_game"), {"name": "Ada"})["Location"] == address(assembly)
    assert not list(seats.read_seats(assembly.id)), "Nobody gets in by a typed name."


def test_a_stranger_is_asked_to_sign_in_and_comes_back(client, assembly):
    text = client.get(address(assembly)).content.decode()
    assert f"/sign-in/?next={address(assembly)}" in text
    assert "I am here" not in text
    assert client.post(address(assembly), {"form": players.new_form()}).status_code == 409
    assert not list(seats.read_seats(assembly.id))


def test_an_account_checks_in_by_a_button_and_never_by_a_link(assembly):
    ada = sign_in("Ada")
    page = ada.get(address(assembly))
    assert "I am here" in page.content.decode()
    assert not list(seats.read_seats(assembly.id)), "To look is not to be there."
    assert send_check_in(ada, assembly)["Location"] == address(assembly, "play")
    (seat,) = seats.read_seats(assembly.id)
    assert (seat.name, seat.own["account"], seat.own["entry"], seat.is_there) == ("Ada", "Ada", "", True)
    assert ada.get(address(assembly))["Location"] == address(assembly, "play")


def test_a_seat_holds_flat_what_the_assembly_stores_and_the_engine_leaves_it_alone(listed):
    by_code(Client(), listed, code_of(listed, "Zita"))
    (seat,) = seats.read_seats(listed.id)
    own = repository.values(AssemblySeat(entry="Zita"))
    assert seat.own == own
    seating.check_out(listed.id, seat.player, "Hana")
    after = table().get(keys.seat(listed.id, seat.player))
    assert after.items() >= {**own, "name": "Zita", "left": True, "version": 2}.items()
    assert own_of(seats.seat_from_item(after)) == AssemblySeat(entry="Zita")


@pytest.mark.deep
def test_the_same_account_is_one_person_on_two_devices_and_the_older_is_told(assembly):
    phone, laptop = sign_in("Ada"), Client()
    laptop.post("/sign-in/", {"name_or_email": "Ada", "password": PASSWORD})
    send_check_in(phone, assembly)
    send_check_in(laptop, assembly)
    assert there(assembly) == ["Ada"]
    assert laptop.get(address(assembly, "play")).status_code == 200
    told = phone.get(address(assembly, "play"), follow=True)
    assert told.redirect_chain == [(address(assembly), 302)]
    assert "Another device has your seat." in told.content.decode()
    now = reverse("game_now", args=[assembly.id, "player"])
    assert phone.get(now).status_code == 404, "Its page stops listening."


def test_a_double_click_and_two_tabs_make_one_seat(assembly):
    ada = sign_in("Ada")
    first, second = (token_of(ada.get(address(assembly))) for _tab in range(2))
    for form in (first, first, second):
        assert ada.post(address(assembly), {"form": form}).status_code == 302
        assert ada.get(address(assembly, "play")).status_code == 200
    assert there(assembly) == ["Ada"]


def test_a_later_account_of_the_same_name_is_somebody_else(assembly, person):
    ada = person("Ada")
    later = roll.player_of(assembly.id, "Ada", "2030-01-01T00:00:00.000Z")
    assert later != roll.player_of(assembly.id, ada.name, ada.created_at)
    assert len(later) == 10


def test_an_account_without_access_cannot_check_in(assembly):
    nico = sign_in("Nico", Role.NO_ACCESS)
    answer = send_check_in(nico, assembly)
    assert answer.status_code == 409
    assert "cannot take part yet" in answer.content.decode()


def test_a_form_without_its_token_and_a_wrong_link_open_nothing(assembly):
    ada = sign_in("Ada")
    assert ada.post(address(assembly), {"form": "short"}).status_code == 422
    assert ada.get(reverse("check_in", args=[assembly.id, "made-up"])).status_code == 404
    assert ada.get(reverse("check_in", args=["no-such-session", "made-up"])).status_code == 404
    assert not list(seats.read_seats(assembly.id))


def test_a_session_that_is_none_leads_back_to_joining(client, made):
    game = made()
    assert client.get(address(game))["Location"] == address(game, "join_game")


def test_nobody_checks_in_after_the_end(assembly):
    ada = sign_in("Ada")
    form = token_of(ada.get(address(assembly)))
    drive(assembly, Step.END)
    assert ada.get(address(assembly)).status_code == 410
    assert ada.post(address(assembly), {"form": form}).status_code == 410
    found, held = repository.find(assembly.id), players.pass_of_form(form)
    with pytest.raises(joining.Over):
        check_in.by_account(*found, people.find("Ada"), held)


# --- coming and going ---


def test_who_leaves_is_not_present_and_comes_back(assembly):
    ada = sign_in("Ada")
    send_check_in(ada, assembly)
    page = ada.get(address(assembly, "seat")).content.decode()
    assert "I am leaving" in page
    assert 'name="name"' not in page, "In an assembly nobody changes their name."
    ada.post(address(assembly, "seat"), {"act": "leave"})
    assert there(assembly) == []
    assert "I am here again" in ada.get(address(assembly, "play")).content.decode()
    before = next(seats.read_seats(assembly.id)).joined_at
    ada.post(address(assembly, "seat"), {"act": "here"})
    assert there(assembly) == ["Ada"]
    assert next(seats.read_seats(assembly.id)).joined_at > before, "Since now."


def test_a_host_checks_somebody_out_and_in_again(site, assembly):
    ada, hana = sign_in("Ada"), host()
    send_check_in(ada, assembly)
    (seat,) = seats.read_seats(assembly.id)
    act = reverse("change_player", args=[assembly.id, seat.player])
    assert hana.post(act, {"act": "out"})["Location"] == address(assembly, "game_roll")
    assert there(assembly) == []
    assert hana.post(act, {"act": "rename", "name": "Bob"}).status_code == 302
    hana.post(act, {"act": "in"})
    assert there(assembly) == ["Ada"], "And still under the name of the account."
    told = [each for each in EventLog(site).since(0) if each["event_type"].startswith("LivePlayer")]
    assert [each["event_type"] for each in told] == ["LivePlayerCheckedOut", "LivePlayerCheckedIn"]
    assert told[0]["event_data"] == {"game_id": assembly.id, "player": seat.player}


def test_who_was_removed_does_not_get_in_again(assembly, person):
    ada = sign_in("Ada")
    send_check_in(ada, assembly)
    (seat,) = seats.read_seats(assembly.id)
    seating.remove(assembly.id, seat.player, "Hana")
    again = Client()
    again.post("/sign-in/", {"name_or_email": "Ada", "password": PASSWORD})
    answer = send_check_in(again, assembly)
    assert answer.status_code == 409
    assert "The host has removed you" in answer.content.decode()


def test_in_other_sessions_nobody_is_checked_out(made):
    game = made()
    (ada,) = seated(game, "Ada")
    with pytest.raises(NotNow):
        seating.check_out(game.id, ada.player, "Hana")


# --- by a code of the roll ---


def test_a_code_checks_in_whoever_has_no_account(client, listed):
    code = code_of(listed, "Zita")
    assert re.fullmatch(r"[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}", code)
    page = client.get(address(listed), {"code": code})
    assert f'value="{code}"' in page.content.decode(), "The link fills the field in,"
    assert not list(seats.read_seats(listed.id)), "and does nothing else."
    assert by_code(client, listed, f" {code.lower().replace('-', ' ')} ").status_code == 302
    (seat,) = seats.read_seats(listed.id)
    assert (seat.name, seat.own["account"], seat.own["entry"]) == ("Zita", "", "Zita")
    assert client.get(address(listed, "play")).status_code == 200
    assert client.get(address(listed))["Location"] == address(listed, "play")


def test_a_code_that_is_typed_as_it_was_misread_is_the_same(listed):
    assert code_symbols(" o1il-0 ") == "01110"


def test_only_those_on_the_roll_get_in(listed):
    bob = sign_in("Bob")
    page = bob.get(address(listed)).content.decode()
    assert "this account is not on the roll" in page
    answer = bob.post(address(listed), {"form": players.new_form()})
    assert (answer.status_code, "Bob is not on the roll" in answer.content.decode()) == (409, True)
    ada = Client()
    ada.post("/sign-in/", {"name_or_email": "Ada", "password": PASSWORD})
    assert send_check_in(ada, listed).status_code == 302
    assert there(listed) == ["Ada"]
    assert next(seats.read_seats(listed.id)).own["entry"] == "Ada"


def test_an_account_made_of_a_name_on_the_roll_is_not_that_person(listed):
    """Somebody reads the roll, and registers as one of those who have a code."""
    zita = sign_in("Zita")
    assert zita.post(address(listed), {"form": players.new_form()}).status_code == 409
    assert "by name, but not with this account" in zita.get(address(listed)).content.decode()
    assert by_code(zita, listed, code_of(listed, "Zita")).status_code == 302


@pytest.mark.parametrize("code", ["", "----", "0000-0000", "x" * 41, "Zita"])
def test_a_guessed_code_is_refused_in_a_sentence(client, listed, code):
    answer = by_code(client, listed, code)
    assert answer.status_code == 422
    assert 'class="errorlist"' in answer.content.decode() or "error" in answer.content.decode()
    assert not list(seats.read_seats(listed.id))


def test_who_has_an_account_has_no_code_until_they_are_given_one(client, listed):
    assert code_of(listed, "Ada") == ""
    roll.renew(listed.id, "Hana", "Ada")
    game = repository.find(listed.id)[0]
    assert by_code(client, game, code_of(game, "Ada")).status_code == 302
    signed_in = Client()
    signed_in.post("/sign-in/", {"name_or_email": "Ada", "password": PASSWORD})
    assert send_check_in(signed_in, game).status_code == 302
    assert there(game) == ["Ada"], "By account and by code she is one person."


def test_a_lost_code_is_renewed_and_the_old_one_is_refused_at_once(client, listed):
    lost = code_of(listed, "Zita")
    assert by_code(client, listed, lost).status_code == 302
    roll.renew(listed.id, "Hana", "Zita")
    game = repository.find(listed.id)[0]
    assert by_code(Client(), game, lost).status_code == 422
    rightful = Client()
    assert by_code(rightful, game, code_of(game, "Zita")).status_code == 302
    assert there(game) == ["Zita"]
    assert client.get(address(game, "play"))["Location"] == address(game), "Whoever had the lost one is out."
    assert rightful.get(address(game, "play")).status_code == 200


def test_a_name_that_is_put_on_the_roll_again_has_another_code(listed):
    before = code_of(listed, "Zita")
    at_its_own_moment(lambda: roll.remove(listed.id, "Hana", "Zita"))
    roll.add(listed.id, "Hana", ["Zita"])
    assert code_of(listed, "Zita") != before


def test_somebody_on_the_roll_does_not_use_the_code_of_another(listed):
    ada = Client()
    ada.post("/sign-in/", {"name_or_email": "Ada", "password": PASSWORD})
    answer = by_code(ada, listed, code_of(listed, "Zita"))
    assert answer.status_code == 422
    assert "This code is not yours." in answer.content.decode()
    assert there(listed) == []


def test_a_tablet_that_is_passed_round_checks_in_one_after_the_other(listed):
    tablet = Client()
    assert by_code(tablet, listed, code_of(listed, "Zita")).status_code == 302
    tablet.post("/sign-in/", {"name_or_email": "Ada", "password": PASSWORD})
    page = tablet.get(address(listed))
    assert "has checked in with this browser" in page.content.decode()
    assert send_check_in(tablet, listed).status_code == 302
    assert there(listed) == ["Ada", "Zita"]


def test_too_many_wrong_codes_are_refused_from_where_they_come(client, listed, monkeypatch):
    monkeypatch.setattr(check_in, "WRONG_CODES", rate_limits.Limit("live-roll-wrong", 2, 3600))
    for _try in range(2):
        assert by_code(client, listed, "0000-0000").status_code == 422
    refused = by_code(client, listed, code_of(listed, "Zita"))
    assert refused.status_code == 429, "If right ones still worked, guessing would be free."
    assert "Too many wrong codes" in refused.content.decode()
    elsewhere = Client(REMOTE_ADDR="203.0.113.9")
    assert by_code(elsewhere, listed, code_of(listed, "Zita")).status_code == 302


def test_a_hall_where_somebody_has_checked_in_is_never_locked_out(client, listed, monkeypatch):
    monkeypatch.setattr(check_in, "WRONG_CODES", rate_limits.Limit("live-roll-wrong", 2, 3600))
    assert by_code(Client(), listed, code_of(listed, "Zita")).status_code == 302
    for _try in range(4):
        assert by_code(client, listed, "0000-0000").status_code == 422
    assert by_code(client, listed, code_of(listed, "Yves")).status_code == 302


# --- a roll that begins while people come in ---


def test_who_has_checked_in_before_the_roll_is_put_on_it(assembly):
    ada = sign_in("Ada")
    send_check_in(ada, assembly)
    assert roll.add(assembly.id, "Hana", ["Zita"]) == 1
    game = repository.find(assembly.id)[0]
    assert (game.own.has_roll, game.own.entitled) == (True, 2)
    assert {each.name for each in roll.each_entry(game.id)} == {"Ada", "Zita"}
    assert ada.get(address(game, "play")).status_code == 200


def test_who_comes_a_moment_after_the_roll_began_is_not_present(assembly, person):
    """What they have read says that there is none."""
    ada = person("Ada")
    roll.add(assembly.id, "Hana", ["Zita"])
    with pytest.raises(Refusal, match="roll"):
        check_in.by_account(assembly, rules.State(), ada, players.pass_of_form(players.new_form()))
    assert there(assembly) == []


# --- how many are there ---


def test_every_screen_says_how_many_are_present_and_whether_that_is_enough(assembly):
    roll.change_quorum(assembly.id, "Hana", 4, "1/2")
    ada, hana = sign_in("Ada"), host()
    send_check_in(ada, assembly)
    screen = reverse("screen", args=[assembly.id, assembly.screen_token])
    for browser, page in ((ada, "play"), (hana, "host_game"), (hana, "remote"), (Client(), screen)):
        where = page if page.startswith("/") else address(assembly, page)
        assert "quorum of 2: not met" in browser.get(where).content.decode(), page
    send_check_in(sign_in("Ben"), assembly)
    assert "quorum of 2: met" in ada.get(address(assembly, "play")).content.decode()
    seating.check_out(assembly.id, next(seats.read_seats(assembly.id)).player, "Hana")
    assert "1 of 4 present" in hana.get(address(assembly, "remote")).content.decode()


@pytest.mark.parametrize(
    ("entitled", "needed", "present", "text"),
    [
        (0, "", 1, "1 present"),
        (120, "", 37, "37 of 120 present"),
        (120, "1/4", 30, "30 of 120 present, quorum of 30: met"),
        (120, "1/4", 29, "29 of 120 present, quorum of 30: not met"),
        (9, ">1/2", 5, "5 of 9 present, quorum of 5: met"),
        (0, "25", 25, "25 present, quorum of 25: met"),
        (0, "1/2", 25, "25 present, quorum unknown: the number of people entitled to vote is missing"),
    ],
)
def test_presence_in_words(assembly, entitled, needed, present, text):
    presence = attendance.presence(rules.replace(assembly, own=Entitlement(entitled, needed)), present)
    assert ", ".join(filter(None, (presence.people, presence.quorum))) == text


def test_a_rehearsal_says_so(made):
    assert attendance.presence(made(Type.ASSEMBLY, debug_mode=5), 5).is_rehearsal
    assert speakers.floor_of(snapshots.current(made(Type.ASSEMBLY).id)) is None, (
        "And nobody speaks before something is called."
    )
