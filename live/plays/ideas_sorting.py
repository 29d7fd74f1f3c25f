"""Putting in order what a room wrote, while it watches: several hosts may do it at once, and none loses an act.

An act names ideas, not places on a page: whoever is overtaken does the same to what there is now. What was done leaves
no events; what goes to the vote does.
"""

from __future__ import annotations

from collections.abc import Callable

from acts.refusals import NotNow
from acts.retry import retry_lost_race
from acts.storage import table
from live import changes, repository, rules
from live.rules import Phase

from . import ideas_store as orders
from .ideas_order import Order, SortedIdeas

Act = Callable[[SortedIdeas], Order]


def sort(game_id: str, round_: int, act: Act) -> None:
    retry_lost_race(lambda: _sort(game_id, round_, act))
    changes.publish(game_id)


def _sort(game_id: str, round_: int, act: Act) -> None:
    game, state = repository.load(game_id)
    sorted_ = orders.read(game_id, round_) if (state.phase, state.round) == (Phase.SORTING, round_) else None
    if sorted_ is None or sorted_[1].order.settled:
        raise NotNow(rules.NOT_NOW)
    before = sorted_[1].order
    after = act(sorted_[1])
    if after != before:
        table().write(*orders.change(game, round_, before, after))
