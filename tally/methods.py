"""Every method by its name."""

from __future__ import annotations

from importlib import import_module
from inspect import signature
from typing import cast

from .ballots import Ballots
from .result import Result

# Each names a module here whose `count` counts. The first is what an election has when nothing else is chosen.
METHODS = {
    "schulze": "schulze",
    "ranked-pairs": "ranked_pairs",
    "irv": "irv",
    "borda": "borda",
    "copeland": "copeland",
    "minimax": "minimax",
    "plurality": "plurality",
    "stv-scottish": "stv_scottish",
    "stv-meek": "stv_meek",
}


class UnknownMethod(ValueError):
    """A method that is not one of ours; the words say which there are."""


def count(ballots: Ballots, method: str, *, seats: int = 1, unranked: str = "below", seed: str = "") -> Result:
    """Count by this method. What makes no difference to it is not passed on: methods without `seats` elect one."""
    if method not in METHODS:
        raise UnknownMethod(f"There is no method {method!r}. There is: {', '.join(METHODS)}.")
    counting = import_module(f".{METHODS[method]}", __package__).count
    wanted = signature(counting).parameters
    settings = {"seats": seats, "unranked": unranked, "seed": seed}
    return cast(Result, counting(ballots, **{name: value for name, value in settings.items() if name in wanted}))
