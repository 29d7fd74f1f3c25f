"""The phone of somebody who plays along: every type of session through its pages, without scripts and with."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import pytest
from django.test import Client
from django.urls import reverse

from foundation.acts import pause
from foundation.acts.storage import table, use_table
from foundation.store import keys
from foundation.store.table import Update
from parts.live import clock, players, repository, seats
from parts.live.plays import best_answer
from parts.live.rules import Phase, Step
from parts.live.screens import player_part, rendering, snapshots
from parts.live.screens.access import MAX_ACTIONS, WINDOW_MS
from parts.live.screens.formats import Role
from parts.live.seats import Seat
from parts.live.services import correcting
from parts.questions.question import Kind, Question, Type
from tests.chaos import Chaos
from tests.live.conftest import drive, seated
from tests.store.metering import READ, MeteredTable

SCRIPT = {"HX-Request": "true"}


class Phone:
    """The browser of a player."""

    def __init__(self, game, name: str):
        self.game, self.client = game, Client()
        joining = reverse("join_game", args=[game.id, game.token])
        answer = self.client.post(joining, {"name": name, "form": players.new_form()})
        assert answer.url == self.at("play"), answer.content.decode()

    def at(self, name: str) -> str:
        return reverse(name, args=[self.game.id])

    @property
    def seat(self) -> Seat:
        return next(each for each in seats.read_seats(self.game.id) if each.player == self.id)

    @property
    def id(self) -> str:
        request = type("Request", (), {"COOKIES": {name: each.value for name, each in self.client.cookies.items()}})()
        return players.pass_of(request, self.game.id).player

    def page(self, status: int = 200) -> str:
        answer = self.client.get(self.at("play"))
        assert answer.status_code == status
        return text_of(answer)

    def answer(self, round_: int = 1, **said):
        return self.client.post(self.at("give_answer"), {"round": round_, **said}, follow=True)

    def vote(self, round_: int = 1, **said):
        return self.client.post(self.at("give_vote"), {"round": round_, **said}, follow=True)

    def tell(self, where: str = "give_answer", **said):
        """What a script sends and gets."""
        return self.client.post(self.at(where), said, headers=SCRIPT)


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())


def chosen(page: str) -> list[str]:
    """The options that the form shows as chosen."""
    return re.findall(r'name="option" value="(\d)" (?:aria-pressed="true"|checked)', page)


def percent(phone: Phone, of: int) -> None:
    seat = phone.seat
    table().write(*seats.change(phone.game, seat, replace(seat, percent=of)))
    seats.count_change(phone.game)


# --- one session of each type ---


def test_trivia_on_a_phone(made):
    game = made(Type.TRIVIA, names="typed", speed_bonus=True)
    ada, ben = Phone(game, "Ada"), Phone(game, "Ben")
    page = ada.page()
    assert "You are in as" in page
    assert "2 players are here" in page
    assert 'http-equiv="refresh"' in page, "Without scripts the lobby loads itself."
    drive(game, Step.NEXT)
    page = ada.page()
    assert "Who proposed the Schulze method?" in page
    assert "Question 1 of 2" in page
    assert all(f"<b>{letter}</b>" in page for letter in "ABC")
    assert "Tap your answer." in page
    assert 'http-equiv="refresh"' not in page, "Nothing takes a form away."
    page = text_of(ada.answer(option=1))
    assert "Your answer is in." in page
    assert "Borda" in page
    assert chosen(page) == ["1"]
    page = text_of(ada.answer(option=0))
    assert chosen(page) == ["0"], "It can be changed until the end."
    ben.answer(option=2)
    drive(game, Step.CLOSE)
    page = ada.page()
    assert "The answers are in" in page
    assert "+1000" not in page, "Nothing is shown before it is revealed."
    drive(game, Step.REVEAL)
    page = ada.page()
    assert "Right" in page
    assert "+1000 points" in page
    assert "for speed" in page, "The bonus is told apart."
    assert "You are in place 1" in page
    page = ben.page()
    assert "Wrong" in page
    assert "+0 points" in page
    assert "You are in place 2 with 0 points." in page
    drive(game, Step.NEXT)
    assert "More than one is right." in ada.page()
    page = text_of(ada.answer(2, option=[0, 1]))
    assert chosen(page) == ["0", "1"]
    drive(game, Step.END)
    page = ada.page()
    assert "Thank you for taking part" in page
    assert "podium" in page
    assert 'http-equiv="refresh"' not in page


def test_call_and_answer_on_a_phone(made):
    game = made(Type.CALL_AND_ANSWER, questions=(Question("What next?", custom_instruction="In one sentence."),))
    phones = [Phone(game, name) for name in ("Ada", "Ben", "Cem")]
    ada = phones[0]
    drive(game, Step.NEXT)
    page = ada.page()
    assert "In one sentence." in page
    assert "At most 300 characters." in page
    page = text_of(ada.answer(text="x" * 301))
    assert "Too long: 301 characters. The limit is 300." in page
    assert "x" * 301 in page, "What was typed is still there."
    for phone, text in zip(phones, ("A bus", "A boat", "A <b>ike"), strict=True):
        assert "Your answer is in." in text_of(phone.answer(text=text))
    drive(game, Step.CLOSE)
    page = ada.page()
    assert "A boat" in page
    assert "A &lt;b&gt;ike" in page
    assert "A bus" not in page, "Never one's own."
    assert not re.search(r"\bBen\b", page), "Nobody sees whose it is."
    found = best_answer.read_gathered(game.id, 1)
    number = {answer.text: place for place, answer in enumerate(found.answers)}
    own, boat, bike = (f"rank-{number[text]}" for text in ("A bus", "A boat", "A <b>ike"))
    answer = ada.vote(**{own: "1", boat: "2"})
    assert answer.status_code == 422
    assert "You cannot vote for your own answer." in text_of(answer)
    assert f'name="{boat}" value="2" checked' in text_of(answer), "What else was chosen is still there."
    answer = ada.vote(**{boat: "", bike: ""})
    assert "Rank at least one of the answers." in text_of(answer)
    page = text_of(ada.vote(**{boat: "1", bike: "2"}))
    assert "Your vote is in." in page
    assert f'name="{boat}" value="1" checked' in page
    assert f'name="{bike}" value="2" checked' in page
    drive(game, Step.CLOSE)
    drive(game, Step.REVEAL)
    assert "+3 points" in phones[1].page()
    assert "Ben" in ada.page(), "With the results everybody sees whose it is."


def test_a_poll_on_a_phone(made):
    game = made(Type.POLL)
    phones = [Phone(game, name) for name in ("Ada", "Ben", "Cem")]
    drive(game, Step.NEXT)
    ada = phones[0]
    assert 'name="rank-2"' in ada.page()
    assert "Rank at least one of the options." in text_of(ada.answer(**{"rank-0": "", "rank-1": ""}))
    page = text_of(ada.answer(**{"rank-0": "2", "rank-1": "1"}))
    assert "Your answer is in." in page
    assert re.search(r'name="rank-1"[^>]*value="1"', page), "One's own ranking stands in the boxes."
    for phone in phones[1:]:
        phone.answer(**{"rank-1": "1"})
    drive(game, Step.CLOSE)
    drive(game, Step.REVEAL)
    assert "Hills" in ada.page()
    assert "wins" in ada.page()


def test_a_poll_where_one_is_chosen(made):
    game = made(Type.POLL, questions=(Question("Where?", Kind.CHOICE, options=("Sea", "Hills")),))
    ada = Phone(game, "Ada")
    drive(game, Step.NEXT)
    page = text_of(ada.answer(option=1))
    assert chosen(page) == ["1"]
    drive(game, Step.CLOSE)
    drive(game, Step.REVEAL)
    assert "Too few answers to show" in ada.page()


def test_a_survey_on_a_phone(made):
    game = made(Type.SURVEY)
    phones = [Phone(game, name) for name in ("Ada", "Ben", "Cem")]
    drive(game, Step.NEXT)
    ada = phones[0]
    page = ada.page()
    assert all(each in page for each in ("How was it?", "Again?", "What was best?", "Anything else?"))
    assert "Answer at least one of the questions." in text_of(ada.answer(**{"q-0": "", "q-3": " "}))
    answer = ada.answer(**{"q-0": "5", "q-1": "yes", "q-2": "1", "q-3": "x" * 400})
    assert answer.status_code == 422
    assert "x" * 400 in text_of(answer)
    assert 'name="q-0" value="5" checked' in text_of(answer), "Nothing else is lost, either."
    page = text_of(ada.answer(**{"q-0": "5", "q-3": "Thanks"}))
    assert "Your answers are in." in page
    assert "2 of 4 questions" in page
    for phone in phones[1:]:
        phone.answer(**{"q-0": "4"})
    drive(game, Step.CLOSE)
    drive(game, Step.REVEAL)
    assert "How was it?" in ada.page()
    drive(game, Step.END)
    assert "The survey is closed." in ada.page()


# --- what somebody is told ---


def test_a_script_gets_the_words_alone(made):
    game = made(Type.TRIVIA)
    ada = Phone(game, "Ada")
    state = drive(game, Step.NEXT)
    answer = ada.tell(round=1, option=0)
    assert answer.status_code == 200
    assert 'data-outcome="counted"' in text_of(answer)
    assert "<form" not in text_of(answer)
    answer = ada.tell(round=1)
    assert (answer.status_code, "Choose one of the options." in text_of(answer)) == (422, True)
    assert repository.own_answer(game.id, state, ada.id).value == [0], "What was refused changes nothing."


def test_sent_twice_is_said_once(made):
    game = made(Type.TRIVIA)
    ada = Phone(game, "Ada")
    drive(game, Step.NEXT)
    for _click in range(2):
        assert 'data-outcome="counted"' in text_of(ada.tell(round=1, option=0))
    drive(game, Step.CLOSE)
    assert repository.round_items(game.id, 1)[0]["count"] == 1


def test_an_answer_to_what_is_over_is_never_taken_for_the_next_question(made):
    game = made(Type.TRIVIA)
    ada = Phone(game, "Ada")
    drive(game, Step.NEXT)
    drive(game, Step.CLOSE)
    assert 'data-outcome="late"' in text_of(ada.tell(round=1, option=0))
    state = drive(game, Step.NEXT)
    for round_ in ("1", "3", "", "x"):
        ada.tell(round=round_, option=0)
    assert repository.own_answer(game.id, state, ada.id) is None
    page = text_of(ada.answer(1, option=0))
    assert "That was too late and does not count." in page
    assert "was too late" not in ada.page(), "It is said once."
    assert 'data-outcome="not open"' in text_of(ada.tell("give_vote", **{"round": "9", "rank-0": "1"}))


def test_too_late_by_a_millisecond(made, monkeypatch):
    game = made(Type.TRIVIA)
    ada, ben = Phone(game, "Ada"), Phone(game, "Ben")
    percent(ben, 150)
    state = drive(game, Step.NEXT)
    table().write(*repository.moving(game, state, longer := replace(state, version=state.version + 1, longest=150)))
    end = longer.clock.end() + clock.GRACE_MS
    monkeypatch.setattr(clock, "now", lambda: end)
    assert 'data-outcome="counted"' in text_of(ada.tell(round=1, option=0))
    monkeypatch.setattr(clock, "now", lambda: end + 1)
    assert 'data-outcome="late"' in text_of(ada.tell(round=1, option=1))
    assert 'data-outcome="counted"' in text_of(ben.tell(round=1, option=0)), (
        "Who has more time has a clock of their own."
    )
    assert "0:00" in ada.page()
    assert "0:14" in ben.page()


def test_a_pause_and_a_round_that_does_not_count(made):
    game = made(Type.TRIVIA)
    ada = Phone(game, "Ada")
    drive(game, Step.NEXT)
    drive(game, Step.PAUSE)
    page = ada.page()
    assert "Paused." in page
    assert 'data-outcome="counted"' in text_of(ada.tell(round=1, option=0)), "A pause stops nobody from answering."
    drive(game, Step.VOID)
    page = ada.page()
    assert "This question does not count." in page
    assert "+1000" not in page


def test_whoever_comes_late_is_told_from_where(made):
    game = made(Type.TRIVIA)
    seated(game, "Ada")
    for step in (Step.NEXT, Step.CLOSE, Step.NEXT):
        drive(game, step)
    ben = Phone(game, "Ben")
    assert "You joined at question 2." in ben.page()
    assert 'data-outcome="counted"' in text_of(ben.tell(round=2, option=[0, 1]))


# --- who ---


def test_nobody_without_a_seat_gets_in(made, client):
    game, other = made(Type.TRIVIA), made(Type.TRIVIA)
    drive(game, Step.NEXT)
    elsewhere = Phone(other, "Ada")
    for browser in (client, elsewhere.client):
        assert browser.get(reverse("play", args=[game.id])).url == reverse("join")
        for name in ("give_answer", "give_vote"):
            answer = browser.post(reverse(name, args=[game.id]), {"round": 1, "option": 0})
            assert (answer.status_code, answer.url) == (302, reverse("join"))
    assert repository.read_answers(game.id, 1) == []


def test_there_are_sessions_that_there_are_not(site, client):
    assert client.get(reverse("play", args=["nothing"])).status_code == 404
    assert client.post(reverse("give_answer", args=["nothing"]), {"round": 1}).status_code == 404


def test_answers_are_sent_and_not_asked_for(made):
    ada = Phone(made(Type.TRIVIA), "Ada")
    for name in ("give_answer", "give_vote"):
        assert ada.client.get(ada.at(name)).status_code == 405
    assert ada.client.post(ada.at("play")).status_code == 405


def test_whoever_was_removed_answers_no_more(made):
    game = made(Type.TRIVIA)
    ada = Phone(game, "Ada")
    drive(game, Step.NEXT)
    ada.tell(round=1, option=0)
    seat = ada.seat
    table().write(*seats.change(game, seat, replace(seat, removed=True)))
    assert ada.client.get(ada.at("play")).status_code == 403
    assert ada.answer(option=1).status_code == 403
    answer = ada.tell(round=1, option=1)
    assert (answer.status_code, "You cannot answer from here at the moment." in text_of(answer)) == (409, True)
    assert repository.own_answer(game.id, repository.read_state(game.id), ada.id).value == [0]


def test_an_older_device_is_told_so(made):
    game = made(Type.TRIVIA)
    ada = Phone(game, "Ada")
    drive(game, Step.NEXT)
    seat = ada.seat
    table().write(*seats.change(game, seat, replace(seat, device="newer")))
    answer = ada.client.get(ada.at("play"))
    assert (answer.status_code, "another device" in text_of(answer)) == (409, True)
    assert ada.tell(round=1, option=0).status_code == 409
    assert repository.read_answers(game.id, 1) == []


def test_a_form_from_elsewhere_says_nothing(made):
    game = made(Type.TRIVIA)
    ada = Phone(game, "Ada")
    drive(game, Step.NEXT)
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = ada.client.cookies
    assert strict.post(ada.at("give_answer"), {"round": 1, "option": 0}).status_code == 403
    page = text_of(strict.get(ada.at("play")))
    assert re.search(r'<input type="hidden" name="csrfmiddlewaretoken" value="\w+" form="given">', page)
    token = re.search(r'csrfmiddlewaretoken" value="(\w+)" form', page)[1]
    answer = strict.post(ada.at("give_answer"), {"round": 1, "option": 0, "csrfmiddlewaretoken": token})
    assert answer.status_code == 302


def test_a_program_cannot_fill_a_session_with_answers(made, monkeypatch):
    game = made(Type.TRIVIA)
    ada, ben = Phone(game, "Ada"), Phone(game, "Ben")
    drive(game, Step.NEXT)
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now)
    assert {ada.tell(round=1, option=0).status_code for _each in range(MAX_ACTIONS)} == {200}
    answer = ada.tell(round=1, option=1)
    assert (answer.status_code, "That was too fast." in text_of(answer)) == (429, True)
    assert ada.answer(option=1).status_code == 429
    assert ben.tell(round=1, option=1).status_code == 200, "Nobody else is held up."
    assert repository.own_answer(game.id, repository.read_state(game.id), ada.id).value == [0]
    monkeypatch.setattr(clock, "now", lambda: now + WINDOW_MS)
    assert ada.tell(round=1, option=1).status_code == 200


# --- in trouble, and in other words ---


@pytest.fixture
def weather(site, monkeypatch) -> Chaos:
    weather = Chaos(site, Random(1), slowness=0.0)
    monkeypatch.setattr("foundation.acts.storage.connect", lambda url: weather)
    pause.cache.forget()
    return weather


def test_a_store_that_takes_no_writes_takes_no_answer_and_keeps_the_form(made, weather):
    game = made(Type.CALL_AND_ANSWER)
    ada = Phone(game, "Ada")
    drive(game, Step.NEXT)
    ada.page()
    weather.read_only = True
    answer = ada.answer(text="A bus")
    assert answer.status_code == 503
    assert "This could not be saved just now." in text_of(answer)
    assert "A bus</textarea>" in text_of(answer)
    answer = ada.tell(round=1, text="A bus")
    assert (answer.status_code, "This could not be saved just now." in text_of(answer)) == (503, True)
    weather.read_only = False
    assert 'data-outcome="counted"' in text_of(ada.tell(round=1, text="A bus"))


def test_a_phone_names_a_few_and_counts_all(made):
    game = made(Type.TRIVIA)
    seated(game, *(f"Player {number:02d}" for number in range(30)))
    ada = Phone(game, "Ada")
    page = ada.page()
    assert page.count('<li dir="auto">') == 24
    assert "and 7 others" in page
    assert "31 players are here" in page


# --- what a push may replace ---


def keys_of(phone: Phone) -> tuple[str, str]:
    snapshot = snapshots.current(phone.game.id)
    return rendering.render_screen(Role.PLAYER, snapshot).key, player_part.render_own(snapshot, phone.seat).key


def renamed(phone: Phone, name: str) -> None:
    seat = phone.seat
    table().write(*seats.change(phone.game, seat, replace(seat, name=name)))
    seats.count_change(phone.game)


def test_a_form_in_use_is_never_replaced(made):
    game = made(Type.CALL_AND_ANSWER)
    ada, *others = [Phone(game, name) for name in ("Ada", "Ben", "Cem")]
    drive(game, Step.NEXT)
    asked = keys_of(ada)
    for number, phone in enumerate((ada, *others)):
        phone.tell(round=1, text=f"Idea {number}")
    renamed(ada, "Ada B")
    percent(ada, 200)
    Phone(game, "Dan")
    drive(game, Step.PAUSE)
    drive(game, Step.RESUME)
    assert keys_of(ada) == asked, "As long as the question is open, its form stays."
    drive(game, Step.CLOSE)
    voting = keys_of(ada)
    assert not set(voting) & set(asked)
    ada.tell("give_vote", **{"round": 1, f"rank-{best_answer.read_gathered(game.id, 1).shown_to(ada.id)[0]}": "1"})
    renamed(ada, "Ada C")
    drive(game, Step.PAUSE)
    assert keys_of(ada) == voting, "So does the form of the vote."
    drive(game, Step.CLOSE)
    closed = keys_of(ada)
    drive(game, Step.REVEAL)
    assert not set(keys_of(ada)) & set(closed)


def test_the_lobby_fills_until_a_phone_has_no_room_for_names(made):
    game = made(Type.TRIVIA)
    ada = Phone(game, "Ada")
    alone = keys_of(ada)
    seated(game, *(f"Player {number:02d}" for number in range(24)))
    seats.count_change(game)
    full = keys_of(ada)
    assert (full[0] == alone[0], full[1] == alone[1]) == (False, True)
    seated(game, "Zoe")
    seats.count_change(game)
    assert keys_of(ada) == full, "A full hall is not told of everybody who comes."


def test_what_all_phones_get_is_nobodys(made):
    game = made(Type.TRIVIA)
    ada, ben = Phone(game, "Ada"), Phone(game, "Ben")
    drive(game, Step.NEXT)
    ada.tell(round=1, option=1)
    pushed = rendering.render_screen(Role.PLAYER, snapshots.current(game.id)).html
    assert chosen(pushed) == []
    assert "csrf" not in pushed
    assert not re.search(r"\bAda\b", pushed)
    assert chosen(ada.page()) == ["1"]
    assert chosen(ben.page()) == []


# --- what an answer costs ---

HALL, SECONDS = 2_000, 3  # so many answer within so many seconds
READS_PER_KEY = 3_000  # units a second that one partition gives


def reads_of(meter: MeteredTable, game) -> float:
    here = keys.game(game.id).pk
    return sum(units for charged, units in meter.take_units().items() if charged.kind == READ and charged.pk == here)


@pytest.fixture
def still(monkeypatch):
    """Within one moment, however slow the machine is."""
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now)


@pytest.mark.parametrize(
    ("type_", "said", "by_script", "without"),
    [(Type.TRIVIA, {"option": "0"}, 1, 2), (Type.POLL, {"rank-0": "1"}, 2, 4)],
)
def test_a_hall_that_answers_at_once_is_not_too_much_for_its_partition(
    site, made, still, type_, said, by_script, without
):
    """An answer reads the state once it is put, and the salt if nobody signs it; nothing else there. Without a script
    the page that follows reads as much once more."""
    meter = MeteredTable(site)
    with use_table(meter):
        game = made(type_)
        phone = Phone(game, "Ada")
        drive(game, Step.NEXT)
        phone.page()
        meter.take_units()
        assert 'data-outcome="counted"' in phone.tell(round=1, **said).content.decode()
        assert reads_of(meter, game) == by_script
        phone.answer(**said)
        assert reads_of(meter, game) == without
    assert without * HALL / SECONDS <= READS_PER_KEY


@pytest.mark.parametrize(("type_", "said"), [(Type.TRIVIA, {"option": "0"}), (Type.POLL, {"rank-0": "1"})])
def test_an_answer_takes_three_round_trips_and_is_confirmed_in_a_few_words(made, still, type_, said):
    """The seat, the put and the state after it."""
    game = made(type_)
    phone = Phone(game, "Ada")
    drive(game, Step.NEXT)
    phone.page()
    answer = phone.tell(round=1, **said)
    assert 'desc="3 trips"' in answer["Server-Timing"]
    assert len(answer.content) < 600


def test_a_phone_that_comes_back_reads_its_seat_and_the_state(site, made, still):
    """Everything else it is shown was read for the phone before it."""
    meter = MeteredTable(site)
    with use_table(meter):
        game = made(Type.TRIVIA)
        phone = Phone(game, "Ada")
        for step in (Step.NEXT, Step.CLOSE, Step.REVEAL):
            drive(game, step)
        phone.page()
        meter.take_units()
        assert b'"screen"' in phone.client.get(reverse("game_now", args=[game.id, "player"]), {"quiet": 1}).content
        assert reads_of(meter, game) == 1


def test_what_stands_beside_a_question_is_at_most_a_second_old(site, made, monkeypatch):
    """Another process has changed the title; a step is seen at once."""
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now)
    game = made(Type.TRIVIA)
    phone = Phone(game, "Ada")
    drive(game, Step.NEXT)
    phone.page()
    site.write(Update(keys.game(game.id), set={"title": "Saturday"}, add={"version": 1}))
    assert "Saturday" not in phone.page()
    now += snapshots.RECENT_MS
    assert "Saturday" in phone.page()
    site.write(Update(keys.game(game.id), set={"title": "Sunday"}, add={"version": 1}))
    site.write(Update(keys.game_state(game.id), set={"revealed": False}, add={"version": 1}))
    assert "Sunday" in phone.page()


def test_what_this_process_has_changed_is_seen_at_once(made, monkeypatch):
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now)
    game = made(Type.TRIVIA)
    phone = Phone(game, "Ada")
    drive(game, Step.NEXT)
    phone.page()
    correcting.retitle(game.id, "Hana", "Saturday")
    assert "Saturday" in phone.page()


def test_an_answer_to_what_another_process_has_closed_is_late(site, made):
    """This process knew it as open; from then on it does not."""
    game = made(Type.TRIVIA)
    ada, ben = Phone(game, "Ada"), Phone(game, "Ben")
    drive(game, Step.NEXT)
    ada.page()
    recent = snapshots.SESSIONS.of(game.id).recent(clock.now())
    drive(game, Step.CLOSE)
    snapshots.SESSIONS.of(game.id).remember(*recent)
    assert 'data-outcome="late"' in ada.tell(round=1, option="0").content.decode()
    assert repository.read_receipts(game.id, 1, Phase.QUESTION) == []
    assert 'data-outcome="late"' in ben.tell(round=1, option="0").content.decode()
    assert len(repository.read_answers(game.id, 1)) == 1, "The second was not even put."
