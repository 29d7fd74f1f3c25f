"""Partitions (shards) of an election's roll, gates and ballots: one in an embedded store, 48 on DynamoDB.

The number is fixed at creation and stored with the election, so that a copy to another kind of store still works.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache, partial

from foundation.acts.caches import Cacheable
from foundation.acts.gates import Gates, count_votes, new_shards, read_sharded, shards_in
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.table import Item, Key, Span

from .rules import Election

GATES_PER_SHARD = 16  # how many gates each shard has, unless that would be more than the next number
MAX_GATES = 256  # all of them are written to open and to close; at 5,000 casts a second, four of five are free
SHARDS = 48  # of every election that is made in a distant store

ElectionOrName = Election | str  # an election, or its name: then its shards are looked up first


def shards_of_new() -> int:
    """How many shards an election gets that is made here."""
    return new_shards(SHARDS)


# --- with an election in hand, or its name ---


def name_of(election: ElectionOrName) -> str:
    return election if isinstance(election, str) else election.name


def shards_of(election: ElectionOrName) -> int:
    if not isinstance(election, str):
        return election.shards
    return shards_in(table().get(keys.election(election)))


def gates_of(election: ElectionOrName) -> Gates:
    return _gates(shards_of(election))


@lru_cache
def _gates(many: int) -> Gates:
    return Gates(_gate_count(many), partial(keys.gate, shards=many) if many > 1 else keys.gate)


def _gate_count(shards: int) -> int:
    """As many in each shard."""
    return min(GATES_PER_SHARD, MAX_GATES // shards) * shards


def roll_spans(election: ElectionOrName, prefix: str = "") -> list[Span]:
    """All of the roll, or those on it whose names begin so."""
    return keys.voters(name_of(election), prefix, shards_of(election))


def voter_key(election: Election, voter: str) -> Key:
    return keys.voter(election.name, voter, election.shards)


def ballot_spans(election: ElectionOrName) -> list[Span]:
    """All of the ballots in a question."""
    question = 1 if isinstance(election, str) else election.number
    return keys.ballots(name_of(election), shards_of(election), question)


# --- with a name or a key only, in one journey ---


def read_with_gates(own: Key) -> tuple[Item | None, int]:
    """The election's own item, by its key, and how many have come through its gates."""
    item, gates = read_each_gate(own)
    return item, count_votes(gates)


def read_each_gate(own: Key) -> tuple[Item | None, list[Item]]:
    def gates(many: int) -> list[Key]:
        return [keys.gate_of(own, number, many) for number in range(_gate_count(many))]

    _many, found = read_sharded([own], gates, shards_of_new())
    item = found.pop(own, None)
    return item, list(found.values())


def read_with_entry(name: str, voter: str) -> tuple[Item | None, Item | None]:
    """The election's own item, and an entry on its roll."""
    many, found = read(name, lambda many: [keys.voter(name, voter, many)])
    return found.get(keys.election(name)), found.get(keys.voter(name, voter, many))


def read(
    name: str, where: Callable[[int], Iterable[Key]], recently: Cacheable | None = None
) -> tuple[int, dict[Key, Item]]:
    """The election and the items at `where(shards)`, and the number of shards. `recently` may be a second old."""
    (many,), found = read_all([name], where, recently)
    return many, found


def read_all(
    names: Iterable[str], where: Callable[..., Iterable[Key]], recently: Cacheable | None = None
) -> tuple[list[int], dict[Key, Item]]:
    """As `read`, of several; `where` is called with the shards of each."""
    return read_sharded([keys.election(name) for name in names], where, shards_of_new(), recently)
