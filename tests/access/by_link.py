"""What is looked at by whoever votes by a link."""

from __future__ import annotations

from django.test import Client
from django.urls import reverse

from accounts.models import User
from acts.site import table
from elections import repository, services
from elections.by_link import link_to
from ranking.candidates import Candidate
from store import keys

from .site import TYPED, Look

NAME, GUEST = "Linked", "guest"
VOTERS = ("guest@example.org", "second@example.org")


def looks_by_link(otto: User, guest: Client) -> list[Look]:
    """The guest has voted, by the link of the first."""
    draft = services.create(otto, NAME, vote_by_link=True)
    services.add_candidates(otto, draft, [Candidate("Ada"), Candidate("Bo")])
    services.add_voters(otto, draft, VOTERS)
    drafted = repository.find(NAME)
    assert drafted is not None
    services.open_(otto, drafted, editable=False)
    guest.post(reverse("vote_by_link", args=[_token(VOTERS[0])]))
    guest.post(reverse("cast", args=[NAME]), {"token": "of the guest", **TYPED})
    return [
        Look("vote_by_link", "stranger", (_token(VOTERS[0]),)),
        *(Look(page, GUEST, (NAME,), of="by link") for page in ("ballot", "receipt", "ballot_state", "withdraw")),
    ]


def acts_by_link() -> list[Look]:
    return [
        Look("vote_by_link", GUEST, (_token(VOTERS[1]),), of="done", form={}),
        Look("cast", GUEST, (NAME,), of="by link", form={"token": "by link", **TYPED}),
        Look("withdraw", GUEST, (NAME,), of="by link, done", form={"token": "by link, withdrawn"}),
        Look("leave_ballot", GUEST, (NAME,), form={}),
    ]


def _token(voter: str) -> str:
    election, entry = repository.find(NAME), table().get(keys.voter(NAME, voter))
    assert election is not None
    assert entry is not None
    return link_to(election, entry, voter).token
