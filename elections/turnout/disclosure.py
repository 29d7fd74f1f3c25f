"""What auditors may see of voters and ballots, while an election runs and after it closed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from elections.repository import election_of
from elections.rules import State
from foundation.store import keys
from foundation.store.schema import ON_EVERY_ITEM, Rule
from foundation.store.table import Item

from .counts import tells_who


@dataclass(frozen=True, slots=True)
class Allowed:
    """What auditors may see; of a missing election, as little as of a secret one."""

    ballots: bool = False  # under their voters' names
    published: bool = False
    who: bool = False  # has voted
    unread: tuple[str, ...] = ("BALLOT#", "QUESTION#")  # what keys of items begin with that are not even read


NOTHING = Allowed()


def allowed(item: Item | None, voted: int | None = None) -> Allowed:
    """By the election's own item, and the turnout, if it is known."""
    if item is None:
        return NOTHING
    election = election_of(item)
    if not election.secret_ballot:
        return Allowed(True, True, True, ())
    is_closed = election.stored_state == State.CLOSED and election.closing is None
    boxes = tuple(keys.ballots(election.name, question=each.number)[0].prefix for each in election.questions)
    return Allowed(False, is_closed, voted is not None and tells_who(election, voted), boxes)


def who_is_on_the_roll(item: Item, may: Allowed) -> Item:
    """Even the names of other fields are hidden: a paper vote would reveal that someone voted."""
    return item if may.who else _only(item, ("voter_name", "election_name", "groups", "weight"))


def after_the_close(item: Item, may: Allowed) -> Item | None:
    return item if may.published else None


def before_the_close_only(*names: str) -> Rule:
    def rule(item: Item, may: Allowed) -> Item:
        return item if may.published else _only(item, names)

    return rule


def of_a_named_voter(item: Item, may: Allowed) -> Item | None:
    """A ballot without a name is a secret one, wherever it is stored."""
    return item if may.ballots and "voter_name" in item else None


def _only(item: Item, names: Iterable[str]) -> Item:
    return {name: item[name] for name in (*names, *ON_EVERY_ITEM) if name in item}
