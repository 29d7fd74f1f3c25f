"""Counting methods by name."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature

from . import condorcet, irv, majorities, marks, positional, star, stv
from .ballots import Ballots
from .result import Result

# By kind of ballot. The first of a kind is its default.
_METHODS: dict[str, dict[str, Callable[..., Result]]] = {
    "ranked": {
        "schulze": condorcet.schulze,
        "ranked-pairs": condorcet.ranked_pairs,
        "irv": irv.count,
        "borda": positional.borda,
        "copeland": condorcet.copeland,
        "minimax": condorcet.minimax,
        "plurality": positional.plurality,
        "stv-scottish": stv.scottish,
        "stv-meek": stv.meek,
    },
    "yes-no": {"majority": majorities.count},
    "choose": {"most-votes": marks.most_votes},
    "approval": {"approval": marks.approval},
    "score": {"star": star.count, "score": marks.score},
    "points": {"cumulative": marks.cumulative},
}
METHODS = {method: function for methods in _METHODS.values() for method, function in methods.items()}
KINDS: dict[str, tuple[str, ...]] = {kind: tuple(methods) for kind, methods in _METHODS.items()}
SEVERAL_SEATS = tuple(method for method, function in METHODS.items() if "seats" in signature(function).parameters)
KIND_OF = {method: kind for kind, methods in KINDS.items() for method in methods}


def count(
    ballots: Ballots,
    method: str,
    *,
    seats: int = 1,
    unranked: str = "below",
    seed: str = "",
    majority: str = "",
    entitled: int = 0,
) -> Result:
    """Count by this method. What makes no difference to it is not passed on: methods without `seats` elect one."""
    settings = {"seats": seats, "unranked": unranked, "seed": seed, "majority": majority, "entitled": entitled}
    accepted = signature(METHODS[method]).parameters
    return METHODS[method](ballots, **{name: value for name, value in settings.items() if name in accepted})
