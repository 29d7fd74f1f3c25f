"""What an assembly stores with a seat: who checked in, how many votes they have, and which other device claims it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from parts.live.repository import values, values_of
from parts.live.seats import Seat

NO_ROUND = -1  # no round: the lobby is round 0


@dataclass(frozen=True, slots=True)
class AssemblySeat:
    account: str = ""  # with which they checked in
    entry: str = ""  # their name on the roll, if there is one
    weight: int = 1  # how many times their vote counts
    taken_over_in: int = NO_ROUND  # the round in which another device last took over the seat
    renewed_in: int = NO_ROUND  # the round in which the host issued them a new code
    claim: str = ""  # digest of the secret of another device that asks for the seat
    claim_device: str = ""
    claim_round: int = 0  # the only round for which the claim is valid
    refused_round: int = 0  # the round in which the seat's device rejected the claim


def own_of(seat: Seat) -> AssemblySeat:
    return AssemblySeat(**values_of(AssemblySeat, seat.own))


def with_own(seat: Seat, **changes: Any) -> Seat:
    return replace(seat, own={**seat.own, **values(replace(own_of(seat), **changes))})
