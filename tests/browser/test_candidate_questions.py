"""A question to a candidate: asked by link, answered by link, and shown on the ballot; the voter has no scripts."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from accounts import repository as people
from elections import repository
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.invitations.voting_link import new_token
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from foundation.acts.storage import table
from foundation.qa import store
from foundation.qa.rules import Fate
from foundation.ranking.candidates import Candidate
from parts.candidate_questions import repository as asked
from parts.candidate_questions import services
from parts.candidate_questions.rules import Answer, CandidateQuestion

from .conftest import NUMBERS
from .test_access import faults

ANN = "ann.asks@example.org"
QUESTION, ANSWER = "Who pays for <b>the roof</b>?", "The <i>members</i>, over ten years."


@pytest.fixture
def opened(settings, server, server_folder) -> Callable[..., str]:
    """Opens an election on the site of all browser tests, with candidates who have no accounts; returns its name."""

    def make(*candidates: str) -> str:
        settings.STORE_URL = f"sqlite://{server_folder}/plenum.sqlite3"
        settings.SECRET_KEY = (server_folder / "secret_key").read_text()
        owner, name = people.find(people.owner_name()), f"Asked board {next(NUMBERS)}"
        election = drafts.create(owner, name, vote_by_link=True, questions_from="voters")
        add_candidates(owner, election, [Candidate(each) for each in candidates])
        add_voters(owner, election, [ANN])
        lifecycle.open_(owner, repository.find(name), editable=False)
        return name

    return make


def test_thirty_answers_on_a_phone_stand_below_each_other(visit, opened):
    election = repository.find(name := opened(*(f"{number} {'ⵣ' * 180}" for number in range(30))))
    texts = ("x" * 1_000, "\u0646\u0639\u0645 " * 90, ANSWER)
    for question in ("q1", "q2", "q3"):
        made = CandidateQuestion(question, "?" * 300, "", 1, Fate.SHOWN)
        answers = [Answer(question, number, texts[number % 3], 1) for number in range(30)]
        writes = [write for each in answers for write in asked.answering(election, None, each)]
        table().write(*store.sending(asked.board(name), made), *writes)
    table().write(asked.counting_change(election))
    page = visit(f"/election/{quote(name)}/questions/?question=q1", who="Wang Zhenyi", width=390)
    expect(page.locator(".qa-answers > li")).to_have_count(30)
    assert faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    sides = page.locator(".qa-answers > li").evaluate_all("all => all.map(each => each.getBoundingClientRect().left)")
    assert len(set(sides)) == 1
    page.get_by_role("link", name="All questions").click()
    expect(page.locator(".qa-list > li")).to_have_count(3)


def test_a_question_by_link_is_answered_by_link_and_shown_on_the_ballot(visit, opened):
    name = opened("Ada", "Bo")
    voter = visit(f"/vote/{new_token(name, ANN, ANN, 'the invitation')}/", width=390, java_script_enabled=False)
    voter.get_by_role("button", name="Go to the ballot").click()
    voter.get_by_role("link", name="Questions to the candidates").click()
    voter.get_by_role("link", name="Ask a question").click()
    voter.get_by_label("Your question").fill(QUESTION)
    voter.get_by_role("button", name="Send the question").click()
    expect(voter.locator("main")).to_contain_text("The organisers review it first")

    owner = people.find(people.owner_name())
    (found,) = asked.read(name).questions
    services.review(owner, repository.find(name), found.id, show=True)
    services.make_link(owner, repository.find(name), 0)
    token = services.link_token(repository.find(name), 0, asked.link_turn(name, 0))

    candidate = visit(f"/answers/{token}/", width=390)
    assert faults(candidate) == []
    candidate.get_by_role("link", name="Answer").click()
    candidate.get_by_label("Your answer").fill(ANSWER)
    candidate.get_by_role("button", name="Save the answer").click()
    expect(candidate.locator("main")).to_contain_text("All questions are answered.")

    voter.reload()
    voter.get_by_text("1 of 2 has answered").click()
    expect(voter.get_by_text(ANSWER)).to_be_visible()
    voter.get_by_role("link", name="Back to the ballot").click()
    expect(voter.get_by_text(ANSWER)).not_to_be_visible()
    voter.get_by_text("About, 1 answer").click()
    expect(voter.get_by_text(ANSWER)).to_be_visible()
