"""What holds where an answer is made: the language that is spoken, the path below which the site lies, its addresses.

Django asks for them some thirty times a page, and keeps each in a place that takes a lock at every question and asks
which thread it is. A variable of Python's own context is as much of one thread, or of one task, without that.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

NOTHING = object()


class Here:
    """In the place of asgiref's `Local`, as far as Django uses it: one value, or none."""

    def __init__(self, name: str) -> None:
        self._held = ContextVar(name, default=NOTHING)

    @property
    def value(self) -> Any:
        if (held := self._held.get()) is NOTHING:
            raise AttributeError("value")
        return held

    @value.setter
    def value(self, held: Any) -> None:
        self._held.set(held)

    @value.deleter
    def value(self) -> None:
        self._held.set(NOTHING)


def keep_at_hand() -> None:
    """From now on, in this process."""
    from django.urls import base
    from django.utils.translation import trans_real

    for module, name in ((trans_real, "_active"), (base, "_prefixes"), (base, "_urlconfs")):
        here, before = Here(name), getattr(module, name)
        if hasattr(before, "value"):
            here.value = before.value
        setattr(module, name, here)
