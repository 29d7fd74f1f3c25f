"""How long a live session waits, runs and is kept: fixed limits, and one setting of the operator."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings

MAX_SESSION_DURATION = timedelta(days=365)  # even if active, because every item needs a TTL


@dataclass(frozen=True, slots=True)
class Lifetime:
    waiting: timedelta = timedelta(days=14)  # from the last change by a host to the first step
    idle: timedelta = timedelta(hours=2)  # after the start, without a step, a host or an answer
    retention: timedelta = timedelta(days=14)  # after its end


def configured() -> Lifetime:
    return Lifetime(retention=timedelta(days=settings.LIVE_RETENTION))
