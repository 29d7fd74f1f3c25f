"""Rate limit for answers and questions of one player.

Kept in the memory of each process: a counter in the store would cost more than it saves.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque

from django.utils.translation import gettext_lazy as _

from foundation.acts.refusals import Refusal

MAX_ACTIONS, WINDOW_MS = 20, 10_000  # answers or votes per player and window
MAX_CACHED_PLAYERS = 5_000  # per process

TOO_FAST = _("That was too fast. What you sent before counts; wait a few seconds.")


class TooFast(Refusal):
    """A player exceeded the rate limit."""


class RateLimit:
    def __init__(self, most: int = MAX_ACTIONS, within: int = WINDOW_MS) -> None:
        self.most, self.within = most, within
        self._turn = threading.Lock()
        self._said: OrderedDict[str, deque[int]] = OrderedDict()

    def check(self, who: str, at: int) -> None:
        with self._turn:
            times = self._said.setdefault(who, deque(maxlen=self.most))
            self._said.move_to_end(who)
            if len(self._said) > MAX_CACHED_PLAYERS:
                self._said.popitem(last=False)
            if len(times) == self.most and at - times[0] < self.within:
                raise TooFast(TOO_FAST)
            times.append(at)


ANSWER_RATE = RateLimit()
