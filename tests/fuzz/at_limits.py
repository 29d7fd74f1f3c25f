"""Elections as large as our forms allow, from the first page to the last."""

from __future__ import annotations

from random import Random
from typing import Any

from django.test import Client
from django.urls import reverse

from accounts import repository as people
from accounts.models import User
from accounts.rules import Role
from ballots import services as voting
from ballots.sealing import seal_closed
from elections import repository as elections
from elections import rolls, sharding
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.drafts.services import add_question
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.rules import Election
from foundation.ranking.candidates import Candidate
from foundation.store import keys
from foundation.store.table import Put, Table, Update
from results import proof
from results import services as results
from tests.fuzz.forms import links_on
from tests.fuzz.walking import ERRORS, SCRIPTS, failed
from tests.people import enrol, make_person, sign_in

LETTER = SCRIPTS["emoji"]


def candidates(count: int, letters: int) -> list[Candidate]:
    return [Candidate(f"{number:03}" + LETTER * letters) for number in range(count)]


def take_to_the_end(site: Table, count: int, letters: int, voters: int, **settings: Any) -> None:
    """One election is opened, voted in, closed, sealed, shown, exported and verified."""
    owner = make_person("the organiser", Role.OWNER)
    election = drafts.create(owner, "Board " + LETTER * 190, electorate="everyone", **settings)
    add_candidates(owner, election, candidates(count, letters))
    opened = lifecycle.open_(owner, _found(election.name), editable=False)
    ranks = {str(number): [str(number + 1)] for number in range(count)}
    voting.cast(owner, election.name, ranks, "form")
    fill_box(site, opened, count, voters)
    closing.close(owner, _found(election.name))
    assert failed(site) == []
    check_sealed(election.name, voters + 1)
    check_pages(sign_in(owner), election.name)


def take_questions_to_the_end(site: Table, questions: int, count: int, letters: int) -> None:
    """One election with so many questions, each with so many candidates."""
    owner, name = vote_on_questions(questions, count, letters)
    closing.close(owner, _found(name))
    seal_closed()
    assert failed(site) == []
    check_sealed(name, 1)
    check_pages(sign_in(owner), name)


def vote_on_questions(questions: int, count: int, letters: int) -> tuple[User, str]:
    """In each of them somebody ranks all candidates."""
    owner = make_person("the organiser", Role.OWNER)
    election = drafts.create(owner, "Spring " + LETTER * 190)
    add_candidates(owner, election, candidates(count, letters))
    for number in range(2, questions + 1):
        asked = add_question(owner, _found(election.name), f"{number:02}" + LETTER * 190, first_title=LETTER * 200)
        add_candidates(owner, asked, candidates(count, letters))
    enrol("Eve")
    add_voters(owner, _found(election.name), ["Eve", owner.name])
    opened = lifecycle.open_(owner, _found(election.name), editable=False)
    drawn = Random(7)
    ranks = {
        f"{each.number}:{candidate}" if each.number > 1 else str(candidate): [str(rank)]
        for each in opened.questions
        for candidate, rank in enumerate(drawn.sample(range(1, count + 1), count))
    }
    outcome = voting.cast(_person("Eve"), election.name, ranks, "form")
    assert len(outcome.ballots) == questions
    return owner, election.name


def check_sealed(name: str, ballots: int) -> None:
    """The result is sealed as it was cast."""
    found = results.find(name)
    assert found is not None
    assert found.seal is not None
    assert found.seal.ballots == ballots
    assert proof.check_sealed(found.election) is None


def check_pages(client: Client, name: str) -> None:
    """Every page and file about the result opens."""
    page = client.get(reverse("results", args=[name]))
    assert page.status_code == 200
    for link in {link.partition("#")[0] for link in links_on(page.text) if link.startswith("/election/")}:
        assert client.get(link).status_code < ERRORS, link[-60:]


def fill_box(site: Table, election: Election, count: int, voters: int) -> None:
    """Ballots straight into the box, no two of which are the same: to cast each would take longer than the rest."""
    drawn = Random(count)
    for number in range(voters):
        place = keys.ballot(election.name, f"{number:08x}", election.shards)
        ranking = ">".join(map(str, drawn.sample(range(count), count)))
        site.write(Put({"PK": place.pk, "SK": place.sk, "rankings": ranking, "confirmation": f"{number:04}-ABCD"}))
        site.write(Put(rolls.new_voter(election, f"{number}@example.org").item | {"voted": True}))
    site.write(Update(sharding.gates_of(election).keys(election.name)[0], add={"voted": voters}))


def _found(name: str) -> Election:
    found = elections.find(name)
    assert found is not None
    return found


def _person(name: str) -> User:
    found = people.find(name)
    assert found is not None
    return found
