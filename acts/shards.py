"""Things whose parts lie in several partitions, read by whoever does not know how many there are.

The thing's own item says it (`shards`, and without it one). A process remembers what it last saw there: a hint, which
is held against the item that comes with the same answer. So nobody acts on a stale one, and as a rule one journey is
enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from store.table import Item, Key

from .site import table

MOST_HINTS = 10_000

_hints: dict[str, int] = {}  # only of things with more than one shard


def shards_in(item: Item | None) -> int:
    return int(item.get("shards", 1)) if item else 1


def read(own: Sequence[Key], where: Callable[..., Iterable[Key]]) -> tuple[list[int], dict[Key, Item]]:
    """These things and what lies beside them, in `where`, which is told over how many shards each of them is spread;
    and how many those are."""
    supposed = [_hints.get(at.pk, 1) for at in own]
    while True:
        found = table().get_many(dict.fromkeys([*own, *where(*supposed)]))
        so = [shards_in(found[at]) if at in found else shards for at, shards in zip(own, supposed, strict=True)]
        if so == supposed:
            return so, found
        for at, shards in zip(own, so, strict=True):
            _learn(at.pk, shards)
        supposed = so


def _learn(pk: str, shards: int) -> None:
    if shards == 1:
        _hints.pop(pk, None)
        return
    if len(_hints) >= MOST_HINTS:
        _hints.clear()
    _hints[pk] = shards
