"""A ballot with several questions: one page, one review, one cast, one secret, one receipt; some may be skipped."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from accounts import repository as people
from accounts.rules import Role
from ballots import repository
from ballots.personal_data import export_ballots
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle.services import open_
from elections.roll.services import add_voters
from elections.rules import Election
from elections.voter_lists import Details
from foundation.ranking.candidates import Candidate
from tests.people import enrol

from .conftest import draft_asking
from .test_pages import CHANGE, PAGE, as_eve, fields_of, receipt_of, text_of, words_of

CAST = f"{PAGE}cast/"
CODE = r"\b[0-9A-HJ-NP-TV-Z]{4}(?:-[0-9A-HJ-NP-TV-Z]{4}){3}\b"
CHAIR, BUDGET, SPEAKER = {"rank-0": "2", "rank-2": "1"}, {"rank-2:choice": "0"}, {"rank-3:choice": "1"}


@pytest.fixture
def board(person):
    """Open an election of three questions: a chair by ranking, a proposal, and a speaker of the students; Eve, Bob
    and Dan are students, Cy is not."""

    def make(**settings: Any) -> Election:
        owner = person("the organiser")
        enrol("Eve", "Bob", "Cy", "Dan")
        first = drafts.create(owner, "Board", **settings)
        second = drafts.add_question(
            owner, first, "The budget", first_title="The chair", kind="yes-no", majority="1/2 cast"
        )
        third = drafts.add_question(
            owner, second, "Speaker", for_groups=("Students",), kind="choose", most=1, method="most-votes"
        )
        add_candidates(owner, third.at(1), [Candidate("Xi"), Candidate("Yu"), Candidate("Zoe")])
        add_candidates(owner, elections.find("Board").at(3), [Candidate("Kim"), Candidate("Lou")])
        students = {name: Details(groups=("Students",)) for name in ("Eve", "Bob", "Dan")}
        add_voters(owner, elections.find("Board"), ["Eve", "Bob", "Cy", "Dan"], students)
        return open_(owner, elections.find("Board"))

    return make


@pytest.fixture
def eve(board, signed_in) -> Client:
    board()
    return signed_in("Eve", Role.VOTER)


@pytest.fixture
def public_eve(board, signed_in) -> Client:
    board(secret_ballot=False)
    return signed_in("Eve", Role.VOTER)


def plain_fields(client: Client, page: str = PAGE) -> dict[str, str]:
    """Of the ballot's form, without marks."""
    fields = fields_of(client.get(page), page)
    return {name: value for name, value in fields.items() if not name.startswith("rank-")}


def vote(client: Client, *answers: dict[str, str], page: str = PAGE) -> Any:
    """From the ballot through the review to the thanks, as a browser without scripts does it."""
    typed = plain_fields(client, page) | {name: value for each in answers for name, value in each.items()}
    review = client.post(page, typed, follow=True)
    assert review.status_code == 200, text_of(review)
    return client.post(page.replace("ballot/", "cast/") if "change" in page else CAST, fields_of(review, cast_at(page)))


def cast_at(page: str) -> str:
    return f"{CHANGE}cast/" if "change" in page else CAST


def said() -> dict[int, list[str]]:
    election = elections.find("Board")
    return {each.number: sorted(one.rankings for one in repository.every_ballot(each)) for each in election.questions}


def marked(answer, page: str = PAGE) -> dict[str, str]:
    """What is marked on a ballot, by field."""
    form = re.search(rf'<form[^>]*action="{re.escape(page)}".*?</form>', answer.content.decode(), re.S)[0]
    boxes = re.findall(r'<input type="(\w+)" name="(rank-[^"]*)"([^>]*)>', form)
    value = re.compile(r'value="([^"]*)"')
    return {
        name: value.search(rest)[1]
        for kind, name, rest in boxes
        if (kind == "radio" and "checked" in rest) or (kind == "number" and value.search(rest))
    }


def test_from_the_ballot_to_the_receipt_with_one_question_skipped(eve):
    page = eve.get(PAGE)
    assert re.findall(r"Question \d of \d", text_of(page)) == ["Question 1 of 3", "Question 2 of 3", "Question 3 of 3"]
    assert [text_of(page).count(title) for title in ("The chair", "The budget", "Speaker")] != [0, 0, 0]
    review = eve.post(PAGE, plain_fields(eve) | CHAIR | SPEAKER)
    shown = text_of(review)[text_of(review).index("Is this your ballot?") :]
    assert re.search(r"The chair .*Zoe .*Xi .*Yu .*The budget Skipped .*Speaker .*Lou", shown)
    thanks = eve.post(CAST, fields_of(review, CAST))
    assert "Thank you. Your vote is cast." in text_of(thanks)
    assert said() == {1: ["2>0"], 2: [""], 3: ["1"]}
    codes = {each.confirmation for one in elections.find("Board").questions for each in repository.every_ballot(one)}
    assert len(codes) == 3
    assert set(re.findall(CODE, text_of(thanks))) == codes
    receipt = receipt_of(thanks)
    assert set(re.findall(CODE, text_of(receipt))) == codes
    assert re.search(r"The budget Skipped", text_of(receipt))
    assert len(words_of(thanks)) == 12


def test_with_the_words_all_answers_are_opened_changed_and_withdrawn(eve):
    thanks = vote(eve, CHAIR, SPEAKER)
    browser, page = Client(), f"{CHANGE}ballot/"
    opened = browser.post(CHANGE, {"words": " ".join(words_of(thanks))}, follow=True)
    assert marked(opened, page) == CHAIR | SPEAKER
    review = browser.post(page, plain_fields(browser, page) | BUDGET | SPEAKER)
    changed = browser.post(f"{CHANGE}cast/", fields_of(review, f"{CHANGE}cast/"))
    assert "Your vote is changed" in text_of(changed)
    assert said() == {1: [""], 2: ["0"], 3: ["1"]}
    assert re.findall(CODE, text_of(changed)) == re.findall(CODE, text_of(thanks))
    browser.post(CHANGE, {"words": " ".join(words_of(thanks))})
    browser.post(f"{CHANGE}withdraw/", {"token": "t"})
    assert said() == {1: [], 2: [], 3: []}


def test_a_public_ballot_has_one_code_and_is_changed_from_its_page(public_eve):
    thanks = vote(public_eve, CHAIR, BUDGET)
    assert said() == {1: ["2>0"], 2: ["0"], 3: [""]}
    codes = re.findall(CODE, text_of(thanks))
    assert len(codes) == 1
    receipt = public_eve.get(f"{PAGE}receipt/")
    assert re.findall(CODE, text_of(receipt)) == codes
    assert re.search(r"The chair .*Zoe .*The budget .*Yes .*Speaker Skipped", text_of(receipt))
    assert marked(public_eve.get(PAGE)) == CHAIR | BUDGET
    vote(public_eve, SPEAKER)
    assert said() == {1: [""], 2: [""], 3: ["1"]}
    mine = list(export_ballots(people.find("Eve")))
    assert [each["question"] for each in mine] == ["The chair", "The budget", "Speaker"]
    public_eve.post(f"{PAGE}withdraw/", {"token": "t"})
    assert said() == {1: [], 2: [], 3: []}


def test_who_is_in_no_group_sees_and_answers_the_other_questions(eve, signed_in):
    cy = signed_in("Cy", Role.VOTER)
    page = cy.get(PAGE)
    assert "Question 2 of 2" in text_of(page)
    assert "Speaker" not in text_of(page)
    for address in (PAGE, CAST):
        answer = cy.post(address, plain_fields(cy) | BUDGET | SPEAKER)
        assert (answer.status_code, marked(answer)) == (422, BUDGET)
        assert "answers a question that is not for you" in text_of(answer)
    vote(cy, BUDGET)
    assert said() == {1: [""], 2: ["0"], 3: []}


@pytest.mark.parametrize(
    ("kind", "may_be_blank"),
    [({}, True), ({"kind": "yes-no", "majority": "1/2 cast"}, False)],
    ids=["ranked", "yes-no"],
)
def test_who_has_just_one_question_casts_it_blank_where_that_is_a_ballot_and_cannot_skip_it(
    person, signed_in, kind, may_be_blank
):
    """As in an election with one question, in words and in deeds."""
    owner = person("the organiser")
    students = dict.fromkeys(("Bob", "Dan", "Eve"), Details(groups=("Students",)))
    enrol("Cy", *students)
    election = drafts.create(owner, "Board", **kind)
    election = drafts.add_question(owner, election, "Speaker", first_title="The chair", for_groups=("Students",))
    for each in election.questions:
        if each.kind == "ranked":
            add_candidates(owner, elections.find("Board").at(each.number), [Candidate("Kim"), Candidate("Lou")])
    add_voters(owner, elections.find("Board"), ["Cy", *students], students)
    open_(owner, elections.find("Board"))
    cy, dan = signed_in("Cy", Role.VOTER), signed_in("Dan", Role.VOTER)
    assert "you skip this question" in text_of(dan.get(PAGE))
    page = cy.get(PAGE)
    assert "skip" not in text_of(page)
    assert ("A ballot without any mark is blank" in text_of(page)) == may_be_blank
    if not may_be_blank:
        assert "Please choose one: yes, no or abstain." in text_of(cy.post(PAGE, plain_fields(cy)))
        return
    review = cy.post(PAGE, plain_fields(cy))
    assert "This ballot is blank. It counts towards the turnout" in text_of(review)
    receipt = receipt_of(cy.post(CAST, fields_of(review, CAST)))
    assert "This ballot is blank." in text_of(receipt)
    assert "Skipped" not in text_of(page) + text_of(review) + text_of(receipt)
    assert said() == {1: [""], 2: []}


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ({}, "You have not answered any question yet."),
        ({"rank-choice": "", "rank-3:choice": ""}, "You have not answered any question yet."),
        ({"rank-4:0": "1"}, "answers a question that is not for you"),
        ({"rank-1:0": "1"}, "answers a question that is not for you"),
        ({"rank-x:y": "1"}, "answers a question that is not for you"),
        ({"rank-3:choice": "7"}, "names somebody who is not a candidate"),
        ({"rank-2:7": "1"}, "names somebody who is not a candidate"),
        ({"rank-0": "first"}, "The rank of Xi must be a whole number"),
        ({"rank-2:0": "1", "rank-2:1": "1"}, "Please choose one: yes, no or abstain."),
    ],
)
def test_what_is_wrong_in_one_question_is_said_and_the_others_stay(eve, typed, sentence):
    others = {} if "not answered" in sentence else {"rank-1": "1"}
    for address in (PAGE, CAST):
        answer = eve.post(address, plain_fields(eve) | others | typed)
        assert answer.status_code == 422
        assert sentence in text_of(answer)
        assert others.items() <= marked(answer).items()
    assert said() == {1: [], 2: [], 3: []}


def test_after_the_session_has_ended_all_answers_are_still_there(eve):
    kept = Client()  # the same browser, later
    assert kept.post(PAGE, plain_fields(eve) | CHAIR | BUDGET | SPEAKER).url == f"/sign-in/?next={PAGE}"
    page = as_eve(kept, eve).get(PAGE)
    assert marked(page) == CHAIR | BUDGET | SPEAKER
    assert "Your marks are still here" in text_of(page)


def test_going_back_sending_twice_and_a_second_tab_keep_their_promises(public_eve):
    early = plain_fields(public_eve)
    review = public_eve.post(PAGE, early | CHAIR | BUDGET)
    assert marked(public_eve.get(PAGE)) == CHAIR | BUDGET
    fields = fields_of(review, CAST)
    thanks = [public_eve.post(CAST, fields) for _ in range(2)]
    assert "was already submitted" in text_of(thanks[1])
    assert said() == {1: ["2>0"], 2: ["0"], 3: [""]}
    late = fields_of(public_eve.post(PAGE, early | SPEAKER), CAST)
    assert "in another window" in text_of(public_eve.post(CAST, late))
    assert said() == {1: [""], 2: [""], 3: ["1"]}


def test_a_paper_ballot_has_the_questions_of_its_voter(board, signed_in):
    board(paper_ballots=True)
    organiser = signed_in("the organiser")
    paper, enter = "/election/Board/paper/", "/election/Board/paper/enter/"
    for name, others, count in (("Eve", SPEAKER, 3), ("Cy", {}, 2)):
        page = organiser.get(f"{paper}?voter={name}")
        assert text_of(page).count("Question ") == count
        typed = {"voter": name} | CHAIR | others
        review = organiser.post(paper, typed)
        assert "The budget Skipped" in text_of(review)
        receipt = organiser.post(enter, fields_of(review, enter))
        assert len(re.findall(CODE, text_of(receipt))) == count
        assert receipt.content.count(b'class="receipt-picture"') == count
    assert said() == {1: ["2>0", "2>0"], 2: ["", ""], 3: ["1"]}


def test_strict_safeguards_hold_for_the_whole_ballot(board, signed_in):
    board(safeguards=("no-drafts", "leave", "confirm", "counts"))
    eve = signed_in("Eve", Role.VOTER)
    page = eve.get(PAGE)
    assert 'data-draft=""' in page.content.decode()
    review = eve.post(PAGE, plain_fields(eve) | CHAIR | BUDGET)
    assert "ranking" not in eve.cookies
    fields = fields_of(review, CAST)
    fields.pop("protected", None)
    assert "Please confirm first" in text_of(eve.post(CAST, fields))
    left = eve.post(CAST, fields | {"protected": "1"})
    assert "you are signed out" in text_of(left)
    assert len(re.findall(CODE, text_of(left))) == 3
    assert len(words_of(left)) == 12


def test_what_scripts_build_a_list_with_is_on_the_page_once(person, signed_in):
    owner = person("the organiser")
    election = draft_asking(owner, "Board", *(f"Question {number}" for number in range(12)))
    add_voters(owner, election, ["the organiser"])
    open_(owner, elections.find("Board"))
    page = signed_in("the organiser").get(PAGE).content
    assert (page.count(b"<rank-ballot"), page.count(b'data-part="frame"')) == (12, 1)
    assert len(page) < 45_000
