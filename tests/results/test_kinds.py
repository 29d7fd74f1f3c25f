"""Results of every kind of ballot, from the votes to the sealed result and all that shows it."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable

import pytest
from django.urls import reverse

from accounts import repository as people
from acts.storage import table
from ballots import services as voting
from elections import repository as elections
from elections.candidates.services import add_candidates
from elections.drafts import services as drafts
from elections.kinds import settings_of_kind
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from ranking.candidates import Candidate
from results import services, wording
from results.exports import bundle, verify
from results.mailing import emails
from results.mailing.services import outcome_of as mailed_outcome
from store.log import seal
from tally.ballots import ratings_of
from tests.people import enrol

NAMES = ("Ada", "Bo", "Cy")
VOTE = ["0", "0", "0", "1", "2"]
# By kind: its rules, and its ballots by the numbers of the candidates.
KINDS = {
    "yes-no": ({"majority": "2/3 cast"}, VOTE),
    "choose": ({"most": 2, "seats": 2}, ["0=1", "0=2", "0", "1", ""]),
    "approval": ({}, ["0=1", "1=2", "1", "0"]),
    "score": ({}, ["0@5>1@4", "0@5>1@4", "1@5>2@1", "1@5"]),
    "points": ({"most": 5}, ["0@5", "1@3>0@2", "2@4>1@1"]),
}
ANSWERS = {
    "yes-no": ("Carried", "3 yes, 1 no, 1 abstention; 3 needed."),
    "choose": ("Elected", "Ada, Bo"),
    "approval": ("Winner", "Bo"),
    "score": ("Winner", "Bo"),
    "points": ("Winner", "Ada"),
}


@pytest.fixture
def held(person) -> Callable[..., str]:
    """Hold an election from draft to sealed result."""

    def hold(kind: str, ballots: list[str] | None = None, names=NAMES, **rules) -> str:
        owner = people.find("the organiser") or person("the organiser")
        voters = [f"voter {number}" for number in range(len(KINDS[kind][1] if ballots is None else ballots))]
        rules = {"kind": kind, "results_public": True, **KINDS[kind][0], **rules}
        election = drafts.create(owner, "Board", **settings_of_kind(rules))
        if kind != "yes-no":
            add_candidates(owner, election, [Candidate(each) for each in names])
        enrol(*voters, "idle")
        add_voters(owner, elections.find("Board"), [*voters, "idle"])
        lifecycle.open_(owner, elections.find("Board"), editable=False)
        for voter, ballot in zip(voters, KINDS[kind][1] if ballots is None else ballots, strict=True):
            ranks = {str(number): [str(value)] for number, value in ratings_of(ballot).items()}
            voting.cast(people.find(voter) or person(voter), "Board", ranks, f"{voter} votes")
        closing.close(owner, elections.find("Board"))
        assert services.find("Board").report is not None
        return "Board"

    return hold


def page(client, name: str = "results", *more: str) -> str:
    answer = client.get(reverse(name, args=["Board", *more]))
    assert answer.status_code == 200, answer.status_code
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return content.decode()


def text_of(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


@pytest.mark.parametrize("secret", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_every_page_and_file_states_the_outcome(held, signed_in, client, kind, secret):
    held(kind, secret_ballot=secret)
    heading, said = ANSWERS[kind]
    organiser = signed_in("the organiser")
    for name in ("results", "result_screen", "shared", "embed"):
        words = text_of(page(client if name in ("shared", "embed") else organiser, name))
        assert heading in words, words
        for part in said.split(", ") if kind != "yes-no" else [said]:
            assert part in words, name
    assert "Head to head" not in page(organiser)
    assert "Final ranking" not in page(organiser)
    assert f"{heading}: {said}" in page(client, "export", "report.txt")
    assert "Back to the result" in page(organiser, "recount")
    assert "All ballots" in page(organiser, "follow")
