"""Sending, upvoting and moderating: exact, whoever does it at the same moment; the log has ids and nobody's words."""

from __future__ import annotations

from collections import Counter
from functools import partial

import pytest

from foundation.acts.refusals import NotNow, NotThere
from foundation.acts.storage import table, use_table
from foundation.qa import store
from foundation.qa.rules import MAX_WAITING_PER_PERSON, Fate, Mode, author_id, question_id
from foundation.store.log import EventLog
from parts.live import changes, clock, room_questions
from parts.live.moderation import QaAction, QaQuestion
from parts.live.rules import Step
from parts.live.screens import qa_display, snapshots
from parts.live.screens.access import RateLimit, TooFast
from parts.live.seats import Seat
from parts.live.services import deleting, seating
from tests.at_once import at_once
from tests.background import finish_background
from tests.live.conftest import drive, seated
from tests.live.qa.conftest import qa_of, seen_by_all, send, upvote
from tests.skills.test_endorsing_dynamodb import on_dynamodb  # noqa: F401 - a fixture


def events(site) -> list[tuple[str, dict]]:
    found = (each for each in EventLog(site).since(0) if each["event_type"].startswith("LiveQ"))
    return [(each["event_type"], each["event_data"]) for each in found]


def moderate(game, asked, act, answer="") -> None:
    room_questions.moderate(game.id, asked.id, "Hana", act, answer)


# --- sending ---


def test_a_question_waits_is_shown_answered_and_hidden(site, made):
    game = made()
    room_questions.set_up(game.id, "Hana", is_on=True)
    (ada,) = seated(game, "Ada")
    asked = send(game, ada, "Why a bus?")
    assert asked.fate == Fate.WAITING
    assert seen_by_all(game) == []
    moderate(game, asked, QaAction.SHOW)
    assert seen_by_all(game) == ["Why a bus?"]
    moderate(game, asked, QaAction.ANSWER, "Because it rains.")
    moderate(game, asked, QaAction.HIDE)
    assert seen_by_all(game) == []
    with pytest.raises(NotNow):
        moderate(game, asked, QaAction.HIDE)
    said = {"game_id": game.id, "asked": asked.id, "on_screen": ""}
    assert events(site)[1:] == [(f"LiveQuestion{what}", said) for what in ("Shown", "Answered", "Hidden")]


def test_the_log_has_no_words_no_names_and_of_the_list_only_its_length(site, game):
    room_questions.set_up(game.id, "Hana", mode=Mode.WORDS, words=("zebra", "gnu"))
    (ada,) = seated(game, "Ada")
    asked = send(game, ada, "Zebra crossings?")
    assert asked.held
    moderate(game, asked, QaAction.ANSWER, "Stripes everywhere.")
    everything = repr(events(site)).lower().replace(game.id.lower(), "")
    assert not [word for word in ("zebra", "gnu", "stripes", "'ada'") if word in everything]
    assert events(site)[1][1] == {
        "game_id": game.id,
        "is_on": True,
        "mode": "words",
        "named": False,
        "words": 2,
        "on_screen": "",
        "texts": "open",
    }


def test_what_is_chosen_twice_is_one_event_and_what_is_off_is_off(site, game):
    before = events(site)
    room_questions.set_up(game.id, "Hana", is_on=True, mode=Mode.OPEN)
    assert events(site) == before
    (ada,) = seated(game, "Ada")
    asked = send(game, ada, "Why?")
    moderate(game, asked, QaAction.PUT_UP)
    room_questions.set_up(game.id, "Hana", is_on=False)
    assert qa_of(game).on_screen == "", "nor is it there when they are on again"
    assert snapshots.current(game.id).qa_questions == ()
    with pytest.raises(NotNow, match="not taking questions at the moment"):
        send(game, ada, "And now?")
    room_questions.set_up(game.id, "Hana", is_on=True)
    assert seen_by_all(game) == ["Why?"]


def test_who_asks_is_kept_only_where_everybody_is_to_see_it(site, game):
    otto, ben = seated(game, "Otto", "Ben")  # no name that could stand among hexadecimal digits
    hidden = send(game, otto, "Without a name?")
    room_questions.set_up(game.id, "Hana", named=True)
    named = send(game, ben, "With one?")
    lines = [item for _table, item in site.everything() if item["SK"].startswith("ASKED#")]
    assert {item["text"]: item["player"] for item in lines} == {hidden.text: "", named.text: "ben"}
    assert not [item for item in lines if "otto" in item["SK"] + item["author"]], "a mark names nobody"
    room_questions.set_up(game.id, "Hana", named=False)
    snapshot = snapshots.current(game.id)
    assert [qa_display.name_of(snapshot, each) for each in snapshot.qa_questions] == ["", ""]


def _elsewhere(site, game, seat, text):
    with use_table(site):
        return send(game, seat, text)


def test_nobody_has_more_waiting_than_they_may_whatever_they_send_at_once(site, game):
    room_questions.set_up(game.id, "Hana", mode=Mode.APPROVED)
    (troll,) = seated(game, "Troll")
    answers = at_once(*(partial(_elsewhere, site, game, troll, f"Flood {number}") for number in range(12)))
    assert sum(isinstance(each, NotNow) for each in answers) == 7
    assert len(room_questions.read_questions(game.id)) == MAX_WAITING_PER_PERSON
    assert qa_of(game).sent == MAX_WAITING_PER_PERSON


@pytest.mark.deep
def test_a_hall_does_not_meet_a_limit(game, monkeypatch):
    """A thousand people send a question each at the very same moment, from one address."""
    monkeypatch.setattr(clock, "now", lambda: 1_800_000_000_000)
    pace, state, qa = RateLimit(5, 60_000), snapshots.current(game.id).state, qa_of(game)
    for number in range(1_000):
        seat = Seat(f"player{number:04d}", f"Player {number}", game.created_at)
        pace.check(f"{game.id} {seat.player}", clock.now())
        room_questions.send(game, state, qa, seat, (), f"Question {number}?", clock.now())
    assert qa_of(game).sent == 1_000
    assert len(room_questions.read_questions(game.id)) == 1_000
    for _number in range(4):
        pace.check(f"{game.id} player0001", clock.now())
    with pytest.raises(TooFast):
        pace.check(f"{game.id} player0001", clock.now())


def test_one_who_was_cut_off_before_the_count_is_found_a_little_later(game, monkeypatch):
    (ada,) = seated(game, "Ada")
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now)
    assert snapshots.current(game.id).qa_questions == ()
    own_id = question_id(game.id, ada.player, 0)
    asked = QaQuestion(own_id, "Why?", author_id(game.id, ada.player), now)
    table().write(*store.sending(room_questions.board(game.id, game.ttl), asked))
    assert snapshots.current(game.id).qa_questions == (), "nothing says that there is anything new"
    monkeypatch.setattr(clock, "now", lambda: now + 10_000)
    assert snapshots.current(game.id).qa_questions == (asked,)


# --- upvotes ---


def test_nobody_upvotes_their_own_nor_what_cannot_be_seen(game):
    ada, ben = seated(game, "Ada", "Ben")
    asked = send(game, ada, "Why?")
    with pytest.raises(NotNow, match="your own"):
        upvote(game, ada, asked)
    moderate(game, asked, QaAction.HIDE)
    with pytest.raises(NotNow, match="does not exist"):
        upvote(game, ben, asked)
    drive(game, Step.END)
    moderate(game, asked, QaAction.SHOW)
    with pytest.raises(NotNow, match="ended"):
        upvote(game, ben, asked)
    with pytest.raises(NotNow, match="ended"):
        send(game, ben, "Too late?")


# --- hosts ---


def test_of_two_hosts_at_once_both_are_told_what_it_is_by_then(site, game):
    (ada,) = seated(game, "Ada")
    asked = send(game, ada, "Why?")

    def act(what):
        with use_table(site):
            moderate(game, asked, what)

    answers = at_once(partial(act, QaAction.HIDE), partial(act, QaAction.HIDE), partial(act, QaAction.PUT_UP))
    kinds = Counter(kind for kind, _said in events(site))
    assert kinds["LiveQuestionHidden"] == 1
    assert [type(each) for each in answers[:2]].count(NotNow) == 1
    assert qa_of(game).on_screen == "", "hidden is hidden, on the wall, too"


def test_one_question_at_a_time_is_on_the_big_screen(game):
    ada, ben = seated(game, "Ada", "Ben")
    first, second = send(game, ada, "Why?"), send(game, ben, "When?")
    moderate(game, first, QaAction.PUT_UP)
    moderate(game, second, QaAction.PUT_UP)
    assert qa_of(game).on_screen == second.id
    with pytest.raises(NotNow):
        moderate(game, first, QaAction.TAKE_DOWN)
    moderate(game, second, QaAction.TAKE_DOWN)
    assert qa_of(game).on_screen == ""


def test_what_is_not_there_is_not_moderated(game, made):
    with pytest.raises(NotNow):
        room_questions.moderate(game.id, "q-made-up", "Hana", QaAction.HIDE)
    with pytest.raises(NotThere):
        room_questions.set_up("no-such-session", "Hana", is_on=True)
    (ada,) = seated(game, "Ada")
    asked = send(game, ada, "Why?")
    other = made()
    room_questions.set_up(other.id, "Hana", is_on=True)
    with pytest.raises(NotNow):
        room_questions.moderate(other.id, asked.id, "Hana", QaAction.HIDE)


def test_the_questions_of_somebody_who_is_removed_are_seen_by_nobody_until_they_are_back(game):
    ada, troll = seated(game, "Ada", "Troll")
    send(game, ada, "Why?")
    rude = send(game, troll, "Rude?")
    moderate(game, rude, QaAction.PUT_UP)
    seating.remove(game.id, "troll", "Hana")
    assert seen_by_all(game) == ["Why?"]
    assert qa_display.on_screen(snapshots.current(game.id)) is None
    seating.readmit(game.id, "troll", "Hana")
    assert seen_by_all(game) == ["Why?", "Rude?"]


# --- all of it goes ---


def test_everything_goes_with_the_session(site, game):
    ada, ben = seated(game, "Ada", "Ben")
    upvote(game, ben, send(game, ada, "Why?"))
    left = [item for _table, item in site.everything() if game.id in item["PK"]]
    assert not [item for item in left if "ttl" not in item], "nothing of it stays for good"
    deleting.delete(game.id, "Hana")
    finish_background()
    assert not [item["SK"] for _table, item in site.everything() if item["PK"].startswith("GAME#")]


def test_whoever_listens_is_woken(game, monkeypatch):
    told = []
    monkeypatch.setattr(changes, "_subscribers", [told.append])
    (ada,) = seated(game, "Ada")
    moderate(game, send(game, ada, "Why?"), QaAction.HIDE)
    room_questions.set_up(game.id, "Hana", named=True)
    assert told == [game.id] * 3
