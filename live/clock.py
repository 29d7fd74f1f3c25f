"""The clock of a question: when it ends, for whom, and how much time has passed, in milliseconds since 1970.

It starts a little after the push, so that nobody pays for a slow connection. A pause stops the clock but not answers.
Players who need more time have their own clock, in percent of the usual time.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

LEAD_MS = 3_000  # from the push to the start of the clock
GRACE_MS = 1_000  # for an answer that was on its way at the end
DEFAULT_PERCENT = 100
PERCENTS = (100, 150, 200)  # of the time that somebody may be given


def now() -> int:
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class Clock:
    """Of one phase of a round; without seconds it runs until somebody closes it."""

    began: int = 0  # when it was pushed
    seconds: int = 0
    pauses: tuple[tuple[int, int], ...] = ()  # those that are over: from when to when
    paused: int = 0  # since when it stands still; 0 if it runs

    def length(self, percent: int = DEFAULT_PERCENT) -> int:
        return self.seconds * 10 * percent

    def end(self, percent: int = DEFAULT_PERCENT) -> int | None:
        """When it ends for somebody; `None` if it has no end, or none yet because it stands still."""
        if not self.seconds or self.paused:
            return None
        return self.began + LEAD_MS + self.length(percent) + sum(until - since for since, until in self.pauses)

    def takes(self, at: int, percent: int = DEFAULT_PERCENT) -> bool:
        """Whether an answer that came in then is in time."""
        end = self.end(percent)
        return end is None or at <= end + GRACE_MS

    def is_over(self, at: int, longest: int = DEFAULT_PERCENT) -> bool:
        """Whether nobody's answer would be in time any more."""
        return not self.takes(at, longest)

    def elapsed(self, at: int) -> int:
        """How long the clock had run when an answer came in; 0 before its start."""
        stood = sum(max(0, min(at, until) - since) for since, until in self.pauses if since < at)
        if self.paused and at > self.paused:
            stood += at - self.paused
        return max(0, at - self.began - LEAD_MS - stood)

    def left(self, at: int, percent: int = DEFAULT_PERCENT) -> int | None:
        """Milliseconds that are left for somebody, also while it stands still."""
        return max(0, self.length(percent) - self.elapsed(at)) if self.seconds else None

    def stopped(self, at: int) -> Clock:
        return Clock(self.began, self.seconds, self.pauses, at)

    def started_again(self, at: int) -> Clock:
        return Clock(self.began, self.seconds, (*self.pauses, (self.paused, at)))


def time_left(milliseconds: int) -> str:
    """In minutes and seconds, the second that has begun in full: it says 0:00 only when the time is over."""
    return minutes(-(-milliseconds // 1000))


def minutes(seconds: int) -> str:
    """How long something has lasted, in minutes and seconds."""
    return f"{seconds // 60}:{seconds % 60:02d}"
