"""How often something may be tried: counted per account and per address, atomically, in items that expire."""

from __future__ import annotations

import hashlib
import math
import time
from dataclasses import dataclass

from django.utils.translation import ngettext

from store import keys

from . import repository
from .addresses import address as address  # for those who count by it
from .rules import Refusal


class TooOften(Refusal):
    """Tried too often; the words say when to try again."""

    def __init__(self, seconds: int):
        self.seconds = seconds
        minutes = max(1, -(-seconds // 60))
        super().__init__(
            ngettext(
                "That was tried too often. Please try again in %(minutes)d minute.",
                "That was tried too often. Please try again in %(minutes)d minutes.",
                minutes,
            )
            % {"minutes": minutes}
        )


@dataclass(frozen=True, slots=True)
class Limit:
    """At most so many tries in so many seconds."""

    kind: str
    most: int
    seconds: int


SIGN_IN_ACCOUNT = Limit("sign-in-account", 10, 600)
SIGN_IN_ADDRESS = Limit("sign-in-address", 50, 600)
REGISTER_ADDRESS = Limit("register-address", 20, 3600)
RESET_ACCOUNT = Limit("reset-account", 3, 3600)
RESET_ADDRESS = Limit("reset-address", 20, 3600)
FACTOR_ACCOUNT = Limit("factor-account", 8, 600)
PASSWORD_ACCOUNT = Limit("password-account", 10, 600)


def count(limit: Limit, who: str, now: float | None = None) -> None:
    """Count one try of somebody, and refuse it if it is one too many. Whoever it is, is not stored."""
    now = time.time() if now is None else now
    window = int(now // limit.seconds)
    ends = (window + 1) * limit.seconds
    digest = hashlib.sha256(f"{limit.kind} {keys.fold(who)}".encode()).hexdigest()
    tries = repository.table().increment(keys.throttle(digest, window), "tries", also={"ttl": ends})
    if tries > limit.most:
        raise TooOften(math.ceil(ends - now))
