"""Pages of those who run an election with several questions: asking them, and all that shows them."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.urls import reverse

from accounts import repository as people
from accounts.rules import Role
from elections import actions, demo, repository, rules
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle.services import open_
from elections.roll.services import add_voters
from elections.rules import Action
from elections.voter_lists import Details
from foundation.ranking.candidates import Candidate
from tests.people import enrol

NAME = "Spring"
STEP = f"/election/{NAME}/steps/candidates/"
ASK = f"/election/{NAME}/ask/"


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", answer.content.decode())))


@pytest.fixture
def ada(signed_in):
    return signed_in("Ada")


@pytest.fixture
def draft(ada):
    election = drafts.create(people.find("Ada"), NAME)
    add_candidates(people.find("Ada"), election, [Candidate("Bo"), Candidate("Cy")])
    return repository.find(NAME)


@pytest.fixture
def spring(draft):
    """Three questions: a chair, a proposal, and two of the staff's own."""
    ada = people.find("Ada")
    enrol("Eve", "Finn", "Gil", "Hal")
    known = {name: Details(groups=("Staff",)) for name in ("Eve", "Finn", "Gil")}
    add_voters(ada, draft, ["Eve", "Finn", "Gil", "Hal"], known)
    asked = drafts.add_question(ada, repository.find(NAME), "The budget", first_title="The chair", kind="yes-no")
    actions.change(ada, asked, Action.SET_UP, majority="1/2 cast", method="majority")
    asked = drafts.add_question(
        ada, repository.find(NAME), "Delegates", kind="choose", method="most-votes", most=2, for_groups=("Staff",)
    )
    add_candidates(ada, asked, [Candidate("Ida"), Candidate("Jo")])
    return repository.find(NAME)


def titles():
    return [each.title for each in repository.find(NAME).questions]


def fields(**more):
    """The form of all questions as it is shown; `more` by the number of a question, or a button."""
    form = {}
    for each in repository.find(NAME).questions:
        own = {name: getattr(each, name) for name in ("title", "kind", "method", "seats", "fewest", "most", "unranked")}
        own |= {"for_groups": list(each.for_groups), "names": "", "majority": each.majority}
        own |= more.pop(f"q{each.number}", {})
        form |= {f"question-{each.number}-{name}": value for name, value in own.items()}
    return form | more


def candidates(number=1):
    return sorted(each.name for each in repository.candidates(NAME, number))


# --- asking ---


def test_an_election_with_one_question_never_says_so(ada, draft):
    for page in ("steps/candidates", "candidates", "dashboard", "settings", "open"):
        text = text_of(ada.get(f"/election/{NAME}/{page}/"))
        assert "question" not in text.replace("Ask another question", "").replace("Questions to candidates", "")


def test_another_question_is_asked_from_the_ballot_and_nothing_typed_is_lost(ada, draft):
    assert 'name="ask"' in ada.get(STEP).content.decode()
    assert f'href="{ASK}"' in ada.get(f"/election/{NAME}/candidates/").content.decode()
    assert ada.post(STEP, {"names": "Dee", "ask": "yes"}).url == ASK
    assert candidates() == ["Bo", "Cy", "Dee"]
    assert f'value="{NAME}"' in ada.get(ASK).content.decode()  # what the first one is called, unless one types more
    typed = {"title": "The budget", "first_title": "The chair", "kind": "yes-no", "token": "t" * 22}
    for _twice in range(2):
        assert ada.post(ASK, typed).url == f"{STEP}#question-2"
    assert titles() == ["The chair", "The budget"]
    page = ada.get(STEP)
    assert "The chair" in text_of(page)
    assert 'id="question-2"' in page.content.decode()
    assert "first_title" not in ada.get(ASK).content.decode()
    assert candidates(2) == ["Abstain", "No", "Yes"]


def test_the_first_names_may_come_after_the_second_question(ada):
    drafts.create(people.find("Ada"), NAME)
    assert ada.post(STEP, {"names": "", "ask": "yes"}).url == ASK
    assert ada.post(STEP, {"names": ""}).status_code == 422


def test_a_vote_on_a_proposal_gets_another_question_on_its_last_step(ada):
    drafts.create(people.find("Ada"), NAME, kind="yes-no", method="majority", majority="1/2 cast")
    how = f"/election/{NAME}/steps/how/"
    assert 'name="ask"' in ada.get(how).content.decode()
    assert ada.post(how, {"kind": "yes-no", "majority": "2/3 cast", "ask": "yes"}).url == ASK
    assert repository.find(NAME).majority == "2/3 cast"
    ada.post(ASK, {"title": "B", "first_title": "A", "kind": "ranked"})
    assert ada.get(how).url == STEP  # each question says how it is counted
    assert ada.get(STEP).status_code == 200


@pytest.mark.parametrize("title", ["<b>&amp;</b>", "שאלה", "x" * 200, "' OR 1=1", "日本語の質問"])
def test_titles_may_be_anything_people_write(ada, draft, title):
    assert ada.post(ASK, {"title": title, "first_title": f"{title[:199]}!", "kind": "approval"}).status_code == 302
    assert titles()[1] == title
    for page in ("steps/candidates", "question/2/candidates", "dashboard", "settings", "question/2/settings", "open"):
        answer = ada.get(f"/election/{NAME}/{page}/")
        assert answer.status_code == 200, page
        assert "<b>&amp;</b>" not in answer.content.decode()
    assert title in text_of(ada.get(f"/election/{NAME}/dashboard/")) or "<" in title


@pytest.mark.parametrize("typed", [{"title": ""}, {"title": "x" * 201}, {"first_title": ""}, {"kind": "guess"}])
def test_what_is_typed_wrong_is_said_at_the_form(ada, draft, typed):
    sent = {"title": "B", "first_title": "A", "kind": "ranked"} | typed
    assert ada.post(ASK, sent).status_code == 422
    assert not repository.find(NAME).more


def test_two_tabs_may_ask_and_no_two_questions_have_one_title(ada, spring):
    for title in ("Colour", "Song"):
        assert ada.post(ASK, {"title": title, "kind": "ranked"}).status_code == 302
    assert titles() == ["The chair", "The budget", "Delegates", "Colour", "Song"]
    refused = ada.post(ASK, {"title": "COLOUR", "kind": "ranked"})
    assert refused.status_code == 422
    assert "already a question with this title" in text_of(refused)
    again = ada.post(STEP, fields(q4={"title": "Song"}))
    assert again.status_code == 422
    assert "already a question with this title" in text_of(again)


def test_there_are_at_most_twenty_questions(ada, draft):
    for number in range(2, rules.MAX_QUESTIONS + 1):
        drafts.add_question(people.find("Ada"), repository.find(NAME), f"Number {number}")
    refused = ada.post(ASK, {"title": "One more", "kind": "ranked"})
    assert "at most 20 questions" in text_of(refused)
    for page in (STEP, f"/election/{NAME}/candidates/", f"/election/{NAME}/dashboard/"):
        assert "Ask another question" not in text_of(ada.get(page))


def test_all_questions_together_have_at_most_a_thousand_candidates(ada, draft):
    owner = people.find("Ada")
    for title in ("B", "C"):
        asked = drafts.add_question(owner, repository.find(NAME), title)
        add_candidates(owner, asked, [Candidate(f"{number}") for number in range(498)])
    refused = ada.post(f"/election/{NAME}/question/3/candidates/", {"names": "x\ny\nz"})
    assert "at most 1000 candidates" in text_of(refused)
    assert ada.post(f"/election/{NAME}/question/3/candidates/", {"names": "x\ny"}).status_code == 302


# --- the step with all of them ---


def test_the_step_saves_every_question_and_orders_them(ada, spring):
    assert ada.post(STEP, fields(q1={"names": "Dee"}, q3={"title": "Two delegates", "seats": 2})).url.endswith("/who/")
    assert candidates() == ["Bo", "Cy", "Dee"]
    assert (titles()[2], repository.find(NAME).at(3).seats) == ("Two delegates", 2)
    assert ada.post(STEP, fields(up="3")).url == f"{STEP}#question-3"
    assert titles() == ["The chair", "Two delegates", "The budget"]
    ada.post(STEP, fields(down="1"))
    assert titles() == ["Two delegates", "The chair", "The budget"]
    for nonsense in ("9", "x", "²"):
        assert ada.post(STEP, fields(up=nonsense)).status_code == 302
    assert ada.post(STEP, fields(ask="yes")).url == ASK
    assert ada.post(STEP, fields(stay="yes")).url == STEP
    wrong = ada.post(STEP, fields(q3={"fewest": 9}))
    assert wrong.status_code == 422
    assert "more than voters may choose" in text_of(wrong)


def test_a_question_is_removed_with_its_candidates_after_a_page_that_says_so(ada, spring):
    add_candidates(people.find("Ada"), spring.at(3), [Candidate(f"Number {number}") for number in range(300)])
    removal = reverse("remove_election_question", args=[NAME, 3])
    assert ada.post(STEP, fields(remove="3")).url == removal
    assert "302 candidates go with it" in text_of(ada.get(removal))
    assert ada.post(removal).url.startswith(STEP)
    assert titles() == ["The chair", "The budget"]
    assert candidates(3) == []
    assert ada.get(removal).status_code == 404
    first = reverse("remove_election_question", args=[NAME, 1])
    assert "cannot be removed" in text_of(ada.post(first))
    ada.post(reverse("remove_election_question", args=[NAME, 2]))
    assert titles() == [""]  # alone again, and no longer called a question
    assert candidates() == ["Bo", "Cy"]


# --- pages of one question ---


def test_each_question_has_its_pages_of_candidates(ada, spring):
    page = f"/election/{NAME}/question/3/candidates/"
    assert "Ida" in text_of(ada.get(page))
    assert "Bo" not in text_of(ada.get(page)).split()
    assert ada.post(page, {"names": "Kim"}).url == page
    assert ada.post(f"{page}Kim/", {"statement": "I would.", "link": ""}).url == page
    assert repository.find_candidate(NAME, "Kim", 3).statement == "I would."
    assert "Kim" in text_of(ada.get(f"{page}Kim/picture/"))
    assert ada.post(f"{page}Kim/remove/").url == page
    assert candidates(3) == ["Ida", "Jo"]
    assert ada.get(f"{page}Bo/").status_code == 404
    assert ada.get(f"/election/{NAME}/question/9/candidates/").status_code == 404
    assert "Yes or no" in text_of(ada.get(f"/election/{NAME}/question/2/candidates/"))


def test_each_question_has_settings_and_what_they_share_is_there_once(ada, spring):
    page = f"/election/{NAME}/question/3/settings/"
    form = ada.get(page).content.decode()
    assert 'name="secret_ballot"' not in form
    sent = {"title": "Delegates", "kind": "choose", "seats": "2", "fewest": "1", "most": "2"}
    assert ada.post(page, sent | {"for_groups": ["Nobody"]}).status_code == 422
    assert ada.post(page, sent | {"for_groups": ["Staff"]}).status_code == 302
    asked = repository.find(NAME).at(3)
    assert (asked.seats, asked.fewest, asked.for_groups) == (2, 1, ("Staff",))
    shared = ada.get(f"/election/{NAME}/settings/").content.decode()
    assert all(f'name="{name}"' in shared for name in ("secret_ballot", "title"))


@pytest.mark.parametrize("state", ["open", "closed"])
def test_questions_of_an_opened_election_stay_as_they_are(ada, spring, state):
    owner = people.find("Ada")
    open_(owner, spring)
    if state == "closed":
        closing.close(owner, repository.find(NAME))
    before = repository.find(NAME)
    for page in (ASK, f"/election/{NAME}/question/2/remove/", f"/election/{NAME}/question/2/settings/"):
        answer = ada.post(page, {"title": "B", "kind": "ranked"})
        assert answer.status_code == 422, page
    assert ada.post(STEP, {}).status_code == 409
    assert repository.find(NAME) == before


def test_strangers_and_voters_change_no_questions(spring, client, signed_in):
    pages = [ASK, *(f"/election/{NAME}/question/2/{page}/" for page in ("remove", "settings", "candidates"))]
    for page in pages:
        assert client.get(page).status_code == 302, page
        assert client.delete(page).status_code in (302, 405), page
    eve = signed_in("Eve", Role.USER)
    for page in pages:
        assert eve.get(page).status_code == 404, page
        assert eve.post(page, {"title": "B", "kind": "ranked"}).status_code == 404, page


# --- what shows them ---


def test_the_checklist_and_what_is_missing_go_by_question(ada, spring):
    page = text_of(ada.get(f"/election/{NAME}/open/"))
    for part in ("The chair", "The budget", "Delegates", "only for: Staff (3 voters)", "2 candidates"):
        assert part in page
    asked = drafts.add_question(people.find("Ada"), spring, "A song")
    page = text_of(ada.get(f"/election/{NAME}/open/"))
    assert "It cannot open yet" in page
    assert "at least two candidates for “A song”" in text_of(ada.get(f"/election/{NAME}/dashboard/"))
    drafts.remove_question(people.find("Ada"), asked)
    assert ada.post(f"/election/{NAME}/open/", {}).status_code == 302
    assert repository.find(NAME).allow_vote


def test_the_dashboard_and_the_public_page_show_every_question(ada, spring, signed_in):
    dashboard = text_of(ada.get(f"/election/{NAME}/dashboard/"))
    assert "3 people may vote on “Delegates”" in dashboard
    assert "The chair · Candidates without a statement: 2." in dashboard
    open_(people.find("Ada"), spring)
    page = text_of(signed_in("Hal").get(f"/election/{NAME}/"))
    for part in ("The chair", "The budget", "Delegates", "Ida", "Bo", "voters in: Staff"):
        assert part in page


def test_those_whom_no_question_is_for_are_not_missing(ada, spring):
    owner = people.find("Ada")
    actions.change(owner, repository.find(NAME), Action.SET_UP, for_groups=("Staff",))
    actions.change(owner, repository.find(NAME).at(2), Action.SET_UP, for_groups=("Staff",))
    assert "1 person on the roll is in none of the groups" in text_of(ada.get(f"/election/{NAME}/dashboard/"))
    open_(owner, repository.find(NAME))
    opened = repository.find(NAME)
    assert (opened.voter_count, opened.unasked, opened.electors) == (4, 1, 3)
    assert "of 3 voters have voted" in text_of(ada.get(f"/election/{NAME}/dashboard/"))
    enrol("Mia")
    add_voters(owner, opened, ["Mia"])
    assert repository.find(NAME).electors == 3


# --- copied, renamed, deleted, told ---


def test_a_copy_asks_the_same_questions_of_the_same_candidates(ada, spring):
    open_(people.find("Ada"), spring)
    assert ada.post(f"/election/{NAME}/copy/", {"name": "Autumn"}).status_code == 302
    copied = repository.find("Autumn")
    assert [each.title for each in copied.questions] == ["The chair", "The budget", "Delegates"]
    assert [(each.excluded, each.for_groups) for each in copied.more] == [(0, ()), (0, ("Staff",))]
    names = [[each.name for each in repository.candidates("Autumn", number)] for number in (1, 2, 3)]
    assert names == [["Bo", "Cy"], ["Abstain", "No", "Yes"], ["Ida", "Jo"]]
    assert copied.voter_count == 4


def test_a_renamed_draft_keeps_all_its_questions(ada, spring):
    assert ada.post(f"/election/{NAME}/rename/", {"name": "Summer"}).status_code == 302
    assert [each.name for each in repository.candidates("Summer", 3)] == ["Ida", "Jo"]
    assert [each.title for each in repository.find("Summer").questions] == ["The chair", "The budget", "Delegates"]


def test_deleting_counts_the_candidates_of_all_questions(ada, spring):
    assert "Candidates 7" in text_of(ada.get(f"/election/{NAME}/delete/"))
    ada.post(f"/election/{NAME}/delete/", {"name": NAME})
    assert repository.find(NAME) is None


def test_the_history_names_the_question_that_something_is_about(ada, spring):
    owner = people.find("Ada")
    gone = drafts.add_question(owner, spring, "A song nobody knows")
    drafts.remove_question(owner, gone)
    page = text_of(ada.get(f"/election/{NAME}/history/"))
    assert "Delegates · Ada added candidates: Ida, Jo." in page
    assert "The chair · Ada added candidates: Bo, Cy." in page
    assert "The budget · Ada changed: majority, method." in page
    assert "Ada changed which questions are asked: besides the first, “The budget”, “Delegates”." in page
    assert "A song nobody knows" not in page


def test_the_demo_has_an_election_with_two_questions(person):
    person(demo.OWNER)
    enrol(*demo.VOTERS)
    assert [demo.load_questions(), demo.load_questions()] == [1, 0]
    chair, keeper = repository.find(demo.QUESTIONS).questions
    assert (chair.entitled, keeper.entitled) == (7, 5)
    assert len(repository.candidates(demo.QUESTIONS, 2)) == 2
