"""A form that is carried out once, however often it is sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from store import keys
from store.log import Repeated

from .refusals import Refusal
from .site import table

T = TypeVar("T")


def once(mark: str, act: Callable[[], T], before: T) -> T:
    """Carry a form out, or answer as for one that was carried out `before`.

    It may be carried out while we are at it, because what we read is no snapshot: the mark of the form may be older
    than the rest. It is then neither done twice nor refused for what it did itself.
    """
    try:
        return act()
    except Repeated:
        return before
    except Refusal:
        if table().get(keys.once(mark)) is None:
            raise
        return before
