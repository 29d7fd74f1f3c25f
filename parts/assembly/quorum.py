"""Quorum and presence: whether enough people are present to decide, and how screens say so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from foundation.tally.majorities import Quorum
from parts.live.rules import Game


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
