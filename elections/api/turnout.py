"""The turnout, as several operations answer it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec

from elections.turnout.counts import Turnout as Counted


class GroupTurnout(msgspec.Struct):
    """How many of a voter group have voted."""

    group: str
    voters: int
    voted: int


class Turnout(msgspec.Struct):
    """How many have voted, never who."""

    voters: int
    voted: int
    paper: int
    percent: int
    votes: Annotated[int, msgspec.Meta(description="More than voted where voters have weights.")]
    groups: Annotated[
        list[GroupTurnout],
        msgspec.Meta(description="Of voter groups, as far as it tells nothing about fewer than five people."),
    ]

    @classmethod
    def of(cls, counted: Counted, voters: int, groups: Sequence[GroupTurnout] = ()) -> Turnout:
        return cls(voters, counted.voted, counted.paper, counted.percent(voters), counted.votes, list(groups))
