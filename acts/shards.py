"""Reading things that are sharded over several partitions without knowing how many.

The thing's own item has the number (`shards`), fixed when it is created and usual for the kind of store. So the usual
number is tried first and compared with the item in the same reply; only a thing copied from another kind of store takes
a second round trip.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from store.table import Item, Key

from .read_cache import Cacheable, get_cached
from .storage import table


def shards_in(item: Item | None) -> int:
    return int(item.get("shards", 1)) if item else 1


def of_new(distant: int) -> int:
    """How many shards a new thing gets here: `distant` in a distant store, else one."""
    return distant if table().is_distant else 1


def read(
    own: Sequence[Key], where: Callable[..., Iterable[Key]], expected: int, recently: Cacheable | None = None
) -> tuple[list[int], dict[Key, Item]]:
    """The shard numbers of these things, and their items with those in `where`, which is called with these numbers.
    `expected` is tried first. Keys in `recently` may come from the cache."""
    supposed, recently = [expected for _ in own], recently or Cacheable(())
    while True:
        wanted = dict.fromkeys([*own, *where(*supposed)])
        found = get_cached(recently, (at for at in wanted if at not in recently.keys))
        actual = [shards_in(found[at]) if at in found else expected for at in own]
        if actual == supposed:
            return actual, found
        supposed = actual
