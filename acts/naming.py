"""What the site is called and which colour it has: as somebody who looks after it wrote, else as the settings say.

Every page and every mail wants to know, so nobody asks the store each time. A process relies on what it last saw for a
few seconds (`FRESH`), and one look serves all of its requests. Whoever changes it has this process forget what it knew.
A store in trouble leaves what was known.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings

from store import keys, trips
from store.connect import connect
from store.table import Item, StoreError

FRESH = 5.0  # seconds
TOLD = ("text", "photo", "links", "projects")


@dataclass(frozen=True, slots=True)
class Naming:
    """What is written; nothing stands for the setting."""

    name: str = ""
    colour: str = ""
    is_told: bool = False  # whether a page says more to strangers than this


UNWRITTEN = Naming()


class Watch:
    """What this process last saw of it. It keeps one site in mind: the one that `settings` name."""

    def __init__(self, ticking: Callable[[], float] = time.monotonic):
        self.ticking = ticking
        self._turn = threading.Lock()
        self._changes = 0  # a look that began before the last of them saw what is no longer so
        self._seen: tuple[str, float, Naming] = ("", 0.0, UNWRITTEN)

    def sees(self) -> Naming:
        """What there is; whoever comes while somebody looks gets what was known before, if anything was."""
        url, _moment, known = self._seen
        if self._is_fresh() or not self._turn.acquire(blocking=url != settings.STORE_URL):
            return known
        try:
            return self._seen[2] if self._is_fresh() else self._look()
        finally:
            self._turn.release()

    def forget(self) -> None:
        self._changes += 1
        self._seen = ("", 0.0, UNWRITTEN)

    def _is_fresh(self) -> bool:
        url, moment, _known = self._seen
        return url == settings.STORE_URL and self.ticking() - moment < FRESH

    def _look(self) -> Naming:
        url, changes = settings.STORE_URL, self._changes
        known = self._seen[2] if self._seen[0] == url else UNWRITTEN
        try:
            with trips.beside():
                known = naming_of(connect(url).get(keys.site_page()))
        except StoreError:
            pass  # nobody is to wait for it again at every page, so also this is remembered
        if changes == self._changes:
            self._seen = (url, self.ticking(), known)
        return known


def naming_of(item: Item | None) -> Naming:
    return Naming(item["name"], item["colour"], any(item.get(name) for name in TOLD)) if item else UNWRITTEN


watch = Watch()


def site_name() -> str:
    return watch.sees().name or str(settings.SITE_NAME)


def site_colour() -> str:
    """Nothing if it is ours."""
    return watch.sees().colour or str(settings.SITE_COLOUR)


def is_told() -> bool:
    """Whether the site has a page of its own for strangers."""
    return watch.sees().is_told
