"""A tie has a verdict and a next step, and a lot never passes for a vote."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from accounts import repository as people
from acts.refusals import NotNow
from assembly import agenda
from live import repository
from live.rules import Step
from live.screens import snapshots
from questions.question import Kind, Question, Type
from tests.live.conftest import drive, give, picture, seated

FEE = Question(
    "The fee", Kind.ALTERNATIVES, options=("110", "120", "No change"), majority="1/2 cast", seconds=0, detail="a year"
)
BUSINESS = Question("Any other business", Kind.TOPIC, seconds=0)


@pytest.fixture
def hana(made, signed_in) -> Client:
    return signed_in(people.find("Hana"))


def voted(made, question: Question, *said: str, type_: Type = Type.ASSEMBLY):
    """A session in which so many have just voted like this."""
    game = made(type_, [question, BUSINESS] if type_ == Type.ASSEMBLY else [question])
    players = seated(game, *(f"Member {number}" for number in range(1, len(said) + 1)))
    drive(game, Step.NEXT)
    if type_ == Type.ASSEMBLY:
        drive(game, Step.VOTE)
    for seat, each in zip(players, said, strict=True):
        give(game, seat, each)
    drive(game, Step.CLOSE)
    return game


def at(game, name: str) -> str:
    return reverse(name, args=[game.id])


TIED = ("0>1>2", "0>1>2", "1>0>2", "1>2>0")  # 110 and 120 are level; 3 to 1 and 4 to 0 against no change


def test_tied_amendments_have_a_verdict_and_are_all_drawn(made, hana):
    game = voted(made, FEE, *TIED)
    snapshot = snapshots.current(game.id)
    assert snapshot.round.result["outcome"] == "tied"
    drawn = picture(Type.ASSEMBLY, snapshot.round, snapshot.questions, snapshot.seats)
    for words in ("No decision: tied between", "3 : 1", "4 : 0", "The vote is tied: hold a run-off to decide"):
        assert words in drawn
    assert "were needed" not in drawn
    minutes = hana.get(at(game, "minutes")).content.decode()
    assert "No decision: tied between" in minutes
    assert "110: 3 for it, 1 for no change; 120: 4 for it, 0 for no change" in minutes


@pytest.mark.parametrize("page", ["host_game", "remote", "agenda"])
def test_one_press_puts_the_run_off_next(made, hana, page):
    game = voted(made, FEE, *TIED)
    shown = hana.get(at(game, page)).content.decode()
    assert f'formaction="{at(game, "run_off")}" name="round" value="1"' in shown
    for _press in range(2):
        assert hana.post(at(game, "run_off"), {"round": "1", "from": page})["Location"] == at(game, page)
    first, run_off, last = repository.read_questions(game.id)
    assert (first, last) == (FEE, BUSINESS)
    assert (run_off.title, run_off.options) == ("Run-off: The fee", ("110", "120", "No change"))
    assert (run_off.kind, run_off.majority) == (FEE.kind, FEE.majority)
    assert drive(game, Step.NEXT).question == 1


def test_choices_rankings_and_their_run_off(made):
    choice = Question("Who chairs?", Kind.CHOICE, options=("Ines", "Jo", "Kim"), secret=True, seconds=0)
    game = voted(made, choice, "0", "0", "2", "2", "1")
    place = agenda.add_run_off(game.id, "Hana", 1)
    assert repository.read_questions(game.id)[place].options == ("Ines", "Kim")
    assert repository.read_questions(game.id)[place].secret
    ranking = Question("Where next?", Kind.RANKING, options=("Sea", "Hills", "Town"), seconds=0)
    game = voted(made, ranking, "0>2", "1>2", "0>1", "1>0")
    place = agenda.add_run_off(game.id, "Hana", 1)
    assert repository.read_questions(game.id)[place].options == ("Sea", "Hills")


def test_without_a_tie_there_is_no_run_off(made, hana):
    game = voted(made, FEE, "0>1>2", "0>1>2", "0>1>2")
    with pytest.raises(NotNow):
        agenda.add_run_off(game.id, "Hana", 1)
    for number in (0, 2, 99):
        with pytest.raises(NotNow):
            agenda.add_run_off(game.id, "Hana", number)
    assert "run-off" not in hana.get(at(game, "host_game")).content.decode()


@pytest.mark.parametrize("type_", [Type.ASSEMBLY, Type.POLL])
def test_places_that_only_a_lot_told_apart_are_shared(made, type_):
    colours = Question("Which colour?", Kind.RANKING, options=("Red", "Green", "Blue"), seconds=0)
    game = voted(made, colours, *"2" * 5, *"1" * 4, *"0" * 4, type_=type_)
    if type_ == Type.POLL:
        drive(game, Step.REVEAL)
    result = snapshots.current(game.id).round.result
    assert sorted(result["places"]) == [[0, 2], [1, 2], [2, 1]]


def test_the_minutes_say_what_a_shared_place_is(made, hana):
    colours = Question("Which colour?", Kind.RANKING, options=("Red", "Green", "Blue"), seconds=0)
    game = voted(made, colours, *"2" * 5, *"1" * 4, *"0" * 4)
    minutes = hana.get(at(game, "minutes")).content.decode()
    assert "2. Green" in minutes
    assert "2. Red" in minutes
    assert "only drawing lots could separate them" in minutes


def test_names_are_listed_as_people_count(made, hana):
    game = voted(made, Question("The budget", Kind.MOTION, seconds=0), *["yes"] * 11)
    snapshot = snapshots.current(game.id)
    for page in (
        picture(Type.ASSEMBLY, snapshot.round, snapshot.questions, snapshot.seats),
        hana.get(at(game, "minutes")).content.decode(),
        hana.get(reverse("sealed_round", args=[game.id, 1])).content.decode(),
    ):
        assert page.index("Member 2<") < page.index("Member 10<")
    assert [each.name for each in snapshots.current(game.id).seats.values()]
