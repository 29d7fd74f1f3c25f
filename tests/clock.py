"""What time it is, for every act that asks."""

from __future__ import annotations

from datetime import datetime

import pytest

from acts import site


def stands_at(monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    """From now on it is this moment, as it is stored."""
    monkeypatch.setattr(site, "utc_now", lambda: datetime.fromisoformat(moment))
