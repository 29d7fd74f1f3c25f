"""What time it is, for every act that asks."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

import pytest

from foundation.acts import storage

T = TypeVar("T")


def stands_at(monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    """From now on it is this moment, as it is stored."""
    monkeypatch.setattr(storage, "utc_now", lambda: datetime.fromisoformat(moment))


def at_its_own_moment(act: Callable[[], T]) -> T:
    """Whatever happens next happens later: what is listed by time, to the millisecond, has an order then."""
    done, moment = act(), storage.now_text()
    while storage.now_text() == moment:
        pass
    return done
