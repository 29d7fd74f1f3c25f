"""Another device in somebody's seat: never their secret vote, not without them while it is open, and never unseen."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse

from foundation.qa.rules import Mode
from foundation.store.log import EventLog
from parts.assembly import check_in, roll
from parts.live import clock, repository, room_questions, seats
from parts.live.rules import Step
from parts.live.screens import snapshots
from parts.live.services import answering, seating
from parts.questions.question import Kind, Question, Type
from tests.assembly.test_check_in import address, by_code, code_of, host, send_check_in
from tests.live.conftest import drive
from tests.live.qa.conftest import send, upvote
from tests.people import PASSWORD, sign_in

NAMES = ("Zita", "Yves", "Xenia")
AGENDA = (
    Question("Who chairs?", Kind.CHOICE, options=("Ines", "Jo"), secret=True, seconds=0),
    Question("The budget", Kind.MOTION, seconds=0),
)
TICKED = re.compile(r'aria-pressed="true"')
IS_IN = "Your vote is in."


@pytest.fixture
def assembly(made):
    game = made(Type.ASSEMBLY, AGENDA)
    roll.add(game.id, "Hana", NAMES)
    return repository.find(game.id)[0]


@pytest.fixture
def phones(assembly) -> dict[str, Client]:
    found = {name: Client() for name in NAMES}
    for name, phone in found.items():
        by_code(phone, assembly, code_of(assembly, name))
    return found


def events(site, kind="LiveSeatTakenOver") -> list[dict]:
    return [each["event_data"] for each in EventLog(site).since(0) if each["event_type"] == kind]


def play(phone: Client, game) -> str:
    return phone.get(address(game, "play"), follow=True).content.decode()


def cast(phone: Client, game, option: str):
    words = {"round": repository.read_state(game.id).round, "option": option}
    return phone.post(reverse("give_vote", args=[game.id]), words, follow=True)


def open_vote(game) -> None:
    drive(game, Step.NEXT)
    drive(game, Step.VOTE)


def new_code(game, name: str) -> str:
    """As the host gets at one."""
    page = host().post(address(game, "game_roll"), {"act": "renew", "name": name}).content.decode()
    return re.search(r'class="card-code" dir="ltr">([^<]+)<', page)[1]


def number_on(page: str) -> str:
    return re.search(r'name="number" value="(\d{4})"', page)[1]


def answer(phone: Client, game, act: str, number: str):
    return phone.post(address(game, "seat"), {"act": act, "number": number}, follow=True)


def seat_of(game, name: str):
    return next(each for each in seats.read_seats(game.id) if each.name == name)


# --- while a secret vote is open ---


def test_the_host_with_a_new_code_neither_reads_nor_changes_a_secret_vote(site, assembly, phones):
    """The attack: make a new code for somebody who has voted, and check in with it."""
    open_vote(assembly)
    cast(phones["Zita"], assembly, "1")
    thief = Client()
    page = by_code(thief, assembly, new_code(assembly, "Zita"))
    assert page["Location"] == address(assembly, "play")
    waiting = play(thief, assembly)
    assert "It has to agree first." in waiting
    assert "wait until the vote is closed" in waiting, "Somebody whose phone is dead is told what to do."
    assert IS_IN not in waiting
    assert cast(thief, assembly, "0").redirect_chain == [], "No vote is taken from there; the page still waits."
    assert thief.get(reverse("game_now", args=[assembly.id, "player"])).status_code == 404
    mine = play(phones["Zita"], assembly)
    assert IS_IN in mine
    assert TICKED.search(mine)
    assert "Another device is asking for your seat" in mine
    assert "created a new code for you" in mine
    drive(assembly, Step.CLOSE)
    by_code(thief, assembly, code_of(assembly, "Zita"))
    assert not TICKED.search(play(thief, assembly)), "Nor once it is closed."
    assert events(site) == [
        {"game_id": assembly.id, "player": seat_of(assembly, "Zita").player, "round": 1, "agreed": False}
    ]


def test_the_same_with_an_account(assembly, person):
    """Who is on the roll by account and has a seat can be given a code, too."""
    person("Ada")
    roll.add(assembly.id, "Hana", ["Ada"])
    game, ada = repository.find(assembly.id)[0], sign_in("Ada")
    send_check_in(ada, game)
    for name in NAMES:
        by_code(Client(), game, code_of(game, name))
    open_vote(game)
    cast(ada, game, "1")
    for thief in (Client(), Client()):
        thief.post("/sign-in/", {"name_or_email": "Ada", "password": PASSWORD})
        send_check_in(thief, game)
        assert "It has to agree first." in play(thief, game)
    coded = Client()
    by_code(coded, game, new_code(game, "Ada"))
    assert "It has to agree first." in play(coded, game)
    assert IS_IN in play(ada, game)


def test_the_device_agrees_and_the_other_may_replace_the_vote_but_is_not_shown_it(site, assembly, phones):
    open_vote(assembly)
    cast(phones["Zita"], assembly, "1")
    assert TICKED.search(play(phones["Zita"], assembly))
    tablet = Client()
    by_code(tablet, assembly, code_of(assembly, "Zita"))
    asked = number_on(play(phones["Zita"], assembly))
    assert f"<b>{asked}</b>" in play(tablet, assembly), "Both devices show the same number."
    waits = tablet.get(address(assembly, "seat"), headers={"HX-Request": "true"})
    assert waits.status_code == 204
    page = answer(phones["Zita"], assembly, "allow", asked)
    assert "The other device has your seat now." in page.content.decode()
    goes_on = tablet.get(address(assembly, "seat"), headers={"HX-Request": "true"})
    assert goes_on["HX-Redirect"] == address(assembly, "play")
    shown = play(tablet, assembly)
    assert "You have voted with another device." in shown
    assert IS_IN not in shown
    assert not TICKED.search(shown), "No option is ticked in advance."
    (event,) = events(site)
    assert event["agreed"]
    cast(tablet, assembly, "0")
    for phone in ("Yves", "Xenia"):
        cast(phones[phone], assembly, "1")
    drive(assembly, Step.CLOSE)
    assert sorted(each.value for each in snapshots.current(assembly.id).round.entries) == ["0", "1", "1"]


def test_a_device_that_refuses_is_not_asked_again_during_the_vote(site, assembly, phones):
    open_vote(assembly)
    tablet = Client()
    by_code(tablet, assembly, code_of(assembly, "Zita"))
    asked = number_on(play(phones["Zita"], assembly))
    answer(phones["Zita"], assembly, "refuse", asked)
    assert "has refused this one" in by_code(tablet, assembly, code_of(assembly, "Zita")).content.decode()
    assert "Another device is asking" not in play(phones["Zita"], assembly)
    drive(assembly, Step.CLOSE)
    by_code(tablet, assembly, code_of(assembly, "Zita"))
    assert tablet.get(address(assembly, "play")).status_code == 200, "Afterwards it is as always."
    assert len(events(site)) == 1


def test_a_request_is_answered_by_its_number_and_only_by_the_seat_itself(site, assembly, phones):
    """Somebody who presses Allow means the request that they saw, not one that came since."""
    open_vote(assembly)
    first, second = Client(), Client()
    by_code(first, assembly, code_of(assembly, "Zita"))
    before = seat_of(assembly, "Zita")
    seen = check_in.claim_number(before, repository.read_state(assembly.id))
    other = f"{(int(seen) + 1) % 10_000:04d}"
    assert "No other device is asking" in answer(phones["Zita"], assembly, "allow", other).content.decode()
    answer(phones["Yves"], assembly, "allow", seen)
    answer(first, assembly, "allow", seen)
    answer(second, assembly, "allow", seen)
    assert seat_of(assembly, "Zita").secret == before.secret
    assert events(site) == []


def test_a_request_ends_with_its_vote(assembly, phones):
    open_vote(assembly)
    tablet = Client()
    by_code(tablet, assembly, code_of(assembly, "Zita"))
    asked = number_on(play(phones["Zita"], assembly))
    drive(assembly, Step.CLOSE)
    goes_on = tablet.get(address(assembly, "seat"), headers={"HX-Request": "true"})
    assert goes_on["HX-Redirect"] == address(assembly, "play")
    assert "The vote is closed" in play(tablet, assembly)
    assert "No other device is asking" in answer(phones["Zita"], assembly, "allow", asked).content.decode()


@pytest.mark.parametrize("how", ["left", "checked out"])
def test_a_seat_that_somebody_left_is_guarded_as_well(assembly, phones, how):
    """Otherwise a host could check somebody out and come in their place."""
    open_vote(assembly)
    cast(phones["Zita"], assembly, "1")
    if how == "left":
        phones["Zita"].post(address(assembly, "seat"), {"act": "leave"})
    else:
        seating.check_out(assembly.id, seat_of(assembly, "Zita").player, "Hana")
    tablet = Client()
    by_code(tablet, assembly, code_of(assembly, "Zita"))
    assert "It has to agree first." in play(tablet, assembly)
    answer(phones["Zita"], assembly, "allow", number_on(play(phones["Zita"], assembly)))
    assert "You have voted with another device." in play(tablet, assembly)
    assert seat_of(assembly, "Zita").is_there


def test_a_vote_that_opens_at_this_moment_is_guarded(site, assembly, phones, monkeypatch):
    """Whoever read the state before it opened is refused by the store, and looks again."""
    drive(assembly, Step.NEXT)
    record, opened = check_in._record_takeover, []

    def late(*arguments, **words):
        if not opened:
            opened.append(drive(assembly, Step.VOTE))
        record(*arguments, **words)

    monkeypatch.setattr(check_in, "_record_takeover", late)
    tablet = Client()
    by_code(tablet, assembly, code_of(assembly, "Zita"))
    assert "It has to agree first." in play(tablet, assembly)
    assert events(site) == []


# --- at other times ---


def test_a_takeover_is_seen_by_the_room_and_in_the_log(site, assembly, phones):
    drive(assembly, Step.NEXT)
    by_code(Client(), assembly, new_code(assembly, "Zita"))
    screen = Client().get(reverse("screen", args=[assembly.id, assembly.screen_token])).content.decode()
    pages = [screen, *(host().get(address(assembly, name)).content.decode() for name in ("host_game", "remote"))]
    for page in pages:
        assert "Now on another device: <bdi>Zita</bdi>" in page
        assert "Given a new code: <bdi>Zita</bdi>" in page
    assert "with another device since" in host().get(address(assembly, "game_roll")).content.decode()
    told = play(phones["Zita"], assembly)
    assert "Another device has your seat." in told
    assert "tell the host now" in told
    assert [each["round"] for each in events(site)] == [1]
    drive(assembly, Step.CLOSE)
    drive(assembly, Step.NEXT)
    assert "Zita" not in Client().get(reverse("screen", args=[assembly.id, assembly.screen_token])).content.decode()


def test_many_takeovers_name_a_few_people(assembly):
    everybody = [seats.Seat(f"p{number}", f"Member {number:02d}", "", own={"taken_over_in": 0}) for number in range(8)]
    told = check_in.takeover_names(everybody, repository.read_state(assembly.id))
    assert told["taken_over"] == ([f"Member {number:02d}" for number in range(5)], 3)


def test_an_open_vote_is_everybodys_to_see_and_goes_with_the_seat(assembly, phones):
    drive(assembly, Step.NEXT)
    drive(assembly, Step.CLOSE)
    open_vote(assembly)
    cast(phones["Zita"], assembly, "yes")
    tablet = Client()
    by_code(tablet, assembly, code_of(assembly, "Zita"))
    assert "Your vote is in." in play(tablet, assembly)


def test_the_same_seat_on_other_devices_too_often_is_refused(site, assembly, phones, monkeypatch):
    monkeypatch.setattr(check_in, "TAKEOVERS", check_in.Limit("live-takeover", 2, 3600))
    pages = [by_code(Client(), assembly, code_of(assembly, "Zita")) for _try in range(3)]
    assert [page.status_code for page in pages] == [302, 302, 422]
    assert "changed devices too often" in pages[-1].content.decode()
    assert len(events(site)) == 2


def test_a_vote_is_bound_to_the_secret_of_its_device(assembly, phones):
    """However another came to have the seat."""
    open_vote(assembly)
    cast(phones["Zita"], assembly, "1")
    state, seat = repository.read_state(assembly.id), seat_of(assembly, "Zita")
    assert answering.own(assembly, state, seat).value == "1"
    taken = answering.own(assembly, state, replace(seat, secret="another"))
    assert (taken.value, taken.receipt) == (None, "")


def test_who_takes_a_seat_over_is_not_told_what_it_asked_without_a_name(assembly, phones):
    """Nor by being refused to upvote it, as authors are."""
    room_questions.set_up(assembly.id, "Hana", is_on=True, mode=Mode.OPEN)
    zita = seat_of(assembly, "Zita")
    asked = send(assembly, zita, "Who paid for this?", clock.now() - 60_000)
    snapshots.current(assembly.id)
    page = reverse("qa", args=[assembly.id])
    assert "Visible to everybody." in phones["Zita"].get(page).content.decode(), "Its author is told what became of it."
    thief = Client()
    by_code(thief, assembly, new_code(assembly, "Zita"))
    seen = thief.get(page).content.decode()
    assert "Who paid for this?" in seen
    assert "Visible to everybody." not in seen
    assert upvote(assembly, seat_of(assembly, "Zita"), asked)
