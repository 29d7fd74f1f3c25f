"""What is looked at in the booth of a polling station, and at its desk."""

from __future__ import annotations

from django.test import Client
from django.urls import reverse

from accounts.models import User
from elections import repository as elections
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.voter_lists import Details
from foundation.ranking.candidates import Candidate
from parts.letters import services as letters
from parts.letters.rules import letter_code
from parts.stations import repository, services

from .site import TYPED, Look
from .words import MIN_TAG_CHARS, filled, known, text

NAME, BOOTH = "At the station", "booth"
MEMBER = "4711@"
VOTERS = ("walks.in@example.org", "comes.later@example.org")


def looks_at_stations(otto: User, booth: Client) -> list[Look]:
    """Somebody is at the ballot in one booth; another station waits for its browser."""
    draft = drafts.create(otto, text(NAME))
    add_candidates(otto, draft, [filled(Candidate("Ada")), filled(Candidate("Bo"))])
    add_voters(otto, draft, [*VOTERS, MEMBER], {MEMBER: Details(text("Member"))})
    election = lifecycle.open_(otto, _found(), editable=False)
    letters.print_batch(otto, election, 1, 50)
    for name in ("Booth", "Hall"):
        services.open_(otto, election, text(name, MIN_TAG_CHARS), name)
    first, second = repository.every(election.name)
    booth.post(reverse("pair_booth"), {"code": repository.code_for(first)})
    services.let_in(otto, election, first.id, VOTERS[0])
    booth.post(reverse("start_voting"))
    desk = (NAME, first.id)
    return [
        Look("stations", "organiser", (NAME,)),
        Look("station_desk", "organiser", desk, asked={"q": "walks"}),
        Look("station_desk", "organiser", (NAME, second.id), of="not paired"),
        Look("pair_booth", "stranger"),
        Look("station_booth", BOOTH),
        Look("leave_booth", BOOTH),
        Look("booth_state", BOOTH),
        Look("ballot", BOOTH, (NAME,), of="in a booth"),
    ]


def acts_at_stations() -> list[Look]:
    first, second = repository.every(known(NAME))
    desk = (NAME, first.id)
    return [
        Look("cast", BOOTH, (NAME,), of="in a booth", form={"token": "in a booth", **TYPED}),
        Look("finish_voting", BOOTH, form={}),
        Look("let_in", "organiser", desk, form={"voter": VOTERS[1]}),
        Look("start_voting", BOOTH, form={}),
        Look("let_in_by_letter", "organiser", desk, form={"code": letter_code(_found(), MEMBER, 1), "instead": "1"}),
        Look("take_back", "organiser", desk, form={}),
        Look("station_booth", BOOTH, of="locked"),
        Look("renew_station_code", "organiser", desk, form={}),
        Look("close_station", "organiser", desk, form={}),
        Look("pair_booth", BOOTH, of="done", form={"code": repository.code_for(second)}),
    ]


def _found():
    election = elections.find(known(NAME))
    assert election is not None
    return election
