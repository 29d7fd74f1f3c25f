"""A tie has a verdict and a next step, and a lot never passes for a vote."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.urls import reverse

from accounts import repository as people
from foundation.acts.refusals import NotNow
from foundation.store.log import EventLog
from parts.assembly import agenda
from parts.assembly.minutes import services as minutes
from parts.live import repository
from parts.live.rules import Phase, Step
from parts.live.screens import snapshots
from parts.live.services import correcting, making, moving
from parts.questions.question import Kind, Question, Type
from parts.questions.rules import question_fingerprint
from tests.live.conftest import drive, give, picture, seated

FEE = Question(
    "The fee", Kind.ALTERNATIVES, options=("110", "120", "No change"), majority="1/2 cast", seconds=0, detail="a year"
)
BUSINESS = Question("Any other business", Kind.TOPIC, seconds=0)


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


@pytest.mark.needs("assembly")
def test_tied_amendments_have_a_verdict_and_are_all_told(made, hana):
    game = voted(made, FEE, *TIED)
    snapshot = snapshots.current(game.id)
    assert snapshot.round.result["outcome"] == "tied"
    drawn = picture(Type.ASSEMBLY, snapshot.round, snapshot.questions, snapshot.seats)
    for page in (drawn, hana.get(at(game, "minutes")).content.decode()):
        for words in (
            "No decision: tied between",
            "3 : 1",
            "4 : 0",
            "2 : 2",
            "hold a run-off to decide",
            "original motion",
        ):
            assert words in page
        assert "were needed" not in page


@pytest.mark.needs("assembly")
def test_versions_that_are_tied_but_all_lack_their_majority_are_not_carried(made, hana):
    """Whichever of them a run-off chose, nothing would change."""
    game = voted(made, replace(FEE, majority="3/4 cast"), "0>1>2", "1>0>2", "0=1>2", "2>0>1", "2>1>0")
    result = snapshots.current(game.id).round.result
    assert (result["winners"], result["outcome"]) == ([0, 1], "lost")
    shown = hana.get(at(game, "host_game")).content.decode()
    assert "Not carried: nothing changes" in shown
    assert at(game, "run_off") not in shown


@pytest.mark.needs("assembly")
@pytest.mark.parametrize("page", ["host_game", "remote", "agenda"])
def test_one_press_calls_the_run_off_once(site, made, hana, page):
    game = voted(made, FEE, *TIED)
    shown = hana.get(at(game, page)).content.decode()
    assert f'formaction="{at(game, "run_off")}" name="round" value="1"' in shown
    assert "Run-off between \u2068110\u2069 and \u2068120\u2069" in shown
    for _press in range(2):
        assert hana.post(at(game, "run_off"), {"round": "1", "from": page})["Location"] == at(game, page)
    first, run_off, last = repository.read_questions(game.id)
    assert (first, last) == (FEE, BUSINESS)
    assert (run_off.title, run_off.options) == ("Run-off: The fee", ("110", "120", "No change"))
    assert (run_off.kind, run_off.majority, run_off.run_off) == (FEE.kind, FEE.majority, 1)
    state = repository.read_state(game.id)
    assert (state.phase, state.played) == (Phase.SHOWN, (0, 1))
    assert at(game, "run_off") not in hana.get(at(game, page)).content.decode()
    (added,) = [each["event_data"] for each in EventLog(site).since(0) if each["event_type"] == "LiveItemAdded"]
    assert added["run_off"] == 1


@pytest.mark.needs("assembly")
def test_two_tabs_hold_one_run_off(made, monkeypatch):
    """The other tab presses after the first has looked, and before it has added or called anything."""
    game = voted(made, FEE, *TIED)
    for module, name in ((correcting, "add"), (moving, "drive")):
        real, others = getattr(module, name), [1]

        def late(*arguments, real=real, others=others, **options):
            if others:
                others.pop()
                agenda.hold_run_off(game.id, "Otto", 1)
            return real(*arguments, **options)

        monkeypatch.setattr(module, name, late)
    assert agenda.hold_run_off(game.id, "Hana", 1) == 1
    assert (len(repository.read_questions(game.id)), repository.read_state(game.id).played) == (3, (0, 1))


@pytest.mark.needs("assembly")
def test_a_run_off_waits_until_the_current_item_is_closed(made, hana):
    game = voted(made, FEE, *TIED)
    drive(game, Step.NEXT)
    assert at(game, "run_off") not in hana.get(at(game, "agenda")).content.decode()
    with pytest.raises(NotNow):
        agenda.hold_run_off(game.id, "Hana", 1)
    assert len(repository.read_questions(game.id)) == 2
    drive(game, Step.CLOSE)
    assert at(game, "run_off") in hana.get(at(game, "agenda")).content.decode()


@pytest.mark.needs("assembly")
def test_a_run_off_has_the_number_of_its_item_everywhere(made, hana):
    game = voted(made, FEE, *TIED)
    for _tie in range(2):
        agenda.hold_run_off(game.id, "Hana", repository.read_state(game.id).round)
        drive(game, Step.VOTE)
        for seat, each in zip(snapshots.current(game.id).seats.values(), TIED, strict=True):
            give(game, seat, each)
        drive(game, Step.CLOSE)
    assert snapshots.current(game.id).numbers == ["1", "1.1", "1.2", "2"]
    assert "Item 1.2 of 2" in hana.get(at(game, "host_game")).content.decode()
    assert '<span class="asked-number">2.</span> Any other business' in hana.get(at(game, "agenda")).content.decode()
    correcting.change(game.id, "Hana", 3, question_fingerprint(BUSINESS), replace(BUSINESS, title="The rest"))
    copy = making.copy(people.find("Hana"), game.id, "token")
    assert [each.title for each in repository.read_questions(copy.id)] == ["The fee", "The rest"]
    drive(game, Step.END)
    points = minutes.find(game.id).minutes.points
    assert [(each.item, each.run_off_of, each.run_off) for each in points] == [
        *(("1", "", "1.1"), ("1.1", "1", "1.2"), ("1.2", "1.1", ""))
    ]
    page = hana.get(at(game, "minutes")).content.decode()
    assert "A run-off followed: item 1.1." in page
    assert "Run-off of item 1.1" in page
    assert page.count("hold a run-off to decide") == 1
    assert '<span class="report-number">1.2.</span>' in hana.get(at(game, "game_report")).content.decode()
    assert "\n3,1.2," in hana.get(at(game, "game_report_csv")).getvalue().decode().replace("\r", "")


@pytest.mark.needs("assembly")
def test_choices_rankings_and_their_run_off(made):
    choice = Question("Who chairs?", Kind.CHOICE, options=("Ines", "Jo", "Kim"), secret=True, seconds=0)
    for question, said, left in (
        (choice, ("0", "0", "2", "2", "1"), ("Ines", "Kim")),
        (replace(choice, majority="1/2 cast"), ("0", "0", "0", "2", "2", "1", "1"), None),
        (replace(choice, majority="1/2 cast"), ("0", "0", "0", "2", "2", "1"), ("Ines", "Kim")),
        (replace(choice, majority="1/2 present"), ("0", "abstain", "abstain"), None),
        (replace(choice, kind=Kind.RANKING, secret=False), ("0>2", "1>2", "0>1", "1>0"), ("Ines", "Jo")),
    ):
        game = voted(made, question, *said)
        if left is None:
            with pytest.raises(NotNow):
                agenda.hold_run_off(game.id, "Hana", 1)
        else:
            place = agenda.hold_run_off(game.id, "Hana", 1)
            run_off = repository.read_questions(game.id)[place]
            assert (run_off.options, run_off.secret) == (left, question.secret)


@pytest.mark.needs("assembly")
def test_without_a_tie_there_is_no_run_off(made, hana):
    game = voted(made, FEE, "0>1>2", "0>1>2", "0>1>2")
    with pytest.raises(NotNow):
        agenda.hold_run_off(game.id, "Hana", 1)
    for number in (0, 2, 99):
        with pytest.raises(NotNow):
            agenda.hold_run_off(game.id, "Hana", number)
    assert "run-off" not in hana.get(at(game, "host_game")).content.decode()


@pytest.mark.needs("assembly")
@pytest.mark.parametrize("type_", [Type.ASSEMBLY, Type.POLL])
def test_places_that_only_a_lot_told_apart_are_shared(made, type_):
    colours = Question("Which colour?", Kind.RANKING, options=("Red", "Green", "Blue"), seconds=0)
    game = voted(made, colours, *"2" * 5, *"1" * 4, *"0" * 4, type_=type_)
    if type_ == Type.POLL:
        drive(game, Step.REVEAL)
    result = snapshots.current(game.id).round.result
    assert sorted(result["places"]) == [[0, 2], [1, 2], [2, 1]]


@pytest.mark.needs("assembly")
def test_the_minutes_say_what_a_shared_place_is(made, hana):
    colours = Question("Which colour?", Kind.RANKING, options=("Red", "Green", "Blue"), seconds=0)
    game = voted(made, colours, *"2" * 5, *"1" * 4, *"0" * 4)
    minutes = hana.get(at(game, "minutes")).content.decode()
    for name in ("Green", "Red"):
        assert f'<td class="number">2</td><th scope="row"><bdi>{name}</bdi></th>' in minutes
    assert "only drawing lots could separate them" in minutes


@pytest.mark.needs("assembly")
def test_names_are_listed_as_people_count(made, hana):
    game = voted(made, Question("The budget", Kind.MOTION, seconds=0), *["yes"] * 11)
    snapshot = snapshots.current(game.id)
    for page in (
        picture(Type.ASSEMBLY, snapshot.round, snapshot.questions, snapshot.seats),
        hana.get(at(game, "minutes")).content.decode(),
    ):
        assert page.index("Member 2<") < page.index("Member 10<")
    assert [each.name for each in snapshots.current(game.id).seats.values()]
