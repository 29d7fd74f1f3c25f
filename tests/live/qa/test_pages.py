"""The pages of a room's questions: on a phone, with a script and without, and for those who host."""

from __future__ import annotations

import csv
import io
import json
import re
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from foundation.acts.storage import use_table
from foundation.qa.rules import Fate, Mode
from parts.live import repository as games
from parts.live import room_questions
from parts.live.moderation import QaAction
from parts.live.rules import Step
from parts.live.services import seating
from parts.questions.question import Type
from tests.chaos import Chaos
from tests.live.conftest import drive, seated
from tests.live.qa.conftest import Phone, qa_of, send, upvote

FETCH = {"X-Requested-With": "fetch"}


def text_of(answer) -> str:
    return unescape(answer.content.decode())


def manage(game) -> str:
    return reverse("manage_qa", args=[game.id])


def play(phone: Phone) -> str:
    return phone.client.get(reverse("play", args=[phone.game.id])).content.decode()


# --- on the phone ---


def test_somebody_asks_and_sees_what_became_of_it(game, hana, phone):
    room_questions.set_up(game.id, "Hana", mode=Mode.APPROVED)
    ada, ben = phone("Ada"), phone("Ben")
    assert "Questions are anonymous" in ada.page()
    sent = text_of(ada.ask("Why a bus?"))
    assert "The host reviews it first" in sent
    assert "Waiting for the host." in sent
    assert "Why a bus?" not in ben.page()
    (asked,) = room_questions.read_questions(game.id)
    hana.post(manage(game), {"act": f"show {asked.id}"})
    assert "Visible to everybody." in ada.page()
    assert "Why a bus?" in ben.page()
    hana.post(manage(game), {"act": f"answer {asked.id}", "text": "Because it <b>rains</b>."})
    assert "Answered." in ada.page()
    assert "Because it &lt;b&gt;rains&lt;/b&gt;." in ben.page()
    hana.post(manage(game), {"act": f"hide {asked.id}"})
    assert "Hidden by the host." in ada.page()
    assert "rains" not in ada.page() + ben.page()


def test_a_word_of_the_list_holds_a_question_back_and_its_author_is_told(game, phone):
    room_questions.set_up(game.id, "Hana", mode=Mode.WORDS, words=("idiot",))
    ada = phone("Ada")
    held = text_of(ada.ask("Which ÍDIOT?"))
    assert "contains a word on the host's list" in held
    assert "visible to everybody" in text_of(ada.ask("Which one?"))
    assert [each.held for each in room_questions.read_questions(game.id) if each.fate == Fate.WAITING] == [True]


def test_a_script_gets_the_words_alone(game, phone):
    ada = phone("Ada")
    told = ada.tell(text="Why?")
    assert told.status_code == 200
    assert "<html" not in told.content.decode()
    assert "visible to everybody" in told.content.decode()
    assert ada.tell(text="  ").status_code == 422
    room_questions.set_up(game.id, "Hana", is_on=False)
    assert "not taking questions at the moment" in ada.tell(text="Why not?").content.decode()


def test_what_was_typed_stays_when_it_is_refused(game, phone):
    ada = phone("Ada")
    long = "Why & how " * 40
    answer = ada.ask(long)
    assert answer.status_code == 422
    assert "limit is 300" in text_of(answer)
    assert long in text_of(answer)
    with use_table(Chaos(_table(), _random(), read_only=True)):
        answer = ada.client.post(ada.address, {"text": "Is it kept?"})
    assert answer.status_code == 503
    assert "Is it kept?" in text_of(answer)
    assert room_questions.read_questions(game.id) == []


def _table():
    from foundation.acts.storage import table

    return table()


def _random():
    from random import Random

    return Random(18)


def test_nobody_is_named_who_was_told_that_nobody_is(game, phone):
    ada, ben = phone("Ada"), phone("Ben")
    page = ada.page()
    assert '<input type="hidden" name="named" value="no" form="ask">' in page
    room_questions.set_up(game.id, "Hana", named=True)
    answer = ada.ask("Who pays?", named="no")
    assert answer.status_code == 422
    assert "Names are now shown with questions" in text_of(answer)
    assert 'name="named" value="yes"' in text_of(answer)
    assert not re.search(r"\bAda\b", ben.page())
    ada.ask("Who pays?", named="yes")
    assert "<bdi>Ada</bdi>" in ben.page()


def test_upvotes_without_a_script_and_with_one(game, phone):
    ada, ben = phone("Ada"), phone("Ben")
    ada.ask("Why?")
    (asked,) = room_questions.read_questions(game.id)
    assert f'name="upvote" value="{asked.id}"' in ben.page()
    assert "qa-upvote" not in ada.page(), "one's own has no button"
    answer = ben.client.post(ben.address, {"upvote": asked.id})
    assert answer["Location"] == f"{ben.address}#{asked.id}"
    page = ben.page()
    assert f'name="back" value="{asked.id}" aria-pressed="true"' in page
    assert "<b data-number>1</b>" in page
    button = ben.tell(back=asked.id).content.decode()
    assert 'aria-pressed="false"' in button
    assert "<b data-number>0</b>" in button
    assert "<b data-number>0</b>" in ben.tell(back=asked.id).content.decode(), "twice is once"
    assert ada.tell(upvote=asked.id).status_code == 422
    assert "your own question" in text_of(ada.client.post(ada.address, {"upvote": asked.id}, follow=True))


def test_the_way_there_and_how_many_are_open(game, phone):
    ada = phone("Ada")
    link = f'href="{ada.address}"'
    assert link in play(ada)
    ada.ask("Why?")
    ada.ask("When?")
    assert "<b>2</b>" in play(ada)
    room_questions.set_up(game.id, "Hana", is_on=False)
    assert link not in play(ada)
    assert "The host is not taking questions at the moment." in ada.page()
    assert "Why?" not in ada.page()


def test_after_the_end_one_can_read_and_not_send(game, phone):
    ada = phone("Ada")
    ada.ask("Why?")
    drive(game, Step.END)
    page = ada.page()
    assert "Why?" in page
    assert "data-off" in page
    assert "qa-upvote" not in page
    assert ada.ask("Too late?").status_code == 422


def test_who_has_no_seat_asks_nothing(game, client):
    address = reverse("qa", args=[game.id])
    assert client.get(address)["Location"] == reverse("join")
    assert client.post(address, {"text": "Why?"})["Location"] == reverse("join")
    assert client.post(address, {"text": "Why?"}, headers={"HX-Request": "true"}).status_code == 409
    assert client.put(address).status_code == 405
    assert room_questions.read_questions(game.id) == []


# --- those who host ---


def test_a_session_begins_without_and_may_begin_with_questions(made, hana):
    typed = {
        "engagement_type": "poll",
        "question": "Where?",
        "options": "Sea\nHills",
        "seconds": "30",
        "names": "typed",
    }
    for more, is_on in (({}, False), ({"takes_questions": "on"}, True)):
        answer = hana.post(reverse("make_game"), {**typed, "debug_mode": "0", **more})
        game_id = answer["Location"].split("/")[-3]
        from foundation.acts.storage import table
        from foundation.store import keys

        qa = room_questions.qa_from_item(table().get(keys.game_qa(game_id)))
        assert (qa.is_on, qa.mode, qa.named) == (is_on, Mode.APPROVED, False)


@pytest.mark.parametrize(
    ("names", "mode"), [("typed", Mode.APPROVED), ("generated", Mode.APPROVED), ("approved", Mode.OPEN)]
)
def test_where_anybody_gets_in_the_host_looks_at_every_text_first(made, hana, names, mode):
    typed = {"engagement_type": "call-and-answer", "question": "Why?", "seconds": "30", "debug_mode": "0"}
    answer = hana.post(reverse("make_game"), {**typed, "names": names})
    game, _state = games.find(answer["Location"].split("/")[-3])
    assert qa_of(game).texts == mode
    assert not qa_of(game).is_on


def test_turning_questions_on_and_choosing_how(made, hana):
    game = made(Type.POLL)
    assert "Questions are off" in text_of(hana.get(manage(game)))
    words = "Idiot\n\n fool \nIdiot"
    answer = hana.post(manage(game), {"act": "on", "mode": "words", "words": words, "named": "on"}, follow=True)
    assert "Questions are on." in text_of(answer)
    found = qa_of(game)
    assert (found.is_on, found.mode, found.words, found.named) == (True, Mode.WORDS, ("Idiot", "fool"), True)
    for wrong in ({"mode": "all"}, {"mode": "words", "words": "!?"}, {"mode": "words", "words": "x" * 61}):
        assert hana.post(manage(game), {"act": "settings", **wrong}).status_code == 422
    hana.post(manage(game), {"act": "settings", "mode": "open", "words": words})
    assert (qa_of(game).mode, qa_of(game).named, qa_of(game).is_on) == (Mode.OPEN, False, True)
    off = {"act": "off", "mode": "words", "words": "fool"}
    assert "Questions are off" in text_of(hana.post(manage(game), off, follow=True))
    assert (qa_of(game).is_on, qa_of(game).words) == (False, ("fool",))


def test_questions_are_turned_off_even_if_what_was_typed_cannot_be_saved(made, hana):
    game = made(Type.POLL)
    room_questions.set_up(game.id, "Hana", is_on=True)
    answer = hana.post(manage(game), {"act": "off", "mode": "words", "words": "x" * 61})
    assert answer.status_code == 422
    assert "Questions are off" in text_of(answer)
    assert "x" * 61 in text_of(answer)
    assert not qa_of(game).is_on


def test_the_host_s_list_what_waits_first_and_one_press_each(game, hana):
    ada, ben, cleo = seated(game, "Ada", "Ben", "Cleo")
    shown, answered = send(game, ada, "Shown?", 1), send(game, ben, "Answered?", 2)
    room_questions.moderate(game.id, answered.id, "Hana", QaAction.ANSWER)
    room_questions.set_up(game.id, "Hana", mode=Mode.APPROVED)
    first, second = send(game, cleo, "Waits?", 3), send(game, ada, "Waits, too?", 4)
    page = text_of(hana.get(manage(game)))
    order = [page.index(f"{each.text}</p>") for each in (first, second, shown, answered)]
    assert order == sorted(order)
    assert "<b>2</b> are waiting for you" in page
    for act, fate in (("show", Fate.SHOWN), ("hide", Fate.HIDDEN)):
        assert hana.post(manage(game), {"act": f"{act} {first.id}"}, headers=FETCH).status_code == 204
        assert {each.id: each.fate for each in room_questions.read_questions(game.id)}[first.id] == fate
    again = hana.post(manage(game), {"act": f"hide {first.id}"}, headers=FETCH)
    assert again.status_code == 409
    assert "That has already been done" in text_of(again)
    for act in ("", "hide", "hide q-made-up", f"eat {shown.id}", f"down {shown.id}"):
        assert hana.post(manage(game), {"act": act}, headers=FETCH).status_code == 409, act
    assert "That has already been done" in text_of(hana.post(manage(game), {"act": f"hide {first.id}"}, follow=True))


def test_showing_a_question_twice_does_not_close_it(game, hana):
    """The button that closes it is the last, far from the one that was pressed."""
    room_questions.set_up(game.id, "Hana", mode=Mode.APPROVED)
    (ada,) = seated(game, "Ada")
    asked = send(game, ada, "Why a bus?")

    def acts() -> list[str]:
        found = re.search(r'<div class="qa-acts">(.*?)</div>', text_of(hana.get(manage(game))), re.S)[1]
        return re.findall(r'value="(\w+) |\?(answer)=', found)

    assert acts()[0] == ("show", "")
    hana.post(manage(game), {"act": f"show {asked.id}"})
    assert [each or other for each, other in acts()] == ["up", "hide", "answer", "answer"]
    assert acts()[-1] == ("answer", "")


def test_a_written_answer_has_a_form_of_its_own_and_is_not_lost(game, hana):
    (ada,) = seated(game, "Ada")
    asked = send(game, ada, "Why a bus?")
    form = text_of(hana.get(manage(game), {"answer": asked.id}))
    assert re.search(r"<textarea[^>]+autofocus", form)
    assert "Publish the answer" not in text_of(hana.get(manage(game), {"answer": "q-made-up"}))
    long = "x" * 1001
    refused = hana.post(manage(game), {"act": f"answer {asked.id}", "text": long})
    assert refused.status_code == 422
    assert long in text_of(refused)
    hana.post(manage(game), {"act": f"answer {asked.id}", "text": "It rains."})
    assert "It rains." in text_of(hana.get(manage(game), {"answer": asked.id})), "It can be changed."


def test_a_question_on_the_big_screen(game, hana, client):
    (ada,) = seated(game, "Ada")
    asked = send(game, ada, "Why a <bus>?")
    wall = reverse("screen", args=[game.id, game.screen_token])
    assert not re.search(r"\bbus\b", text_of(client.get(wall)))
    hana.post(manage(game), {"act": f"up {asked.id}"})
    for page in (client.get(wall), hana.get(reverse("host_game", args=[game.id]))):
        assert "Why a &lt;bus&gt;?" in page.content.decode()
    assert not re.search(r"\bbus\b", text_of(client.get(reverse("scoreboard", args=[game.id, game.screen_token]))))
    hana.post(manage(game), {"act": f"down {asked.id}"})
    assert not re.search(r"\bbus\b", text_of(client.get(wall)))


def test_what_waits_is_said_where_the_host_looks(game, hana):
    room_questions.set_up(game.id, "Hana", mode=Mode.APPROVED)
    (ada,) = seated(game, "Ada")
    send(game, ada, "Why?")
    for name in ("host_game", "remote"):
        assert "1 question is waiting for you" in text_of(hana.get(reverse(name, args=[game.id])))


def test_no_session_no_page(hana, client):
    for name in ("qa", "manage_qa"):
        assert hana.get(reverse(name, args=["no-such-session"])).status_code == 404
    assert client.get(reverse("qa", args=["no-such-session"])).status_code == 404


# --- somebody who means no good ---


@pytest.mark.deep
def test_one_address_sends_what_a_hall_sends(game):
    """Through the pages, too, nothing is counted by address."""
    phones = [Phone(game, f"Guest {number}") for number in range(25)]
    assert {each.tell(text=f"Question of {each.seat.name}?").status_code for each in phones} == {200}
    assert len(room_questions.read_questions(game.id)) == 25


@pytest.mark.parametrize("path", ["qa", "manage_qa"])
def test_pages_are_nobody_s_to_keep(game, hana, phone, path):
    client = phone("Ada").client if path == "qa" else hana
    assert isinstance(client, Client)
    assert "private" in client.get(reverse(path, args=[game.id]))["Cache-Control"]


# --- the report ---


def test_the_report_has_what_the_room_asked(game, hana):
    ada, ben, troll = seated(game, "Ada", "Ben", "Troll")
    first = send(game, ada, "=Why()?")
    room_questions.moderate(game.id, first.id, "Hana", QaAction.ANSWER, "It rains.")
    room_questions.set_up(game.id, "Hana", named=True)
    second = send(game, ben, "When?")
    send(game, troll, "Rude?")
    seating.remove(game.id, "troll", "Hana")
    upvote(game, ada, second)
    page = text_of(hana.get(reverse("game_report", args=[game.id])))
    assert page.index("When?") < page.index("=Why()?")
    assert "<bdi>Ben</bdi>" in page
    assert "<bdi>Ada</bdi>" not in page, "who asked before names were shown stays unnamed"
    told = json.loads(b"".join(hana.get(reverse("game_report_json", args=[game.id])).streaming_content))
    assert told["asked"] == [
        {"text": "When?", "state": "shown", "upvotes": 1, "answer": "", "name": "Ben"},
        {"text": "=Why()?", "state": "answered", "upvotes": 0, "answer": "It rains."},
        {"text": "Rude?", "state": "hidden", "upvotes": 0, "answer": "", "name": "Troll"},
    ]
    rows = b"".join(hana.get(reverse("game_report_csv", args=[game.id])).streaming_content).decode("utf-8-sig")
    found = [row for row in csv.DictReader(io.StringIO(rows)) if row["row"].startswith("asked")]
    assert [(row["row"], row["title"], row["number"]) for row in found[:2]] == [
        ("asked, shown", "When?", "1"),
        ("asked, answered", "'=Why()?", "0"),
    ]
