"""Counting methods by name."""

from __future__ import annotations

from importlib import import_module
from inspect import signature
from typing import cast

from .ballots import Ballots
from .result import Result

# Module and function of each, imported when first used. The first is the default of an election.
METHODS = {
    "schulze": "schulze.count",
    "ranked-pairs": "ranked_pairs.count",
    "irv": "irv.count",
    "borda": "scores.borda",
    "copeland": "scores.copeland",
    "minimax": "scores.minimax",
    "plurality": "scores.plurality",
    "stv-scottish": "stv_scottish.count",
    "stv-meek": "stv_meek.count",
}


class UnknownMethod(ValueError):
    pass


def count(ballots: Ballots, method: str, *, seats: int = 1, unranked: str = "below", seed: str = "") -> Result:
    """Count by this method. What makes no difference to it is not passed on: methods without `seats` elect one."""
    if method not in METHODS:
        raise UnknownMethod(f"There is no method {method!r}. There is: {', '.join(METHODS)}.")
    module, _, function = METHODS[method].partition(".")
    counting = getattr(import_module(f".{module}", __package__), function)
    wanted = signature(counting).parameters
    settings = {"seats": seats, "unranked": unranked, "seed": seed}
    return cast(Result, counting(ballots, **{name: value for name, value in settings.items() if name in wanted}))
