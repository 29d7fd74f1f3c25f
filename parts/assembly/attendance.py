"""Who may vote and who is present: what an assembly stores about it with its session and each seat, and the quorum."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from foundation.tally.majorities import Quorum
from parts.live.repository import values, values_of
from parts.live.rules import Game
from parts.live.seats import Seat

NO_ROUND = -1  # no round: the lobby is round 0


@dataclass(frozen=True, slots=True)
class Entitlement:
    """What is stored with the session."""

    entitled: int = 0  # how many may vote, present or not; 0 if not set
    quorum: str = ""  # as `foundation.tally.majorities` writes it
    has_roll: bool = False  # whether only those on a list may check in
    extra_votes: int = 0  # on that list beyond one for each person, because some votes count several times


@dataclass(frozen=True, slots=True)
class AssemblySeat:
    """What is stored with a seat."""

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


def quorum_data(game: Game, present: int) -> dict[str, Any]:
    """As the log and every sealed vote store it."""
    return {
        "present_count": present,
        "entitled": game.own.entitled,
        "quorum": game.own.quorum,
        "quorate": Quorum(game.own.quorum).is_met(present, game.own.entitled),
    }


# --- as people read it ---


@dataclass(frozen=True, slots=True)
class Presence:
    """Who is present, as every screen shows it."""

    present: int
    entitled: int  # 0: unknown
    needed: int  # 0: there is no quorum, or it cannot be computed
    is_met: bool
    has_quorum: bool
    is_rehearsal: bool  # with robots

    @property
    def people(self) -> str:
        text = _("%(present)d of %(entitled)d present") if self.entitled else _("%(present)d present")
        return text % {"present": self.present, "entitled": self.entitled}

    @property
    def quorum(self) -> str:
        """Whether it is met; empty if there is none."""
        if not self.has_quorum:
            return ""
        if not self.needed:
            return _("quorum unknown: the number of people entitled to vote is missing")
        met = _("quorum of %(needed)d: met") if self.is_met else _("quorum of %(needed)d: not met")
        return met % {"needed": self.needed}

    @property
    def warning(self) -> str:
        """Shown before a vote is opened; empty if there is a quorum or none is needed."""
        if self.is_met or not self.has_quorum:
            return ""
        if not self.needed:
            return _(
                "The number of people entitled to vote is missing, so there is no quorum. A vote would decide nothing."
            )
        sentence = _("There is no quorum: %(needed)d people must be present. A vote would decide nothing.")
        return sentence % {"needed": self.needed}


def presence(game: Game, present: int) -> Presence:
    quorum = Quorum(game.own.quorum)
    known = bool(game.own.quorum) and bool(game.own.entitled or not quorum.is_share)
    return Presence(
        present=present,
        entitled=game.own.entitled,
        needed=quorum.needed(game.own.entitled) if known else 0,
        is_met=quorum.is_met(present, game.own.entitled),
        has_quorum=bool(game.own.quorum),
        is_rehearsal=bool(game.debug_mode),
    )
