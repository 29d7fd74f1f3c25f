"""Races about several questions: of those who set them up in two tabs, and of ballots that answer all of them."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

import pytest

from accounts import repository as people
from ballots.repository import every_ballot
from elections import repository
from elections.actions import change
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.rules import Action
from elections.turnout.counts import final_turnout
from foundation.acts.refusals import LostRace, NotNow, Refusal
from foundation.ranking.candidates import Candidate
from foundation.store.log import Repeated
from tests.ballots.conftest import draft_asking
from tests.people import enrol
from tests.voting import cast, withdraw

from .overtaken import lost, overtaken_by

# in all questions
ADA = {"0": ["1"], "2:0": ["1"], "3:0": ["1"]}
BO = {"1": ["1"], "2:1": ["1"], "3:1": ["1"]}


@pytest.fixture
def olga(site):
    enrol("Olga", "Eve", "Kim")
    return people.find("Olga")


@pytest.fixture
def draft(olga):
    return draft_asking(olga, "Board", "One", "Two", "Three")


def now():
    return repository.find("Board")


def titles() -> list[str]:
    return [each.title for each in now().questions]


# --- setting them up, in two tabs ---


def test_of_two_questions_that_are_added_at_once_one_is_added_and_no_number_is_given_twice(olga, draft):
    add = partial(drafts.add_question, olga, draft)
    assert isinstance(lost(partial(add, "Five"), partial(add, "Four")), LostRace)
    assert titles() == ["One", "Two", "Three", "Four"]
    drafts.add_question(olga, now(), "Five")
    assert [each.number for each in now().questions] == [1, 2, 3, 4, 5]


def test_a_form_sent_twice_adds_one_question(olga, draft):
    add = partial(drafts.add_question, olga, draft, "Four", mark="the same form")
    with overtaken_by(add), pytest.raises(Repeated):
        add()
    assert titles() == ["One", "Two", "Three", "Four"]


def acts_on_the_second(olga, draft):
    two = draft.at(2)
    return {
        "remove": partial(drafts.remove_question, olga, two),
        "move": partial(drafts.move_question, olga, two, up=False),
        "rename": partial(change, olga, two, Action.SET_UP, title="Renamed"),
        "open": partial(lifecycle.open_, olga, draft),
    }


LEFT = {
    "remove": ["One", "Three"],
    "move": ["One", "Three", "Two"],
    "rename": ["One", "Renamed", "Three"],
    "open": ["One", "Two", "Three"],
}


@pytest.mark.parametrize("slow", ["remove", "move", "rename"])
@pytest.mark.parametrize("quick", [*LEFT])
def test_a_question_is_not_changed_as_it_was_before_another_tab_changed_it(olga, draft, slow, quick):
    add_voters(olga, draft, ["Eve"])
    acts = acts_on_the_second(olga, now())
    lost(acts[slow], acts[quick])
    assert titles() == LEFT[quick]


def test_no_candidate_is_left_behind_in_a_question_that_was_removed(olga, draft):
    """Who adds one looks again after they were overtaken; who removes the question has seen all its candidates."""
    cy, dee = (partial(add_candidates, olga, draft.at(2), [Candidate(name)]) for name in ("Cy", "Dee"))
    lost(partial(drafts.remove_question, olga, draft.at(2)), cy)
    assert len(repository.candidates("Board", 2)) == 3
    lost(dee, partial(drafts.remove_question, olga, now().at(2)))
    assert repository.candidates("Board", 2) == []


# --- ballots that answer all of them ---


@pytest.fixture(params=[True, False], ids=["secret", "public"])
def opened_with_three(olga, request):
    made = draft_asking(olga, "Board", "One", "Two", "Three", secret_ballot=request.param)
    add_voters(olga, made, ["Eve", "Kim"])
    return lifecycle.open_(olga, now())


def check_of_one_ballot(*left: str) -> None:
    for question in now().questions:
        assert sorted(ballot.rankings for ballot in every_ballot(question)) == sorted(left)
        assert final_turnout(question).voted == len(left)


@pytest.mark.parametrize("before", [False, True])
def test_of_two_tabs_that_cast_or_change_one_ballot_is_left_in_all_questions(opened_with_three, before):
    eve = people.find("Eve")
    if before:
        cast(eve, "Board", ADA, "an earlier form")
    with overtaken_by(partial(cast, eve, "Board", BO, "quick")), suppress(Refusal):
        cast(eve, "Board", ADA, "slow")
    said = {ballot.rankings for question in now().questions for ballot in every_ballot(question)}
    assert len(said) == 1
    check_of_one_ballot(*said)


def test_a_ballot_that_is_withdrawn_meanwhile_is_gone_or_cast_anew_in_all_questions(opened_with_three):
    eve = people.find("Eve")
    cast(eve, "Board", ADA, "first")
    with overtaken_by(partial(withdraw, eve, "Board", "withdrawn")), suppress(Refusal):
        cast(eve, "Board", BO, "changed")
    left = [ballot.rankings for ballot in every_ballot(now())]
    assert left in ([], ["1"])
    check_of_one_ballot(*left)


@pytest.mark.parametrize("act", ["cast", "change", "withdraw"])
def test_what_meets_the_close_happens_in_no_question(olga, opened_with_three, act):
    eve = people.find("Eve")
    cast(people.find("Kim"), "Board", BO, "of Kim")
    if act != "cast":
        cast(eve, "Board", ADA, "earlier")
    before = [ballot.rankings for ballot in every_ballot(now())]
    late = partial(withdraw, eve, "Board", "late") if act == "withdraw" else partial(cast, eve, "Board", BO, "late")
    with overtaken_by(lambda: closing.close(olga, now())), pytest.raises(NotNow):
        late()
    check_of_one_ballot(*before)
