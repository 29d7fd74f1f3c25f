"""Counting methods by name."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature

from . import condorcet, irv, positional, stv
from .ballots import Ballots
from .result import Result

# The first is the default of an election.
METHODS: dict[str, Callable[..., Result]] = {
    "schulze": condorcet.schulze,
    "ranked-pairs": condorcet.ranked_pairs,
    "irv": irv.count,
    "borda": positional.borda,
    "copeland": condorcet.copeland,
    "minimax": condorcet.minimax,
    "plurality": positional.plurality,
    "stv-scottish": stv.scottish,
    "stv-meek": stv.meek,
}


def count(ballots: Ballots, method: str, *, seats: int = 1, unranked: str = "below", seed: str = "") -> Result:
    """Count by this method. What makes no difference to it is not passed on: methods without `seats` elect one."""
    settings = {"seats": seats, "unranked": unranked, "seed": seed}
    accepted = signature(METHODS[method]).parameters
    return METHODS[method](ballots, **{name: value for name, value in settings.items() if name in accepted})
