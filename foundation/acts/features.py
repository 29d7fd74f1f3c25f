"""Which parts are switched on: one item, which every process reads every few seconds.

A site that never chose has all on, so that an upgrade takes nothing away. A part that an upgrade brings is off on a
site that has chosen, so that nobody meets a feature that they did not ask for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from foundation.store import keys
from foundation.store.table import Put, Table

from .caches import SiteCache
from .storage import unchanged_or_new

FRESH_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Features:
    on: frozenset[str] | None = None  # names of parts; `None`: all
    wanted: frozenset[str] = frozenset()  # those that are on, and those that wait for the part that they are within
    is_answered: bool = True  # whether the first owner has said what the site is for
    version: int = 0

    def has(self, part: str) -> bool:
        """Whether this part is switched on; the core, with an empty name, always is."""
        return self.on is None or not part or part in self.on


def read_features(table: Table) -> Features:
    item = table.get(keys.FEATURES)
    if item is None:
        return Features()
    return Features(frozenset(item["on"]), frozenset(item["wanted"]), item["is_answered"], item["version"])


cache = SiteCache(read_features, Features(), FRESH_SECONDS)


def current() -> Features:
    return cache.last_known()


def is_on(part: str) -> bool:
    return cache.last_known().has(part)


def writing(before: Features, on: Iterable[str], wanted: Iterable[str], *, is_answered: bool = True) -> Put:
    """Refused if they have changed since they were read."""
    values = {"on": sorted(on), "wanted": sorted(wanted), "is_answered": is_answered, "version": before.version + 1}
    return Put({**keys.FEATURES.item, **values}, when=unchanged_or_new(before))
