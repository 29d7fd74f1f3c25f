"""Whatever a form accepts must work to the end: the largest values there are, in scripts that need the most bytes.

The same in every script, and over every page, is tests/fuzz/largest_values.py.
"""

from __future__ import annotations

import re
from random import Random
from urllib.parse import urlsplit

import pytest
from django.http import QueryDict
from django.test import override_settings
from django.urls import reverse

from accounts import repository as people
from ballots import services as ballots
from config import gunicorn
from elections import repository as elections
from elections import services as organising
from elections.books import repository as books
from elections.books import rules as book_rules
from elections.books import services as binding
from live.questions import Kind, Question, Type
from live.repository import questions as questions_of
from live.services import making
from polls.counting import SideBySide
from ranking.candidates import Candidate
from results import services as results
from store.limits import ITEM_BYTES
from tally.ballots import Ballots
from tests.access.site import PRESENTED, build
from tests.fuzz.forms import links_on
from tests.fuzz.largest_values import SCRIPTS, Try, failed
from tests.people import enrol, make_person, sign_in

EMOJI = "\U0001f600"
NAME = "Board " + EMOJI * 194
CANDIDATES = [f"{number:02}" + EMOJI * 198 for number in range(5)]


# --- every form ---

FILLED = (
    *("accept_invitation", "me", "create_election_whole", "message_voters", "invitation", "copy_election", "make_poll"),
    *("elect_poll", "propose_skill", "own_skill", "add_skill", "rename_skill", "write_post", "edit_site_page"),
    *("make_set", "add_question", "make_group", "add_members", "join_game", "qa", "agenda", "minutes", "make_book"),
)


def test_every_form_takes_what_it_says_that_it_takes(site):
    with override_settings(**PRESENTED):
        built = build()
        run = Try(built, SCRIPTS["rare Chinese"])
        chosen = {look.page: look for look in built.looks if look.page in FILLED}
        run.go(list(chosen.values()))
        for look in chosen.values():
            run.open(look)
    assert run.broken == []
    assert len({*run.accepted}) > len(FILLED) * 3 / 4
    assert failed(site) == []


# --- an election, from the first page to the last ---


@pytest.fixture
def board(site):
    """An election whose name, and whose candidates' names, are as long as they can be."""
    owner = make_person("the organiser")
    draft = organising.create(owner, NAME, secret_ballot=False, results_public=True)
    organising.add_candidates(owner, draft, [Candidate(name) for name in CANDIDATES])
    enrol("Eve")
    organising.add_voters(owner, elections.find(NAME), ["Eve", "the organiser"])
    return organising.open_(owner, elections.find(NAME), editable=False)


def links_from(client, *paths: str) -> set[str]:
    """Every address of our own on these pages; all of which open."""
    found: set[str] = set()
    for path in paths:
        answer = client.get(path)
        assert answer.status_code == 200, (answer.status_code, path[:40])
        found |= {urlsplit(link)._replace(fragment="").geturl() for link in links_on(answer.text) if link[:1] == "/"}
    return {link for link in found if link}


def test_every_page_of_an_election_with_the_longest_names_opens(site, board):
    organiser, eve = sign_in(people.find("the organiser")), sign_in(people.find("Eve"))
    ballot = reverse("ballot", args=[NAME])
    ranked = eve.post(ballot, {"rank-0": "1", "rank-4": "2"})
    sent = dict(re.findall(r'name="(rank-\d|token|acts|whose)" value="([^"]*)"', eve.get(ranked["Location"]).text))
    receipt = eve.post(reverse("cast", args=[NAME]), sent, follow=True)
    assert receipt.status_code == 200
    assert 'id="confirmation"' in receipt.text
    assert "receipt-picture" not in receipt.text
    links = links_from(organiser, reverse("election", args=[NAME]), reverse("candidates", args=[NAME]))
    links |= {reverse("candidate", args=[NAME, name]) for name in CANDIDATES}
    organising.close(people.find("the organiser"), elections.find(NAME))
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


# --- several questions on one ballot ---


def test_the_largest_ballot_of_several_questions_is_cast_without_scripts(site):
    """Of two questions with 500 candidates each, all of them ranked: 1,000 fields in one form."""
    owner = make_person("the organiser")
    book = binding.make(owner, "Spring", ["Chair", "Treasurer"])
    each_has = book_rules.MOST_CANDIDATES // 2
    for name in book.questions:
        candidates = [Candidate(f"candidate {number}") for number in range(each_has)]
        organising.add_candidates(owner, elections.find(name), candidates)
    enrol("Eve")
    organising.add_voters(owner, elections.find(book.leader), ["Eve"])
    binding.open_(owner, books.find(book.id))
    eve, drawn = sign_in(people.find("Eve")), Random(7)
    for place in (1, 2):
        ranks = drawn.sample(range(1, each_has + 1), each_has)
        sent = {f"rank-{number}": str(rank) for number, rank in enumerate(ranks)}
        answer = eve.post(reverse("book_question", args=[book.id, place]), sent)
        assert answer.status_code == 302
    review = eve.get(reverse("book_review", args=[book.id])).text
    fields = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', review))
    assert len(fields) > book_rules.MOST_CANDIDATES
    cast = eve.post(reverse("cast_book", args=[book.id]), fields)
    assert (cast.status_code, cast.get("Location")) == (302, reverse("book_receipts", args=[book.id]))
    assert all(ballots.standing_of(people.find("Eve"), name).voted for name in book.questions)


# --- what is counted and stored ---


def unlike(count: int, letters: int = 200) -> tuple[str, ...]:
    """Names that have nothing in common, of characters with four bytes each: nothing packs them."""
    drawn = Random(count)
    return tuple(sorted("".join(chr(drawn.randrange(0x20000, 0x2A000)) for _ in range(letters)) for _ in range(count)))


def test_a_poll_with_the_longest_names_can_be_sealed(site):
    names, drawn = unlike(50), Random(5)
    counts = {">".join(map(str, drawn.sample(range(50), 50))): 1 for _ in range(20)}
    account = SideBySide.of(Ballots(names, counts), "seed")
    packed = account.as_bytes()
    assert len(packed) < ITEM_BYTES / 2
    assert SideBySide.from_bytes(packed) == account


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
