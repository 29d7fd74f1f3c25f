"""What the seal of a result says about the roll of its election."""

from __future__ import annotations

import hashlib

from acts.site import table
from elections import places
from elections import repository as elections
from elections.rules import Election
from elections.turnout import tells_who

from .roll import commitment_to, line


def roll_commitment(election: Election, secret: str) -> str:
    return commitment_to(table(), places.roll(election), secret)


def roll_digest(election: Election, ballots: int) -> str:
    """The plain digest that was sealed before. Where few have voted in secret it does not know who."""
    tells, digest = tells_who(election, ballots), hashlib.sha256()
    for voter in elections.every_voter(election):
        digest.update(line([voter.name, voter.voted if tells else None]) + b"\n")
    return digest.hexdigest()
