"""Stores the written ideas and their sort order until they are voted on."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

from foundation.acts import storage
from foundation.acts.refusals import NotNow
from foundation.acts.retry import retry_lost_race
from foundation.acts.storage import table, unchanged
from foundation.store import keys
from foundation.store.parallel import run_parallel
from foundation.store.table import Delete, Item, Missing, Put, Write
from parts.live import changes, counting, repository, rules
from parts.live.rounds import Round
from parts.live.rules import Game, Phase

from . import ideas_order as ideas
from .ideas_order import Order, SortedIdeas


def parts(written: Round, robots: int) -> list[dict[str, Any]]:
    """The written ideas as parts that never change."""
    head, *others = counting.round_as_parts(written)
    return [head | {"robots": robots}, *others]


def creation(
    game: Game, round_: int, some: Sequence[dict[str, Any]], count: int, out: Collection[int] = ()
) -> list[Write]:
    """Stores the ideas, each in a group of its own; those in `out` await approval."""
    order = ideas.first_order(count, len(some), out)
    return [*repository.gathering(game, round_, some), Put(_item(game, round_, order), when=Missing())]


def change(game: Game, round_: int, before: Order, after: Order) -> list[Write]:
    """Fails if another host has changed the order since it was read."""
    return [storage.change(before, after, partial(_item, game, round_))]


def dropping(game: Game, round_: int, order: Order) -> list[Write]:
    """A voided round leaves nothing behind."""
    written = [Delete(keys.gathered_part(game.id, round_, number)) for number in range(order.parts)]
    return [*written, Delete(keys.sorted_ideas(game.id, round_), when=unchanged(order))]


def _item(game: Game, round_: int, order: Order) -> Item:
    return repository.item_at(keys.sorted_ideas(game.id, round_), game, ideas.as_item(order))


def find_order(game_id: str, round_: int) -> Order | None:
    item = table().get(keys.sorted_ideas(game_id, round_))
    return ideas.order_of(item) if item else None


def read_written(game_id: str, round_: int) -> Round | None:
    parts_ = repository.gathered_items(game_id, round_)
    return counting.round_from_parts(parts_) if parts_ else None


def count_robots(game_id: str, round_: int) -> int:
    """How many of the authors are robots."""
    item = table().get(keys.gathered_part(game_id, round_, 0))
    return int(item["robots"]) if item else 0


def read(game_id: str, round_: int) -> tuple[Round, SortedIdeas] | None:
    order, found = run_parallel(table(), lambda: find_order(game_id, round_), lambda: read_written(game_id, round_))
    if order is None or found is None:
        return None
    return found, SortedIdeas(ideas.ideas_of_round(found), order)


# --- sorting: several hosts may act at once without losing an action ---

Sorting = Callable[[SortedIdeas], Order]


def sort(game_id: str, round_: int, act: Sorting) -> None:
    retry_lost_race(lambda: _sort(game_id, round_, act))
    changes.publish(game_id)


def _sort(game_id: str, round_: int, act: Sorting) -> None:
    game, state = repository.load(game_id)
    sorted_ = read(game_id, round_) if (state.phase, state.round) == (Phase.SORTING, round_) else None
    if sorted_ is None or sorted_[1].order.settled:
        raise NotNow(rules.NOT_NOW)
    before = sorted_[1].order
    after = act(sorted_[1])
    if after != before:
        table().write(*change(game, round_, before, after))
