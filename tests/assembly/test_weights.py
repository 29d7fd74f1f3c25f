"""Votes of an assembly that count several times: from the roll to the result."""

from __future__ import annotations

import html
import re

import pytest
from django.test import Client
from django.urls import reverse

from foundation.acts.refusals import LostRace, NotNow
from parts.assembly import check_in, roll
from parts.assembly.minutes import services as minutes
from parts.assembly.minutes.views import point_view
from parts.live import repository, seats
from parts.live.rules import Step
from parts.live.services import making
from parts.live.services.answering import AnswerStatus
from parts.live.services.formats import HOOKS
from parts.questions.question import Kind, Question, Type
from tests.assembly.test_assembly import call, sealed
from tests.assembly.test_check_in import by_code, code_of, host
from tests.assembly.test_roll import now, roll_page, told
from tests.background import finish_background
from tests.live.conftest import drive, give

PEOPLE = {"zita": 3, "yves": 1, "xenia": 2, "will": 10}  # of whom Will stays away


@pytest.fixture
def assembly(made):
    game = made(Type.ASSEMBLY)
    roll.add(game.id, "Hana", [name.title() for name in PEOPLE], weights=PEOPLE)
    return now(game)


def seat_of(game, name: str):
    return seats.find(game.id, roll.player_of(game.id, name))


@pytest.fixture
def hall(assembly):
    """Zita has three votes, Yves one and Xenia two."""
    clients = {name: Client() for name in ("zita", "yves", "xenia")}
    for name, client in clients.items():
        by_code(client, assembly, code_of(assembly, name))
    return clients


def vote(game, **said: str) -> dict:
    drive(game, Step.VOTE)
    for name, words in said.items():
        assert give(game, seat_of(game, name), words) == AnswerStatus.COUNTED
    drive(game, Step.CLOSE)
    return sealed(game).result


# --- the roll ---


def test_a_line_may_end_with_a_weight(site, made):
    game, hana = made(Type.ASSEMBLY), host()
    typed = "Anna Berg <anna@example.org>; 3\nZita\t20\nYves\nXenia; 0\nWill; 1000001\nzita; 7\nyves; 5\nVera; 2; 1"
    page = hana.post(roll_page(game), {"act": "look", "names": typed}).content.decode()
    assert page.count("A weight is a whole number from 1 to 1,000,000.") == 2
    assert "20 votes" in page
    kept = html.unescape(re.search(r"<textarea name=\"names\" hidden>(.*?)</textarea>", page, re.DOTALL)[1])
    assert kept == "Anna Berg <anna@example.org>; 3\nZita; 20\nYves\nVera; 2; 1"
    hana.post(roll_page(game), {"act": "add", "names": kept})
    found = {each.name: (each.weight, each.email) for each in roll.each_entry(game.id)}
    assert found == {"Anna Berg": (3, "anna@example.org"), "Zita": (20, ""), "Yves": (1, ""), "Vera; 2": (1, "")}
    assert (now(game).own.entitled, now(game).own.extra_votes) == (4, 21)
    assert told(site)[-1]["extra_votes"] == 21
    assert "Anna" not in repr(told(site))
    assert "20 votes" in hana.get(roll_page(game)).content.decode()


def test_a_weight_can_be_corrected_even_after_checking_in_but_not_during_a_vote(assembly, hall):
    def save(name: str, weight: str) -> str:
        sent = {"act": "weigh", "name": name, "weight": weight}
        return host().post(roll_page(assembly), sent, follow=True).content.decode()

    assert "Your changes are saved." in save("Zita", "5")
    assert (roll.find(assembly.id, "Zita").weight, seat_of(assembly, "Zita").own["weight"]) == (5, 5)
    assert now(assembly).own.extra_votes == 14
    assert "A weight is a whole number" in save("Zita", "-1")
    assert "Nobody with that name is on the roll." in save("Nobody", "2")
    call(assembly, 1)
    drive(assembly, Step.VOTE)
    assert "A vote is open." in save("Zita", "6")
    assert seat_of(assembly, "Zita").own["weight"] == 5


def test_who_checks_in_while_their_weight_is_changed_has_the_new_one(assembly, monkeypatch):
    read, clients = roll._weighing_seats, [Client()]

    def check_in_meanwhile(game, entries):
        found = read(game, entries)
        if clients:
            by_code(clients.pop(), assembly, code_of(assembly, "Yves"))
        return found

    monkeypatch.setattr(roll, "_weighing_seats", check_in_meanwhile)
    roll.weigh(assembly.id, "Hana", "Yves", 4)
    assert (roll.find(assembly.id, "Yves").weight, seat_of(assembly, "Yves").own["weight"]) == (4, 4)


def test_who_leaves_the_roll_takes_their_votes_along(assembly):
    roll.remove(assembly.id, "Hana", "Will")
    assert (now(assembly).own.entitled, now(assembly).own.extra_votes) == (3, 3)


def test_a_roll_started_late_gives_weights_to_those_who_have_checked_in(made, person):
    game, ada, ben = made(Type.ASSEMBLY), person("Ada"), person("Ben")
    state, held = repository.read_state(game.id), [check_in.players.pass_of_form("f" * 22 + each) for each in "ab"]
    check_in.by_account(game, state, ada, held[0])
    roll.add(game.id, "Hana", ["Ada", "Ben"], weights={"ada": 4, "ben": 2})
    check_in.by_account(game, state, ben, held[1])  # with the page from before there was a roll
    assert {each.name: each.own["weight"] for each in seats.read_seats(game.id)} == {"Ada": 4, "Ben": 2}


def test_a_copy_has_the_weights(assembly, person):
    copied = making.copy(person("Carl"), assembly.id, "t")
    assert {each.folded: each.weight for each in roll.each_entry(copied.id)} == PEOPLE
    assert now(copied).own.extra_votes == 12


# --- votes ---


def test_open_votes_count_weights_and_quorums_people(assembly, hall):
    roll.change_quorum(assembly.id, "Hana", 4, "3")
    call(assembly, 1)
    result = vote(assembly, zita="yes", yves="no", xenia="abstain")
    assert (result["yes"], result["no"], result["abstain"], result["outcome"]) == (3, 1, 2, "carried")
    assert (result["voters"], result["votes"], result["present_votes"], result["entitled_votes"]) == (3, 6, 6, 16)
    assert (result["present_count"], result["entitled"], result["quorate"]) == (3, 4, True)
    assert sorted(weight for _player, weight in result["weights"]) == [2, 3]
    drive(assembly, Step.REPEAT)
    roll.change_quorum(assembly.id, "Hana", 4, "4")
    assert vote(assembly, zita="yes")["outcome"] == "invalid", "Three people are no quorum of four."


@pytest.mark.parametrize(
    ("question", "said", "expected"),
    [
        (
            Question("?", Kind.MOTION, majority="1/2 present"),
            {"zita": "yes", "yves": "yes"},
            {"yes": 4, "of": 6, "needed": 4, "outcome": "carried"},
        ),
        (
            Question("?", Kind.MOTION, majority="1/2 entitled"),
            {"zita": "yes", "yves": "yes", "xenia": "yes"},
            {"yes": 6, "of": 16, "needed": 9, "outcome": "lost"},
        ),
        (
            Question("?", Kind.CHOICE, options=("A", "B")),
            {"zita": "0", "yves": "1", "xenia": "1"},
            {"chosen": [3, 3], "leaders": [0, 1], "outcome": "tied"},
        ),
        (
            Question("?", Kind.RANKING, options=("A", "B", "C")),
            {"zita": "0>1", "yves": "1>0", "xenia": ""},
            {"winners": [0], "total": 6, "abstain": 2, "outcome": "elected"},
        ),
        (
            Question("?", Kind.ALTERNATIVES, options=("A", "B", "No change"), majority="2/3 present"),
            {"zita": "0>1>2", "yves": "1>0>2", "xenia": "2"},
            {"winners": [0], "yes": 4, "no": 2, "abstain": 0, "needed": 4, "outcome": "carried"},
        ),
    ],
)
def test_every_kind_of_vote_adds_weights(made, question, said, expected):
    game = made(Type.ASSEMBLY, (question,))
    roll.add(game.id, "Hana", [name.title() for name in PEOPLE], weights=PEOPLE)
    for name in ("zita", "yves", "xenia"):
        by_code(Client(), now(game), code_of(game, name))
    call(game, 0)
    result = vote(game, **said)
    assert {name: result[name] for name in expected} == expected


def test_a_secret_vote_is_not_opened_while_some_votes_count_several_times(assembly, hall):
    call(assembly, 2)
    with pytest.raises(NotNow, match="reveal who cast them"):
        drive(assembly, Step.VOTE)
    for name in PEOPLE:
        roll.weigh(assembly.id, "Hana", name, 1)
    assert "weights" not in vote(assembly, zita="0", yves="0", xenia="1")


def test_a_secret_vote_is_not_opened_if_the_roll_changes_meanwhile(made, monkeypatch):
    game = made(Type.ASSEMBLY)
    roll.add(game.id, "Hana", ["Zita", "Yves", "Xenia"])
    for name in ("Zita", "Yves", "Xenia"):
        by_code(Client(), now(game), code_of(game, name))
    call(game, 2)
    opens = type(HOOKS.of(game)).open_vote

    def open_meanwhile(self, *arguments):
        found = opens(self, *arguments)
        roll.weigh(game.id, "Hana", "Zita", 2)
        return found

    monkeypatch.setattr(type(HOOKS.of(game)), "open_vote", open_meanwhile)
    with pytest.raises(LostRace):
        drive(game, Step.VOTE)
    assert not repository.read_state(game.id).is_open


# --- what people see ---


def test_phones_screens_report_and_minutes_say_that_votes_are_counted(assembly, hall):
    page = reverse("play", args=[assembly.id])
    assert "Your vote counts 3 times." in hall["zita"].get(page).content.decode()
    assert "Your vote counts" not in hall["yves"].get(page).content.decode()
    call(assembly, 1)
    vote(assembly, zita="yes", yves="no")
    page = html.unescape(hall["yves"].get(page).content.decode())
    for words in ("In votes: 3 yes, 1 no", "2 people cast 4 votes", "Zita\u2069 (3 votes)"):
        assert words in page
    drive(assembly, Step.END)
    finish_background()
    kept = minutes.find(assembly.id).minutes
    (point,) = kept.points
    view = point_view(kept, point)
    assert "2 people cast 4 votes, because some votes count several times." in view.lines
    assert ("Yes", ("\u2068Zita\u2069 (3 votes)",)) in view.votes
