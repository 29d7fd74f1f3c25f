"""Requests in the demo that wait for an answer."""

from __future__ import annotations

from elections import repository as elections
from foundation.acts.storage import now_text

from .repository import own_requests
from .rules import Asker, takes_requests
from .services import ask

ELECTION = "Board 2027"  # of elections/demo.py
REQUESTS = (
    (
        Asker("Rosalind Franklin", "rosalind@example.org"),
        "My colleague got an invitation last week and I did not. I changed my address in spring, so it may "
        "have gone to the old one. Could you have a look?",
    ),
    (
        Asker("Niels Bohr", "niels@example.org"),
        "I joined on the first of the month, after the list was made. My member number is 1922.",
    ),
)


def load() -> int:
    """Send the missing ones; returns how many."""
    election = elections.find(ELECTION)
    if election is None or not takes_requests(election, now_text()):
        return 0
    missing = [each for each in REQUESTS if not own_requests(ELECTION, each[0].address, "")]
    for asker, text in missing:
        ask(election, asker, text, network="demo", mark=f"{election.created_at} {asker.address}")
    return len(missing)
