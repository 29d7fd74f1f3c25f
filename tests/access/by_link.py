"""What is looked at by whoever votes by a link."""

from __future__ import annotations

from django.test import Client
from django.urls import reverse

from accounts.models import User
from ballots.sealing import seal_closed
from elections import repository
from elections.candidates import add_candidates
from elections.drafts import services as drafts
from elections.lifecycle import closing
from elections.lifecycle import services as lifecycle
from elections.roll.services import add_voters
from elections.rules import Election
from elections.voter_lists import Details
from foundation.ranking.candidates import Candidate
from parts.letters import rules
from parts.letters import services as letters
from tests import voting

from .site import TYPED, Look
from .words import filled, known, text

NAME, PAST, GUEST = "Linked", "Linked before", "guest"
VOTERS = ("guest@example.org", "second@example.org")


def looks_by_link(otto: User, guest: Client) -> list[Look]:
    """The guest has voted twice, by links of the first: in one that is open, and in one that is closed."""
    for name in (NAME, PAST):
        _vote(otto, guest, name)
    closing.close(otto, _found(PAST))
    seal_closed()
    code = _letters(otto)
    return [
        Look("enter_code", "stranger"),
        Look("by_code", "stranger", (code,)),
        Look("letters", "organiser", (NAME,), of="some printed"),
        Look("letters", "organiser", (NAME,), of="to print more", asked={"print": ""}),
        Look("your_link", "stranger"),
        Look("my_link", "stranger"),
        Look("election_my_link", "stranger", (known("Board"),)),
        Look("vote_by_link", "stranger", (_token(VOTERS[0]),)),
        Look("vote_by_link", "stranger", (_token(VOTERS[0], PAST),), of="after the close"),
        *(Look(page, GUEST, (NAME,), of="by link") for page in ("ballot", "receipt", "ballot_state", "withdraw")),
        *(Look(page, GUEST, (PAST,), of="by link") for page in ("results", "follow", "recount")),
        *(Look(page, "stranger", ("Past",), of="of everybody") for page in ("follow", "recount")),
    ]


def _vote(otto: User, guest: Client, name: str) -> None:
    draft = drafts.create(otto, text(name), vote_by_link=True)
    add_candidates(otto, draft, [filled(Candidate("Ada")), filled(Candidate("Bo"))])
    add_voters(otto, draft, VOTERS)
    lifecycle.open_(otto, _found(name), editable=False)
    guest.post(reverse("vote_by_link", args=[_token(VOTERS[0], name)]))
    guest.post(reverse("cast", args=[known(name)]), {"token": f"of the guest in {name}", **TYPED})


def _letters(otto: User) -> str:
    """Three, of which one is printed; answers its code."""
    known_as = {number: Details(text("Zoe"), postal=(text("Street 1"),)) for number in ("1@", "2@", "3@")}
    add_voters(otto, _found(NAME), list(known_as), known_as)
    (letter,) = letters.print_batch(otto, _found(NAME), 1, 1)
    return letter.code


def acts_by_link() -> list[Look]:
    code = rules.letter_code(_found(NAME), "1@", 1)
    return [
        Look("enter_code", "stranger", of="done", form={"code": code}),
        Look("print_letters", "organiser", (NAME,), form={"batch": "2", "most": "50", "how": "page"}),
        Look("reissue_letter", "organiser", (NAME,), form={"voter": "1@"}),
        Look("vote_by_link", GUEST, (_token(VOTERS[1]),), of="done", form={}),
        Look("cast", GUEST, (NAME,), of="by link", form={"token": "by link", **TYPED}),
        Look("withdraw", GUEST, (NAME,), of="by link, done", form={"token": "by link, withdrawn"}),
        Look("leave_ballot", GUEST, (NAME,), form={}),
    ]


def _token(voter: str, name: str = NAME) -> str:
    return voting.link_to(_found(name).name, voter, voter).token


def _found(name: str) -> Election:
    election = repository.find(known(name))
    assert election is not None
    return election
