"""Pages of elections with several questions, and those who look at them."""

from __future__ import annotations

from accounts.models import User
from ballots import services as ballots
from ballots.sealing import seal_closed
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle.services import open_
from elections.roll.services import add_voters
from elections.rules import Election
from foundation.ranking.candidates import Candidate

from .site import Look
from .words import MIN_TAG_CHARS, filled, known, text

SPRING, SUMMER, AUTUMN = "Spring", "Summer", "Autumn"  # a draft, one that is open, and one that is over
VOTES = {"0": ["1"], "2:0": ["1"], "2:1": ["2"]}


def looks_at_questions(organiser: User, voter: User) -> list[Look]:
    for name in (SPRING, SUMMER, AUTUMN):
        _with_two_questions(organiser, voter, name)
    for name in (SUMMER, AUTUMN):
        open_(organiser, _now(name), editable=False)
        ballots.cast(voter, known(name), VOTES, f"form of {name}")
    closing.close(organiser, _now(AUTUMN))
    seal_closed()
    several = "several questions"
    return [
        *(Look("dashboard", "organiser", (name,), of=f"{several}: {name}") for name in (SPRING, SUMMER, AUTUMN)),
        Look("election_settings", "organiser", (SPRING,), of=several),
        Look("open_election", "organiser", (SPRING,), of=several),
        Look("ask_question", "organiser", ("Draft",)),
        Look("ask_question", "organiser", (SPRING,), of=several),
        Look("remove_election_question", "organiser", (SPRING, 2)),
        Look("election", "voter", (SUMMER,), of=several),
        Look("ballot", "voter", (SUMMER,), of=several),
        Look("results", "voter", (AUTUMN,), of=several),
        Look("shared", "stranger", (AUTUMN,), of=several),
        Look("api/elections/-", "program", (SUMMER,), of=several),
        Look("api/elections/-/questions/-", "program", (SUMMER, 2)),
    ]


def _with_two_questions(organiser: User, voter: User, name: str) -> None:
    drafts.create(organiser, text(name), secret_ballot=False, results_public=True)
    titles = {"first_title": text("Chair", MIN_TAG_CHARS), "title": text("Colour", MIN_TAG_CHARS)}
    drafts.add_question(organiser, _now(name), **titles)
    for number in (1, 2):
        candidates = [filled(Candidate("Ada")), filled(Candidate("Bo"))]
        add_candidates(organiser, _now(name).at(number), candidates)
    add_voters(organiser, _now(name), [voter.name])


def _now(name: str) -> Election:
    found = elections.find(known(name))
    assert found is not None
    return found
