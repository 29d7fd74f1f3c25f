"""What an assembly stores with its session: who may vote, and how many must be present."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entitlement:
    entitled: int = 0  # how many may vote, present or not; 0 if not set
    quorum: str = ""  # as `foundation.tally.majorities` writes it
    has_roll: bool = False  # whether only those on a list may check in
    extra_votes: int = 0  # on that list beyond one for each person, because some votes count several times
