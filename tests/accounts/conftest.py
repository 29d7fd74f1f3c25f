"""For tests about accounts."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from foundation.acts import rate_limits


@pytest.fixture
def window() -> float:
    """The beginning of an hour to come: what is counted in it has not expired."""
    return (time.time() // 3600 + 1) * 3600.0


@pytest.fixture(autouse=True)
def _no_window_ends_meanwhile(monkeypatch, window):
    """Otherwise a test would now and then count in two windows."""
    monkeypatch.setattr(rate_limits, "time", SimpleNamespace(time=lambda: window))
