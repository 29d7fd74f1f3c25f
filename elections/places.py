"""Where the roll, the gates and the ballots of an election lie: in its own partition, or spread over several.

How many there are is chosen by the size of the electorate, and the election's own item says it. Whoever has only a name
knows what this process last saw there: a hint, which is held against the election that comes with the same answer. So
nobody acts on a stale one, and as a rule one journey is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial

from acts.gates import Gates, voted
from acts.site import table
from store import keys
from store.table import Item, Key, Span

from .rules import Election

GATES = 16  # of one shard: at a thousand casts a second a gate is then free more often than not
SIZES = ((20_000, 1), (200_000, 4), (2_000_000, 16))  # so many voters at most, so many shards
MOST = 64
MOST_HINTS = 10_000

Known = Election | str  # an election, or its name: then its shards are looked up first

_hints: dict[str, int] = {}  # only of elections with more than one shard


def shards_for(voters: int, distant: bool) -> int:
    """Over how many partitions an electorate of this size is spread: only where one partition takes only so much."""
    if not distant:
        return 1
    return next((shards for most, shards in SIZES if voters <= most), MOST)


def wanted(voters: int) -> int:
    return shards_for(voters, table().is_distant)


# --- with an election in hand, or its name ---


def name_of(election: Known) -> str:
    return election if isinstance(election, str) else election.name


def shards_of(election: Known) -> int:
    if not isinstance(election, str):
        return election.shards
    return _said(table().get(keys.election(election)) or {})


def gates_of(election: Known) -> Gates:
    return _gates(shards_of(election))


@lru_cache
def _gates(shards: int) -> Gates:
    return Gates(GATES * shards, partial(keys.gate, shards=shards) if shards > 1 else keys.gate)


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
    _shards, found = _read([own], lambda shards: _gates_at(own.pk, shards))
    item = found.pop(own, None)
    return item, voted(found.values())


def _gates_at(pk: str, shards: int) -> list[Key]:
    nameless = keys.election("").pk
    return [Key(pk + place.pk.removeprefix(nameless), place.sk) for place in _gates(shards).keys("")]


def with_entry(name: str, voter: str) -> tuple[Item | None, Item | None]:
    """The election's own item, and an entry on its roll."""
    shards, found = read(name, lambda shards: [keys.voter(name, voter, shards)])
    return found.get(keys.election(name)), found.get(keys.voter(name, voter, shards))


def read(name: str, where: Callable[[int], Iterable[Key]]) -> tuple[int, dict[Key, Item]]:
    """The election of that name and what lies beside it; and over how many shards that is spread, by which `where`
    tells the places."""
    (shards,), found = read_all([name], where)
    return shards, found


def read_all(names: Iterable[str], where: Callable[..., Iterable[Key]]) -> tuple[list[int], dict[Key, Item]]:
    """As `read`, of several; `where` is told the shards of each."""
    return _read([keys.election(name) for name in names], where)


def _read(own: Sequence[Key], where: Callable[..., Iterable[Key]]) -> tuple[list[int], dict[Key, Item]]:
    supposed = [_hints.get(at.pk, 1) for at in own]
    while True:
        found = table().get_many(dict.fromkeys([*own, *where(*supposed)]))
        so = [_said(found[at]) if at in found else shards for at, shards in zip(own, supposed, strict=True)]
        if so == supposed:
            return so, found
        for at, shards in zip(own, so, strict=True):
            _learn(at.pk, shards)
        supposed = so


def _said(item: Item) -> int:
    return int(item.get("shards", 1))


def _learn(pk: str, shards: int) -> None:
    if shards == 1:
        _hints.pop(pk, None)
        return
    if len(_hints) >= MOST_HINTS:
        _hints.clear()
    _hints[pk] = shards
