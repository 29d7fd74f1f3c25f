"""Pages of several questions on one ballot: who makes and runs them, and what others see."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import quote

import pytest

from accounts import repository as people
from accounts.rules import Role
from ballots import services as ballots
from elections import actions, repository
from elections.candidates.services import add_candidates
from elections.multi_ballot_pages import services as binding
from elections.multi_ballots import repository as multi_ballots
from elections.roll.services import add_voters
from elections.rules import Action, State
from ranking.candidates import Candidate
from tests.background import unfinished
from tests.people import enrol

LEADER, SECOND = "Spring: Chair", "Spring: Colour"


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())))


@pytest.fixture
def ada(signed_in):
    return signed_in("Ada")


@pytest.fixture
def multi_ballot(ada):
    made = ada.post("/books/new/", {"name": "Spring", "questions": "Chair\nColour"})
    return multi_ballots.find(made.url.split("/")[2])


def at(multi_ballot, where=""):
    return f"/book/{multi_ballot.id}/{where}"


def filled(multi_ballot):
    ada = people.find("Ada")
    for name in multi_ballot.questions:
        add_candidates(ada, repository.find(name), [Candidate("Bo"), Candidate("Cy")])
    enrol("Eve")
    add_voters(ada, repository.find(LEADER), ["Eve", "new@example.org"])
    actions.change(ada, repository.find(LEADER), Action.SET_UP, no_voting_after="2199-01-01T00:00:00.000Z")


def states(multi_ballot):
    return [each.stored_state for each in multi_ballots.questions(multi_ballots.find(multi_ballot.id))]


def test_from_the_form_to_the_results(ada, multi_ballot, signed_in):
    dashboard = ada.get(at(multi_ballot, "dashboard/"))
    assert "Chair : Before it can open, it needs at least two candidates, at least one voter" in text_of(dashboard)
    assert f'href="/book/{multi_ballot.id}/open/"' not in dashboard.content.decode()
    filled(multi_ballot)
    assert "Every question is ready." in text_of(ada.get(at(multi_ballot, "dashboard/")))
    asked = text_of(ada.get(at(multi_ballot, "open/")))
    assert "Questions 2 On the roll 2" in asked
    assert "2 questions open at once for 2 voters" in asked
    assert "Chair 2 candidates · Schulze" in asked
    assert "The ballot is open: 2 questions." in text_of(ada.post(at(multi_ballot, "open/"), follow=True))
    assert states(multi_ballot) == [State.OPEN] * 2
    eve = signed_in("Eve", Role.VOTER)
    assert f'href="/book/{multi_ballot.id}/ballot/"' in eve.get(at(multi_ballot)).content.decode()
    home = text_of(eve.get("/"))
    assert "1 ballot is waiting for you." in home
    assert "Spring 2 questions on one ballot" in home
    assert "The result will be shown once the election has closed." in text_of(eve.get(at(multi_ballot, "results/")))
    ballots.cast(people.find("Eve"), SECOND, {"1": ["1"]}, "form")
    assert "My ballots" in text_of(eve.get(at(multi_ballot)))
    assert "1 of 2 voted" in text_of(ada.get(at(multi_ballot, "dashboard/")))
    ada.post(at(multi_ballot, "end/"), {"ends": "2199-03-01T12:00"})
    assert {each.no_voting_after for each in multi_ballots.questions(multi_ballot)} == {"2199-03-01T12:00:00.000Z"}
    asked = text_of(ada.get(at(multi_ballot, "close/")))
    assert all(said in asked for said in ("left until the planned end", "Colour 1 of 2 voted", "Cancel"))
    assert "The ballot is closed." in text_of(ada.post(at(multi_ballot, "close/"), follow=True))
    results = text_of(eve.get(at(multi_ballot, "results/")))
    assert "Chair Nobody voted." in results
    assert "Colour Winner Cy Method Schulze Ballots 1 · of 2 voters · 50%" in results


def test_strangers_see_the_results_only_if_every_question_shares_them(ada, multi_ballot, client):
    filled(multi_ballot)
    actions.change(people.find("Ada"), repository.find(LEADER), Action.SET_UP, results_public=True)
    assert client.get(at(multi_ballot, "result/")).status_code == 404  # drafts
    ada.post(at(multi_ballot, "open/"))
    ada.post(at(multi_ballot, "close/"))
    assert ada.get(at(multi_ballot, "results/")).status_code == 200
    shared = client.get(at(multi_ballot, "result/"))
    assert "Nobody voted." in text_of(shared)
    assert f'href="/result/{quote(SECOND, safe=":")}/"' in shared.content.decode()
    assert client.get(at(multi_ballot, "results/")).status_code == 302
    later = binding.make(people.find("Ada"), "Autumn", ["Chair"])
    assert client.get(at(later, "result/")).status_code == 404
    assert client.get("/book/no-such/result/").status_code == 404


def test_questions_are_added_moved_and_taken_out(ada, multi_ballot):
    ada.post(at(multi_ballot, "dashboard/"), {"questions": "Song\nDish"})
    ada.post(at(multi_ballot, "order/"), {"up": "Spring: Song"})
    ada.post(at(multi_ballot, "order/"), {"down": LEADER})
    ada.post(at(multi_ballot, "order/"), {"remove": "Spring: Dish"})
    refused = ada.post(at(multi_ballot, "order/"), {"remove": LEADER}, follow=True)
    assert "Remove the others first" in text_of(refused)
    assert multi_ballots.find(multi_ballot.id).questions == ("Spring: Song", LEADER, SECOND)
    assert "Someone else changed this" in text_of(ada.post(at(multi_ballot, "order/"), {"up": "nobody's"}, follow=True))
    ada.post(at(multi_ballot, "rename/"), {"name": "Summer"})
    assert multi_ballots.find(multi_ballot.id).name == "Summer"
    for name in ("Spring: Song", SECOND):
        ada.post(at(multi_ballot, "order/"), {"remove": name})
    assert ada.post(at(multi_ballot, "order/"), {"remove": LEADER}).url == "/elections/"
    assert multi_ballots.find(multi_ballot.id) is None


def test_what_is_typed_wrong_is_said_at_the_form(ada, multi_ballot):
    for typed in ({"name": "", "questions": "A"}, {"name": "X", "questions": ""}):
        assert ada.post("/books/new/", typed).status_code == 422
    many = ada.post("/books/new/", {"name": "X", "questions": "\n".join(f"Q{n}" for n in range(21))})
    assert "A ballot has at most 20 questions." in text_of(many)
    assert ada.post(at(multi_ballot, "dashboard/"), {"questions": "a" * 300}).status_code == 422
    wrong = ada.post(
        at(multi_ballot, f"question/{quote(SECOND)}/"), {"method": "irv", "seats": "2", "unranked": "below"}
    )
    assert "This method elects one winner." in text_of(wrong)
    right = {"method": "stv-meek", "seats": "2", "unranked": "below"}
    assert ada.post(at(multi_ballot, f"question/{quote(SECOND)}/"), right).status_code == 302
    assert (repository.find(SECOND).method, repository.find(SECOND).seats) == ("stv-meek", 2)
    refused = ada.post(at(multi_ballot, "open/"), follow=True)
    assert "Colour: Before it can open, it needs" in text_of(refused)


def test_pages_of_one_question_lead_to_where_it_is_done_for_all(ada, multi_ballot):
    here, leader = f"/election/{quote(SECOND)}/", f"/election/{quote(LEADER)}/"
    assert ada.get(f"{here}open/").url == at(multi_ballot, "open/")
    assert ada.post(f"{leader}rename/", {"name": "X"}).url == at(multi_ballot, "dashboard/")
    assert ada.get(f"{here}settings/").url == at(multi_ballot, f"question/{quote(SECOND, safe=':')}/")
    assert ada.get(f"{here}roll/").url == f"/election/{quote(LEADER, safe=':')}/roll/"
    assert ada.get(f"{leader}roll/").status_code == 200
    assert ada.get(f"{leader}settings/").status_code == 200
    assert ada.get(f"{here}steps/when/").url == at(multi_ballot, f"question/{quote(SECOND, safe=':')}/")
    assert ada.get(f"{leader}steps/when/").status_code == 200
    assert "See all questions" not in text_of(ada.get(f"{here}dashboard/"))  # candidates come first
    assert at(multi_ballot, "dashboard/") in ada.get(f"{here}dashboard/").content.decode()
    filled(multi_ballot)
    assert "See all questions" in text_of(ada.get(f"{here}dashboard/"))
    ada.post(at(multi_ballot, "open/"))
    assert ada.get(f"{here}close/").url == at(multi_ballot, "close/")
    assert ada.get(f"{here}end/").url == at(multi_ballot, "end/")
    assert ada.get(f"{here}roll/").status_code == 200  # who has voted in this question
    assert ada.post(f"{here}roll/invite/").status_code == 302
    assert at(multi_ballot) in ada.get(here).content.decode()


def test_whose_it_is_not(ada, multi_ballot, signed_in, client):
    bea, zoe = signed_in("Bea"), signed_in("Zoe", Role.VOTER)
    for where in ("dashboard/", "open/", "rename/", "close/", "end/", f"question/{quote(SECOND)}/", "", "results/"):
        assert bea.get(at(multi_ballot, where)).status_code == 404, where  # a draft of somebody else's is not there
        assert client.get(at(multi_ballot, where)).status_code == 302
    assert bea.post(at(multi_ballot, "order/"), {"remove": SECOND}).status_code == 404
    assert zoe.get("/books/new/").status_code == 403
    filled(multi_ballot)
    ada.post(at(multi_ballot, "open/"))
    assert bea.get(at(multi_ballot)).status_code == 200
    for where in ("dashboard/", "end/", "close/"):
        assert bea.get(at(multi_ballot, where)).status_code == 403, where
    assert bea.post(at(multi_ballot, "close/")).status_code == 403
    assert states(multi_ballot) == [State.OPEN] * 2
    admin = signed_in("Olga", Role.ADMIN)
    admin.post(at(multi_ballot, "close/"))
    assert states(multi_ballot) == [State.CLOSED] * 2
    for where, method in (("order/", "get"), ("results/", "post"), ("", "post")):
        assert getattr(ada, method)(at(multi_ballot, where)).status_code == 405


def test_while_it_is_at_work_the_dashboard_says_so(ada, multi_ballot, site):
    site.write(multi_ballots.ACTING.begin(multi_ballot.id, act="open", by="Ada"))
    assert "Please try again in a moment" in text_of(ada.get(at(multi_ballot, "dashboard/")))
    assert "Please try again in a moment" in text_of(ada.post(at(multi_ballot, "order/"), {"up": SECOND}, follow=True))
    assert unfinished("act on ballot")
