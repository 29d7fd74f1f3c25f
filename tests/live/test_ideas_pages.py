"""Ideas on pages: writing on a phone, the room that watches, the page that puts in order, ranking, report, making."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from django.test import Client
from django.urls import reverse

from parts.live import repository
from parts.live.plays import ideas_order
from parts.live.rules import Phase, Step
from parts.live.screens import rendering, robots, snapshots
from parts.live.screens.formats import Role
from parts.questions.formats import csv_import, exports
from parts.questions.question import Kind, Question, Type, flaws
from tests.live.conftest import drive, give, picture, seated
from tests.live.test_ideas import ASKED, WRITTEN, numbers, sealed
from tests.live.test_play import SCRIPT, Phone


def text(answer) -> str:
    return re.sub(r"\s+", " ", answer.content.decode())


@pytest.fixture
def game(made):
    """Three have written, and it is put in order."""
    game = made(Type.POLL, ASKED)
    for seat in seated(game, *WRITTEN):
        if not repository.read_state(game.id).round:
            drive(game, Step.NEXT)
        give(game, seat, WRITTEN[seat.name])
    drive(game, Step.CLOSE)
    return game


def sort(client: Client, game, act: str, **more):
    return client.post(reverse("sort_ideas", args=[game.id]), {"round": 1, "act": act, **more}, follow=True)


# --- the whole way, without scripts ---


def test_a_room_writes_sorts_and_ranks_without_scripts(made, hana):
    game = made(Type.POLL, ASKED)
    phones = [Phone(game, name) for name in ("Ada", "Ben", "Cem")]
    drive(game, Step.NEXT)
    assert phones[0].page().count('name="text"') == 3
    assert "Write an idea first." in text(phones[0].answer(text=["", " "]))
    assert "Too long" in text(phones[0].answer(text=["x" * 201]))
    for phone, texts in zip(phones, (["A bus", "A boat", ""], ["a boat"], ["<b>A bike</b>"]), strict=True):
        page = text(phone.answer(text=texts))
        assert "Your ideas are in." in page
    assert "Write up to three ideas" in text(hana.get(reverse("host_game", args=[game.id])))
    drive(game, Step.CLOSE)
    wall = text(Client().get(reverse("screen", args=[game.id, game.screen_token])))
    phone = phones[1].page()
    for page in (wall, phone):
        assert "written 2 times" in page
        assert "&lt;b&gt;A bike" in page
        assert "give_answer" not in page
    late = Phone(game, "Dot").page()
    assert "A bus" in late, "Who comes late sees what there is."
    drive(game, Step.VOTE)
    form = phones[0].page()
    assert 'action="' + reverse("give_vote", args=[game.id]) in form
    assert "Rank at least one" in text(phones[0].vote(**{"rank-0": ""}))
    for phone in phones:
        assert "Your vote is in." in text(phone.vote(**{"rank-0": 1, "rank-1": 2}))
    assert 'value="2"' in phones[0].page(), "What was ranked stands in the form again."
    told = phones[0].client.post(phones[0].at("give_vote"), {"round": 1, "rank-1": 1}, headers=SCRIPT)
    assert 'data-outcome="counted"' in text(told)
    drive(game, Step.CLOSE)
    drive(game, Step.REVEAL)
    page = phones[2].page()
    assert f"{sealed(game).result['options'][0]}\u2069 wins" in page
    assert "What 3 people wrote" in page


def test_an_answer_is_no_vote_and_a_vote_no_answer(made):
    game = made(Type.POLL, ASKED)
    phone = Phone(game, "Ada")
    drive(game, Step.NEXT)
    assert "is not open" in text(phone.vote(**{"rank-0": 1})) or "was too late" in text(phone.vote(**{"rank-0": 1}))
    assert not repository.read_votes(game.id, 1)


# --- putting in order ---


def test_hosts_merge_take_apart_leave_out_and_choose(hana, game):
    place = numbers(game)
    page = text(hana.get(reverse("sort_ideas", args=[game.id])))
    for words in ("A bus", "A boat", "A bike", "written 2 times", "3 go to the vote"):
        assert words in page
    page = text(sort(hana, game, "merge", idea=[place["A bus"], place["A bike"]], words="  Something with wheels "))
    assert "Something with wheels" in page
    assert "A bus" in page, "What was written stays visible below it."
    page = text(sort(hana, game, f"leads {place['A bike']}"))
    assert '<b dir="auto">A bike</b>' in page
    page = text(sort(hana, game, f"apart {place['A bike']}"))
    assert "3 different ideas" in page
    page = text(sort(hana, game, f"words {place['A bus']}", words="A night bus"))
    assert "A night bus" in page
    page = text(sort(hana, game, f"stays {place['A bike']}"))
    assert "2 go to the vote" in page
    assert "not in the vote" in page
    page = text(sort(hana, game, f"out {place['A boat']}"))
    assert "Left out" in page
    assert "disabled" in page, "One is nothing to vote on."
    version = repository.read_state(game.id).version
    answer = hana.post(reverse("drive", args=[game.id]), {"act": f"vote {version}"}, follow=True)
    assert "Choose at least 2 ideas" in text(answer)
    page = text(sort(hana, game, f"in {place['A boat']}"))
    assert "Left out" not in page
    assert repository.read_state(game.id).phase == Phase.SORTING


def test_wording_is_typed_on_a_page_of_its_own(hana, game):
    place = numbers(game)
    both = [place["A bus"], place["A bike"]]
    page = text(sort(hana, game, "merge_as", idea=both))
    assert all(f'name="idea" value="{each}"' in page for each in both)
    assert 'name="act" value="merge"' in page
    assert "Leave out" not in page
    assert ideas_order.find_order(game.id, 1).version == 1, "nothing is merged yet"
    one = text(hana.get(reverse("sort_ideas", args=[game.id]), {"idea": place["A boat"]}))
    assert 'value="A boat"' in one
    assert f'value="words {place["A boat"]}"' in one
    assert "at least two" in text(sort(hana, game, "merge_as", idea=both[:1]))
    assert "Leave out" in text(hana.get(reverse("sort_ideas", args=[game.id]), {"idea": "no such"}))


@pytest.mark.parametrize(
    ("act", "more", "says"),
    [
        ("merge", {"idea": ["0"]}, "at least two"),
        ("merge", {"idea": ["0", "x"]}, "idea does not exist"),
        ("out 99", {}, "idea does not exist"),
        ("out", {}, "idea does not exist"),
        ("explode 1", {}, "is not possible"),
        ("words 0", {"words": "x" * 201}, "Too long"),
        ("out 0", {"round": "7"}, "moved on"),
    ],
)
def test_what_cannot_be_done_is_said_in_words(hana, game, act, more, says):
    assert says in text(sort(hana, game, act, **more))
    assert ideas_order.find_order(game.id, 1).version == 1


def test_what_is_left_out_is_gone_from_all_screens_at_the_next_look(hana, game):
    place = numbers(game)
    before = {
        role: rendering.render_screen(role, snapshots.current(game.id)).key
        for role in (Role.PLAYER, Role.SCREEN, Role.REMOTE)
    }
    sort(hana, game, f"out {place['A bike']}")
    snapshot = snapshots.current(game.id)
    for role, key in before.items():
        after = rendering.render_screen(role, snapshot)
        assert after.key != key, "Pages replace what has another key."
        assert "A bike" not in after.html


def test_ideas_are_put_in_order_only_while_it_is_time(hana, game):
    assert repository.read_state(game.id).phase == Phase.SORTING
    drive(game, Step.VOTE)
    answer = hana.get(reverse("sort_ideas", args=[game.id]))
    assert answer["Location"] == reverse("host_game", args=[game.id])
    assert "no ideas to sort" in text(sort(hana, game, "out 0"))


def test_host_and_remote_lead_to_the_page(hana, game):
    for page in ("host_game", "remote"):
        assert reverse("sort_ideas", args=[game.id]) in text(hana.get(reverse(page, args=[game.id])))


def test_sixty_ideas_and_nothing_left_are_shown(hana, made):
    game = made(Type.POLL, ASKED)
    seats = seated(game, *(f"P{number}" for number in range(21)))
    drive(game, Step.NEXT)
    for number, seat in enumerate(seats):
        give(game, seat, [f"Idea {number} {letter} " + "מאה " * (number % 3) for letter in "abc"])
    drive(game, Step.CLOSE)
    html = rendering.render_screen(Role.SCREEN, snapshots.current(game.id)).html
    assert "Not in the vote so far" in html
    assert html.count('class="idea') >= 60
    assert "and 3 more" in html
    for number in range(2):
        sort(hana, game, f"out {number}")
    assert "61 different ideas" in text(hana.get(reverse("sort_ideas", args=[game.id])))


# --- robots, report, pictures ---


def test_robots_write_and_rank(made, monkeypatch):
    game = made(Type.POLL, ASKED, debug_mode=5)
    snapshots.current(game.id)
    for step, phase in ((Step.NEXT, Phase.SORTING), (Step.VOTE, Phase.RESULTS)):
        state = drive(game, step)
        monkeypatch.setattr(robots.clock, "now", lambda state=state: state.clock.began + 60_000)
        snapshots.SESSIONS.forget(game.id)
        snapshots.current(game.id)
        assert drive(game, Step.CLOSE).phase == phase
    assert sealed(game).count == 5
    assert repository.round_items(game.id, 1)[0]["robots"] == 5


def test_the_report_tells_how_ideas_were_ranked_and_what_was_written(hana, game):
    place = numbers(game)
    sort(hana, game, "merge", idea=[place["A bus"], place["A bike"]], words="Wheels")
    drive(game, Step.VOTE)
    for seat in snapshots.current(game.id).playing:
        give(game, seat, "0>1")
    drive(game, Step.CLOSE)
    drive(game, Step.REVEAL)
    page = text(hana.get(reverse("game_report", args=[game.id])))
    assert "Wheels" in page
    assert "taken back" not in page
    raw = b"".join(hana.get(reverse("game_report_csv", args=[game.id])).streaming_content).decode("utf-8-sig")
    rows = [(row["row"], row["answer"]) for row in csv.DictReader(io.StringIO(raw))]
    assert ("idea", "Wheels") in rows
    assert ("written", "A bus") in rows
    assert [row for row, _answer in rows].count("ballot") == 3
    told = json.loads(b"".join(hana.get(reverse("game_report_json", args=[game.id])).streaming_content))
    assert sorted(told["rounds"][0]["result"]["options"]) == ["A boat", "Wheels"]


def test_the_report_does_not_take_sorting_for_taken_back(hana, game):
    assert "taken back" not in text(hana.get(reverse("game_report", args=[game.id])))


def test_who_moved_is_in_the_files(made, hana):
    asked = Question("Where?", Kind.RANKING, options=("Sea", "Hills"), seconds=0, twice=True)
    game = made(Type.POLL, (asked,))
    seats = seated(game, "Ada", "Ben", "Cem")
    for step, ranking in ((Step.NEXT, "0"), (Step.AGAIN, "1>0")):
        drive(game, step)
        for seat in seats:
            give(game, seat, ranking)
        drive(game, Step.CLOSE)
    drive(game, Step.REVEAL)
    raw = b"".join(hana.get(reverse("game_report_csv", args=[game.id])).streaming_content).decode("utf-8-sig")
    moved = [(row["answer"], row["number"]) for row in csv.DictReader(io.StringIO(raw)) if row["row"] == "moved"]
    assert moved == [("Sea > Hills", "3")]
    assert "Who moved where" in text(hana.get(reverse("game_report", args=[game.id])))


def test_without_a_vote_the_picture_says_so(game):
    drive(game, Step.CLOSE)
    html = picture(Type.POLL, sealed(game), repository.read_questions(game.id), {})
    assert "There was no vote" in html
    assert "A boat" in html


# --- making ---

QUICK = {
    "engagement_type": "poll",
    "question_set": "",
    "question": "What next?",
    "options": "",
    "seconds": "30",
    "title": "",
    "names": "typed",
    "debug_mode": "0",
    "context": "",
}


def test_a_quick_poll_whose_options_the_room_writes(hana):
    answer = hana.post(reverse("make_game"), {**QUICK, "ideas": "on"})
    assert answer.status_code == 302
    game_id = answer["Location"].strip("/").split("/")[1]
    assert repository.read_questions(game_id)[0].kind == Kind.IDEAS


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ({}, "2 to 10 options"),
        ({"ideas": "on", "options": "Sea\nHills"}, "Leave the options empty"),
        ({"ideas": "on", "twice": "on"}, "cannot be asked twice"),
    ],
)
def test_a_quick_poll_that_is_none(hana, typed, says):
    answer = hana.post(reverse("make_game"), {**QUICK, **typed})
    assert answer.status_code == 422
    assert says in text(answer)


def test_a_quick_poll_that_can_be_asked_twice(hana):
    answer = hana.post(reverse("make_game"), {**QUICK, "options": "Sea\nHills", "twice": "on"})
    game_id = answer["Location"].strip("/").split("/")[1]
    assert repository.read_questions(game_id)[0].twice


def test_sets_have_ideas_and_rankings_that_are_asked_twice():
    kept = (ASKED[0], Question("Where?", Kind.RANKING, options=("Sea", "Hills"), twice=True))
    raw = "".join(exports.questions_csv(kept)).encode()
    read = [csv_import.question_from(row) for row in _rows(raw)]
    assert [question for question, _flaws in read] == list(kept)
    assert not any(list(found) for _question, found in read)
    assert [flaw.field for flaw in flaws(Question("Free", Kind.TEXT, twice=True))] == ["twice"]
    assert [flaw.field for flaw in flaws(Question("Free", Kind.IDEAS, options=("a", "b")))] == ["option1"]


def _rows(raw: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(raw.decode("utf-8-sig"))))


def test_neither_yes_nor_no_is_said_of_its_column():
    _question, found = csv_import.question_from(
        {"title": "Where?", "kind": "ranking", "option1": "a", "option2": "b", "twice": "often"}
    )
    assert [flaw.field for flaw in found] == ["twice"]
