"""Whatever a form accepts must work to the end: the largest values there are, in scripts that need the most bytes.

On the adapter with the stricter engine; the same on both, in every script and over every page, is
tests/fuzz/largest_values.py.
"""

from __future__ import annotations

import re
from random import Random
from urllib.parse import urlsplit

import pytest
from django.http import QueryDict
from django.urls import reverse

from accounts import repository as people
from config import gunicorn
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.rules import MAX_CANDIDATES, MAX_QUESTIONS
from foundation.ranking.candidates import Candidate
from foundation.store import splitting
from foundation.store.limits import MAX_ITEM_BYTES
from foundation.tally.ballots import Ballots
from parts.live.repository import read_questions as questions_of
from parts.live.services import making
from parts.polls.counting import MethodComparison
from parts.questions.question import Kind, Question, Type
from results import services as results
from tests.fuzz.at_limits import take_questions_to_the_end, take_to_the_end, vote_on_questions
from tests.fuzz.forms import links_on
from tests.fuzz.recording import Sent, name_of, product_forms
from tests.fuzz.walking import SCRIPTS, Walk, failed, largest_site
from tests.people import enrol, make_person, sign_in

EMOJI = "\U0001f600"
NAME = "Board " + EMOJI * 194
CANDIDATES = [f"{number:02}" + EMOJI * 198 for number in range(5)]


# --- every form ---

NOT_WALKED = {
    "accounts.forms.AppForm": "a code that an app shows",
    "accounts.forms.CodeForm": "a code that an app shows",
    "accounts.forms.NewcomerForm": "asked of newcomers who come from a provider: tests/accounts",
    "accounts.forms.NameForm": "asked of whoever registers while somebody else takes the name",
    "elections.drafts.setup_forms.QuestionForm": "titles that differ: tests/elections/test_question_pages.py",
    "elections.drafts.setup_forms.QuestionCard": "titles that differ: tests/elections/test_question_pages.py",
    "parts.help_desk.views.AddForm": "of somebody who is not on the roll: tests/help_desk/test_help_desk.py",
    "parts.help_desk.views.AnswerForm": "what several forms have in common",
    "parts.help_desk.views.CorrectForm": "of a voter who is listed by address: tests/help_desk/test_help_desk.py",
    "parts.help_desk.views.VoterForm": "only a button",
    "parts.assembly.forms.PersonalCodeForm": "a code that is looked up",
    "parts.letters.forms.CodeForm": "a code that is looked up",
    "parts.stations.views.LeaveForm": "a code that is looked up",
    "parts.stations.views.LetterForm": "a code that is looked up",
    "parts.stations.views.PairForm": "a code that is looked up",
    "parts.news.forms.NoNewsForm": "an address that is looked up",
    "results.front_page.site_forms.PartForm": "what several forms have in common",
    "parts.roll_sources.views.SourceForm": "an address that is requested at once",
    "elections.roll.forms.VotersForm": "what several forms have in common",
    "parts.skills.needed.views.SkilledForm": "what two forms have in common",
    "foundation.pages.fields.ZonedForm": "what several forms have in common",
    "parts.questions.forms.EditForm": "what two forms have in common",
    "foundation.ranking.codes.CodePrefixForm": "the beginning of a code that is looked up",
}


@pytest.mark.deep
@pytest.mark.seconds(30)
def test_every_form_takes_what_it_says_that_it_takes(distant_site, monkeypatch):
    """A new form is met by the walk, or stands above with the reason why it has no largest values."""
    with largest_site(SCRIPTS["rare Chinese"]) as site:
        sent = Sent(monkeypatch)
        walk = Walk(site, SCRIPTS["rare Chinese"])
        walk.go()
        assert walk.broken == []
        assert {name_of(each) for each in product_forms() - sent.accepted} == set(NOT_WALKED)
        assert failed(distant_site) == []


@pytest.mark.deep
def test_an_election_whose_names_are_as_long_as_they_can_be_comes_to_its_end(distant_site, monkeypatch):
    """Everything about it is stored in several parts."""
    monkeypatch.setattr(splitting, "PART_BYTES", 20_000)
    take_to_the_end(distant_site, 50, 197, 80, method="stv-scottish", seats=20, secret_ballot=True)


@pytest.mark.deep
def test_an_election_with_the_most_questions_comes_to_its_end(distant_site):
    take_questions_to_the_end(distant_site, MAX_QUESTIONS, 5, letters=197)


@pytest.mark.deep
def test_a_ballot_on_several_questions_ranks_all_candidates_of_all(distant_site):
    """Of two questions with 500 each."""
    vote_on_questions(2, MAX_CANDIDATES, letters=19)


# --- an election, from the first page to the last ---


@pytest.fixture
def board(site):
    """An election whose name, and whose candidates' names, are as long as they can be."""
    owner = make_person("the organiser")
    draft = drafts.create(owner, NAME, secret_ballot=False, results_public=True)
    add_candidates(owner, draft, [Candidate(name) for name in CANDIDATES])
    enrol("Eve")
    add_voters(owner, elections.find(NAME), ["Eve", "the organiser"])
    return lifecycle.open_(owner, elections.find(NAME), editable=False)


def links_from(client, *paths: str) -> set[str]:
    """Every address of our own on these pages; all of which open."""
    found: set[str] = set()
    for path in paths:
        answer = client.get(path)
        assert answer.status_code == 200, (answer.status_code, path[:40])
        found |= {urlsplit(link)._replace(fragment="").geturl() for link in links_on(answer.text) if link[:1] == "/"}
    return {link for link in found if link}


@pytest.mark.deep
def test_every_page_of_an_election_with_the_longest_names_opens(site, board):
    organiser, eve = sign_in(people.find("the organiser")), sign_in(people.find("Eve"))
    ballot = reverse("ballot", args=[NAME])
    review = eve.post(ballot, {"rank-0": "1", "rank-4": "2"})
    sent = dict(re.findall(r'name="(rank-\d|token|acts|whose)" value="([^"]*)"', review.text))
    receipt = eve.post(reverse("cast", args=[NAME]), sent, follow=True)
    assert receipt.status_code == 200
    assert 'id="confirmation"' in receipt.text
    assert "receipt-picture" not in receipt.text
    links = links_from(organiser, reverse("election", args=[NAME]), reverse("candidates", args=[NAME]))
    links |= {reverse("candidate", args=[NAME, name]) for name in CANDIDATES}
    closing.close(people.find("the organiser"), elections.find(NAME))
    assert failed(site) == []
    assert results.find(NAME).report.result.winners == (CANDIDATES[0],)
    links |= links_from(organiser, reverse("election", args=[NAME]), reverse("results", args=[NAME]))
    links = {link for link in links if NAME[:5] in link}
    assert len(links) > 20
    assert {link: organiser.get(link).status_code for link in links if organiser.get(link).status_code >= 500} == {}
    asked = {len(f"GET {link} HTTP/1.1") for link in links}
    asked |= {len(f"GET {sent_to_sign_in(link)} HTTP/1.1") for link in links}
    assert max(asked) <= gunicorn.limit_request_line


def sent_to_sign_in(link: str) -> str:
    """Where whoever is not signed in goes first; the address has the whole link once more, escaped twice."""
    asked = QueryDict(mutable=True)
    asked["next"] = link
    return f"{reverse('sign_in')}?{asked.urlencode(safe='/')}"


# --- what is counted and stored ---


def unlike(count: int, letters: int = 200) -> tuple[str, ...]:
    """Names that have nothing in common, of characters with four bytes each: nothing packs them."""
    drawn = Random(count)
    return tuple(sorted("".join(chr(drawn.randrange(0x20000, 0x2A000)) for _ in range(letters)) for _ in range(count)))


@pytest.mark.deep
def test_a_poll_with_the_longest_names_can_be_sealed(site):
    names, drawn = unlike(50), Random(5)
    counts = {">".join(map(str, drawn.sample(range(50), 50))): 1 for _ in range(20)}
    account = MethodComparison.of(Ballots(names, counts), "seed")
    packed = account.as_bytes()
    assert len(packed) < MAX_ITEM_BYTES / 2
    assert MethodComparison.from_bytes(packed) == account


def test_a_session_can_be_made_of_the_longest_questions(site):
    """Twenty of them are more than one item holds."""
    longest = Question(
        EMOJI * 300,
        Kind.CHOICE,
        EMOJI * 2_000,
        EMOJI * 100,
        EMOJI * 200,
        EMOJI * 1_000,
        tuple(f"{number}" + EMOJI * 199 for number in range(10)),
        (0,),
    )
    game = making.make(make_person("Ida"), Type.TRIVIA, [longest] * 35, title="Quiz")
    assert list(questions_of(game.id)) == [longest] * 35
