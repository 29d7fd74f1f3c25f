"""The clock of a question, and how long a session waits, runs and is kept.

The clock tells when a question ends for each player and how much time has passed, in milliseconds since 1970. It
starts shortly after the push, so that slow connections cost no time. A pause stops the clock but not answers. Players
who need more time get a percentage of the usual time.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings

LEAD_MS = 3_000  # from the push to the start of the clock
GRACE_MS = 1_000  # for answers in transit when time runs out
DEFAULT_PERCENT = 100
PERCENTS = (100, 150, 200)  # of the usual time that a host can give a player


def now() -> int:
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of one phase of a round; with no time limit it runs until a host closes the phase."""

    began: int = 0  # when it was pushed
    seconds: int = 0
    pauses: tuple[tuple[int, int], ...] = ()  # finished pauses, as (start, end)
    paused: int = 0  # start of the current pause; 0 while running

    def length(self, percent: int = DEFAULT_PERCENT) -> int:
        return self.seconds * 10 * percent

    def end(self, percent: int = DEFAULT_PERCENT) -> int | None:
        """The end for a player with this percentage; `None` without a time limit or while paused."""
        if not self.seconds or self.paused:
            return None
        return self.began + LEAD_MS + self.length(percent) + sum(until - since for since, until in self.pauses)

    def takes(self, at: int, percent: int = DEFAULT_PERCENT) -> bool:
        """Whether an answer received at this moment is in time."""
        end = self.end(percent)
        return end is None or at <= end + GRACE_MS

    def is_over(self, at: int, longest: int = DEFAULT_PERCENT) -> bool:
        """Whether it is too late for every player, including the one with the most time."""
        return not self.takes(at, longest)

    def elapsed(self, at: int) -> int:
        """Running time at this moment, without pauses; 0 before the start."""
        stood = sum(max(0, min(at, until) - since) for since, until in self.pauses if since < at)
        if self.paused and at > self.paused:
            stood += at - self.paused
        return max(0, at - self.began - LEAD_MS - stood)

    def left(self, at: int, percent: int = DEFAULT_PERCENT) -> int | None:
        """Milliseconds left for a player with this percentage, even while paused; `None` without a time limit."""
        return max(0, self.length(percent) - self.elapsed(at)) if self.seconds else None

    def stopped(self, at: int) -> Clock:
        return Clock(self.began, self.seconds, self.pauses, at)

    def started_again(self, at: int) -> Clock:
        return Clock(self.began, self.seconds, (*self.pauses, (self.paused, at)))


def time_left(milliseconds: int) -> str:
    """Minutes and seconds, rounded up so that 0:00 appears only when time is up."""
    return minutes(-(-milliseconds // 1000))


def minutes(seconds: int) -> str:
    """Format a duration as minutes and seconds."""
    return f"{seconds // 60}:{seconds % 60:02d}"


# --- how long a session waits, runs and is kept ---

MAX_SESSION_DURATION = timedelta(days=365)  # even if active, because every item needs a TTL


@dataclass(frozen=True, slots=True)
class Lifetime:
    waiting: timedelta = timedelta(days=14)  # from the last change by a host to the first step
    idle: timedelta = timedelta(hours=2)  # after the start, without a step, a host or an answer
    retention: timedelta = timedelta(days=14)  # after its end


def configured() -> Lifetime:
    return Lifetime(retention=timedelta(days=settings.LIVE_RETENTION))
