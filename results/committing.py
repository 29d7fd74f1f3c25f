"""What the seal of a result says about the roll of its election."""

from __future__ import annotations

from acts.site import table
from elections import places
from elections.rules import Election

from .roll import commitment_to


def roll_commitment(election: Election, secret: str) -> str:
    return commitment_to(table(), places.roll(election), secret)
