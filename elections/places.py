"""Where the roll, the gates and the ballots of an election lie: in its own partition, or spread over several.

How many there are is chosen by the size of the electorate, and the election's own item says it. Whoever has only a name
reads it and what lies beside it in one journey all the same (acts/shards.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache, partial

from acts import shards
from acts.gates import Gates, voted
from acts.site import table
from store import keys
from store.table import Item, Key, Span

from .rules import Election

GATES = 16  # how many gates each shard has: at a thousand casts a second one is then free more often than not
SIZES = ((20_000, 1), (200_000, 4), (2_000_000, 16))  # so many voters at most, so many shards
MOST = 64

Known = Election | str  # an election, or its name: then its shards are looked up first


def shards_for(voters: int, distant: bool) -> int:
    """Over how many partitions an electorate of this size is spread: only where one partition takes only so much."""
    if not distant:
        return 1
    return next((many for most, many in SIZES if voters <= most), MOST)


def wanted(voters: int) -> int:
    return shards_for(voters, table().is_distant)


# --- with an election in hand, or its name ---


def name_of(election: Known) -> str:
    return election if isinstance(election, str) else election.name


def shards_of(election: Known) -> int:
    if not isinstance(election, str):
        return election.shards
    return shards.shards_in(table().get(keys.election(election)))


def gates_of(election: Known) -> Gates:
    return _gates(shards_of(election))


@lru_cache
def _gates(many: int) -> Gates:
    return Gates(GATES * many, partial(keys.gate, shards=many) if many > 1 else keys.gate)


def roll(election: Known, prefix: str = "") -> list[Span]:
    """All of the roll, also while its entries are on their way to where they will lie."""
    there = keys.voters(name_of(election), prefix, shards_of(election))
    if isinstance(election, str) or not election.spread_from:
        return there
    return list(dict.fromkeys([*there, *keys.voters(election.name, prefix, election.spread_from)]))


def entry(election: Election, voter: str) -> Key:
    return keys.voter(election.name, voter, election.shards)


def box(election: Known) -> list[Span]:
    """All of the ballots."""
    return keys.ballots(name_of(election), shards_of(election))


# --- with a name only, in one journey ---


def with_gates(name: str) -> tuple[Item | None, int]:
    """The election's own item, and how many have come through its gates."""
    return gated(keys.election(name))


def gated(own: Key) -> tuple[Item | None, int]:
    """As `with_gates`, for whoever has no name, but the place of the election."""
    _many, found = shards.read([own], lambda many: [keys.gate_of(own, number, many) for number in range(GATES * many)])
    item = found.pop(own, None)
    return item, voted(found.values())


def with_entry(name: str, voter: str) -> tuple[Item | None, Item | None]:
    """The election's own item, and an entry on its roll."""
    many, found = read(name, lambda many: [keys.voter(name, voter, many)])
    return found.get(keys.election(name)), found.get(keys.voter(name, voter, many))


def read(name: str, where: Callable[[int], Iterable[Key]]) -> tuple[int, dict[Key, Item]]:
    """The election of that name and what lies beside it; and over how many shards that is spread, by which `where`
    tells the places."""
    (many,), found = read_all([name], where)
    return many, found


def read_all(names: Iterable[str], where: Callable[..., Iterable[Key]]) -> tuple[list[int], dict[Key, Item]]:
    """As `read`, of several; `where` is told the shards of each."""
    return shards.read([keys.election(name) for name in names], where)
