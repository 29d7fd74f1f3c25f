"""Things whose parts lie in several partitions, read by whoever does not know how many there are.

The thing's own item has the number (`shards`), which is fixed when the thing is made and depends on the kind of store
it was made in. So the number that is usual here is tried first and compared with the item that comes with the same
answer: only a thing that was copied here from a store of another kind takes a second round trip.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from store.table import Item, Key

from .read_cache import Cacheable, get_cached
from .storage import table


def shards_in(item: Item | None) -> int:
    return int(item.get("shards", 1)) if item else 1


def of_new(distant: int) -> int:
    """How many shards a thing gets that is made in this store, of a kind that gets so many in a distant one."""
    return distant if table().is_distant else 1


def read(
    own: Sequence[Key], where: Callable[..., Iterable[Key]], expected: int, recently: Cacheable | None = None
) -> tuple[list[int], dict[Key, Item]]:
    """These things and what lies beside them, in `where`, which is called with the number of shards of each; and these
    numbers. `expected` is the number that is tried first. What is among `recently` may be a second old."""
    supposed, recently = [expected for _ in own], recently or Cacheable(())
    while True:
        wanted = dict.fromkeys([*own, *where(*supposed)])
        found = get_cached(recently, (at for at in wanted if at not in recently.keys))
        actual = [shards_in(found[at]) if at in found else expected for at in own]
        if actual == supposed:
            return actual, found
        supposed = actual
