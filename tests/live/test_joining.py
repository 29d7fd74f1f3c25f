"""Joining: a name, a seat, and the cookie by which a browser is the same player again."""

from __future__ import annotations

import random
import re

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from foundation.acts import rate_limits
from foundation.acts.storage import table, use_table
from foundation.store import keys
from foundation.store.log import EventLog
from foundation.store.table import Unavailable
from parts.live import changes, names, players, repository, rules, seats
from parts.live.rules import Names, Step
from parts.live.services import joining
from tests.chaos import Chaos
from tests.live.conftest import drive
from tests.rows import every_row


def address(game, name="join_game"):
    return reverse(name, args=[game.id, game.token] if name == "join_game" else [game.id])


def token_of(page, field="form") -> str:
    return re.search(rf'name="{field}" value="([^"]+)"', page.content.decode())[1]


def join(client, game, name="Ada", **more):
    """As a browser does: the page, then its form."""
    page = client.get(address(game))
    return client.post(address(game), {"form": token_of(page), "name": name, **more})


# --- names ---


@every_row(
    "name",
    ["Ada", "a", "#1", "Zoë", "نور", "דנה", "李", "👩‍👩‍👧‍👦", "🇺🇳", "می‌خواهم", "x" * 40, "O'Neil / %20", "क्‍ष"],
)
def test_names_of_all_kinds_are_taken_as_they_are(name):
    assert names.clean(f"  {name} ") == name


@every_row(
    "name",
    ["", "   ", "\u200b", "\u200d", "Ada\u202e", "A\x00da", "A\ue000da", "x" * 41, "Z" + "\u0301\u0300" * 4, "\ud800"],
)
def test_names_that_hide_something_are_refused(name):
    with pytest.raises(ValidationError):
        names.clean(name)


@every_row("name", ["\u2067Ada", "A\u200dda", "Ada\u200d", "A\ufeffda", "A\U000e0041da", "A\u00adda"])
def test_what_nobody_sees_in_a_name_is_dropped(name):
    assert names.clean(name) == "Ada"


@every_row("language", ["en", "de"])
def test_names_are_drawn_in_the_language_of_the_page(language):
    drawn = [names.generate_name(language, random.Random(number)) for number in range(300)]
    assert len(set(drawn)) > 250
    assert all(names.clean(each) == each and len(each) <= names.MAX_VISIBLE_CHARS for each in drawn)


def test_german_words_end_as_the_animal_wants(monkeypatch):
    class First(random.Random):
        def choice(self, some):
            return next(each for each in some if each in ("blau", ("Möwe", "e")) or each == ("Möwe", "e"))

    assert names.generate_name("de", First()) == "Blaue Möwe"
    assert names._with_end("weise", "es") == "weises"
    assert names._with_end("golden", "er") == "goldener"


def test_two_names_are_offered_for_one_that_is_taken(made):
    game = made()
    for name in ("Ada", "ada 2"):
        joined(game, name)
    first, second = names.alternatives(game.id, "ADA", random.Random(1))
    assert (first, second) == ("ADA 3", "ADA 4")
    assert names.free_names(game.id, [first, second]) == [first, second]
    assert len(names.alternatives(game.id, "x" * 40)[0]) == 40


def joined(game, name, form=None):
    held = players.pass_of_form(form or players.new_form())
    roster = table().get(keys.game_roster(game.id))
    return joining.join(game, repository.read_state(game.id), roster, name, held)


# --- joining ---


def test_somebody_joins_with_a_name_and_no_account(client, site, made):
    game = made()
    before = len(list(EventLog(site).since(0)))
    told = []
    changes.subscribe(told.append)
    answer = join(client, game, "  Ada  ")
    changes._subscribers.remove(told.append)
    assert answer["Location"] == address(game, "play")
    (seat,) = seats.read_seats(game.id)
    assert (seat.name, seat.since, seat.approved, seat.plays) == ("Ada", 0, True, True)
    assert told == [game.id]
    assert site.get(keys.game_roster(game.id))["changes"] == 1
    assert len(list(EventLog(site).since(0))) == before, "Joins are no events."
    assert client.get(address(game))["Location"] == address(game, "play"), "The same browser is the same player."


def test_the_cookie_holds_no_more_than_it_must(client, made, settings):
    settings.SESSION_COOKIE_SECURE, settings.SESSION_COOKIE_PATH = True, "/vote/"  # as below a path of its host
    game = made()
    cookie = join(client, game).cookies[f"__Secure-{players.cookie_name(game.id)}"]
    assert (cookie["httponly"], cookie["secure"], cookie["samesite"]) == (True, True, "Lax")
    assert cookie["path"] == f"/vote/live/{game.id}/"
    (seat,) = seats.read_seats(game.id)
    assert seat.secret not in cookie.value
    assert len(seat.secret) == 64


def test_a_cookie_is_good_for_one_session_only(client, made):
    one, other = made(), made()
    join(client, one)
    stranger = Client()
    stranger.cookies[players.cookie_name(other.id)] = client.cookies[players.cookie_name(one.id)].value
    assert stranger.get(address(other)).status_code == 200, "It asks for a name."
    assert stranger.get(address(other, "seat"))["Location"] == reverse("join")
    renamed = Client()
    renamed.cookies[players.cookie_name(one.id)] = client.cookies[players.cookie_name(one.id)].value
    assert renamed.get(address(one, "seat")).status_code == 200


@pytest.mark.parametrize("value", ["", "made-up", "a:b:c"])
def test_a_made_up_cookie_opens_nothing(client, made, value):
    game = made()
    client.cookies[players.cookie_name(game.id)] = value
    assert client.get(address(game, "seat"))["Location"] == reverse("join")


def test_a_cookie_needs_the_secret_of_the_seat(rf, made):
    """Also one that we have signed: whoever is given another seat of the same id is another player."""
    game = made()
    seat = joined(game, "Ada")
    request = rf.get("/")
    from foundation.acts.tokens import create_token

    request.COOKIES[players.cookie_name(game.id)] = create_token(
        f"seat in {game.id}", seat.player, seat.device, "guessed"
    )
    assert players.find(request, game.id) is None
    assert players.seat_key(request, game.id) == keys.seat(game.id, seat.player)


def test_a_name_that_is_taken_gets_a_sentence_and_two_free_ones(client, made):
    game = made()
    joined(game, "Zoë")
    answer = join(client, game, "ZOË")
    assert answer.status_code == 422
    text = answer.content.decode()
    assert "This name is already taken." in text
    assert [each for each in ("ZOË 2", "ZOË 3") if f'name="instead" value="{each}"' in text] == ["ZOË 2", "ZOË 3"]
    form = token_of(answer)
    assert client.post(address(game), {"form": form, "name": "ZOË", "instead": "ZOË 2"}).status_code == 302
    assert {each.name for each in seats.read_seats(game.id)} == {"Zoë", "ZOË 2"}


@pytest.mark.parametrize("name", ["", "x" * 41, "Ada\u202e", "x" * 500])
def test_a_bad_name_is_asked_for_again(client, made, name):
    game = made()
    assert join(client, game, name).status_code == 422
    assert not list(seats.read_seats(game.id))


def test_a_form_without_its_token_is_shown_again(client, made):
    game = made()
    for form in ("", "short", "x" * 100, "no spaces or # in it at all"):
        assert client.post(address(game), {"form": form, "name": "Ada"}).status_code == 422
    assert not list(seats.read_seats(game.id))


@pytest.mark.parametrize("name", ["#1 %23", "👩‍👩‍👧‍👦", "نور"])
def test_names_with_signs_pictures_and_from_right_to_left(client, made, name):
    game = made()
    assert join(client, game, name).status_code == 302
    assert [each.name for each in seats.read_seats(game.id)] == [name]
    page = client.get(address(game, "seat")).content.decode()
    assert f'<p class="join-name" dir="auto">{name}</p>' in page


def test_a_double_click_gives_one_seat(client, made):
    game = made()
    form = token_of(client.get(address(game)))
    again = Client()  # which has no cookie yet, as the first answer is not there
    for browser in (client, again):
        assert browser.post(address(game), {"form": form, "name": "Ada"}).status_code == 302
        assert browser.get(address(game, "seat")).status_code == 200
    assert len(list(seats.read_seats(game.id))) == 1


def test_who_hears_nothing_sends_the_form_again_and_has_the_seat(site, made):
    """The store has taken it, and its reply is lost."""
    game, form = made(), players.new_form()
    with use_table(Chaos(site, random.Random(1), lost_replies=1.0)), pytest.raises(Unavailable):
        joined(game, "Ada", form)
    (seat,) = seats.read_seats(game.id)
    assert site.get(keys.game_roster(game.id)) is None
    assert joined(game, "Ada", form) == seat
    assert site.get(keys.game_roster(game.id))["changes"] == 1, "Now also those hear of it who keep seats in mind."


def test_knowing_a_players_id_opens_no_seat(made):
    """The id is made from the form's token and not the other way round."""
    game = made()
    seat = joined(game, "Ada")
    held = players.Pass(seat.player, seat.device, "made up")
    with pytest.raises(joining.SeatNameTaken):
        joining.join(game, repository.read_state(game.id), None, "Eve", held)


def test_names_are_drawn_and_nobody_can_type_another(client, made):
    game = made(names=Names.GENERATED)
    page = client.get(address(game))
    first, form = token_of(page, "offer"), token_of(page)
    another = client.post(address(game), {"form": form, "offer": first, "another": "1"})
    assert another.status_code == 200
    assert token_of(another) == form
    typed = client.post(address(game), {"form": form, "name": "Me"})
    assert typed.status_code == 422
    elsewhere = made(names=Names.GENERATED)
    foreign = token_of(client.get(address(elsewhere)), "offer")
    assert client.post(address(game), {"form": form, "offer": foreign}).status_code == 422
    assert client.post(address(game), {"form": form, "offer": first}).status_code == 302
    (seat,) = seats.read_seats(game.id)
    assert len(seat.name.split()) == 2
    quicker = Client()
    late = quicker.post(address(game), {"form": players.new_form(), "offer": first})
    assert late.status_code == 422
    assert "Somebody else just took this name" in late.content.decode()


def test_names_wait_for_the_host(client, made):
    game = made(names=Names.APPROVED)
    join(client, game, "Ada")
    (seat,) = seats.read_seats(game.id)
    assert not seat.plays
    waiting = client.get(address(game, "seat"))
    assert "The host approves every name first." in waiting.content.decode()
    asked = {"headers": {"HX-Request": "true"}}
    assert client.get(address(game, "seat"), **asked).status_code == 204
    from parts.live.services import seating

    seating.approve(game.id, seat.player, "Hana")
    assert client.get(address(game, "seat"), **asked)["HX-Redirect"] == address(game, "play")
    assert client.get(address(game, "seat")).status_code == 200


def test_who_comes_late_is_marked_with_the_question(client, made):
    game = made()
    drive(game, Step.NEXT)
    join(client, game)
    assert [each.since for each in seats.read_seats(game.id)] == [1]


def test_who_comes_when_a_question_is_closed_is_in_from_the_next_one(client, made):
    game = made()
    for step in (Step.NEXT, Step.CLOSE, Step.REVEAL):
        drive(game, step)
    join(client, game, "Late")
    page = client.get(reverse("play", args=[game.id])).content.decode()
    assert "You joined after this question" in page
    assert "You did not answer" not in page
    drive(game, Step.NEXT)
    assert "You joined at question 2." in client.get(reverse("play", args=[game.id])).content.decode()


def test_a_session_that_has_ended_says_so(client, made):
    game = made()
    drive(game, Step.END)
    answer = client.get(address(game))
    assert answer.status_code == 410
    assert "This session ended at" in answer.content.decode()
    assert client.post(address(game), {"form": players.new_form(), "name": "Ada"}).status_code == 410
    with pytest.raises(joining.Over):
        joined(game, "Ada")
    assert client.get(address(game, "seat")).status_code == 410
    assert not list(seats.read_seats(game.id))


def test_a_session_that_is_full_says_so(client, made, monkeypatch):
    monkeypatch.setattr(rules, "MAX_PLAYERS", 2)
    game = made()
    for name in ("Ada", "Ben"):
        joined(game, name)
    page = client.get(address(game))
    assert page.status_code == 409
    assert "no more than 2 people" in page.content.decode()
    sent = client.post(address(game), {"form": players.new_form(), "name": "Cem"})
    assert sent.status_code == 409
    assert len(list(seats.read_seats(game.id))) == 2


@pytest.mark.deep
def test_a_hall_behind_one_address_joins(client, made, monkeypatch):
    """A thousand from one address: nothing is counted on the way in."""
    game = made()
    counted = []
    monkeypatch.setattr(rate_limits, "_window", lambda *words: counted.append(words))
    state = repository.read_state(game.id)
    for number in range(990):
        joining.join(game, state, None, f"Guest {number}", players.pass_of_form(players.new_form()))
    for number in range(10):
        browser = Client()
        assert join(browser, game, f"Visitor {number}").status_code == 302
    assert len(list(seats.read_seats(game.id))) == 1000
    assert counted == []


def test_a_wrong_link_leads_nowhere(client, made):
    game = made()
    assert client.get(reverse("join_game", args=[game.id, "made-up"])).status_code == 404
    assert client.post(reverse("join_game", args=[game.id, made().token]), {"name": "Ada"}).status_code == 404
    assert client.get(reverse("join_game", args=["no-such-session", game.token])).status_code == 404
    assert client.get(reverse("seat", args=["no-such-session"])).status_code == 404
    assert client.put(address(game)).status_code == 405
