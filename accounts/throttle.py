"""How often something may be tried: counted per account and per address, atomically, in items that expire."""

from __future__ import annotations

import hashlib
import ipaddress
import math
import time
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import ngettext

from store import keys

from . import repository
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
NAME_ADDRESS = Limit(
    "name-address", 20, 3600
)  # names tried that somebody has: who tries many wants to know who is here
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


def address(request: HttpRequest) -> str:
    """Where the request comes from: behind trusted proxies, the last address that is none of them."""
    hops = [hop.strip() for hop in request.headers.get("X-Forwarded-For", "").split(",")]
    came_from = str(request.META.get("REMOTE_ADDR", ""))
    while hops and _is_trusted(came_from) and _is_address(hops[-1]):
        came_from = hops.pop()
    return _network(came_from)


def _is_trusted(text: str) -> bool:
    return _is_address(text) and any(ipaddress.ip_address(text) in each for each in settings.TRUSTED_PROXIES)


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _network(text: str) -> str:
    """One home or office: an IPv4 address, or the /64 of an IPv6 address, of which anybody has plenty."""
    if not _is_address(text):
        return "unknown"
    parsed = ipaddress.ip_address(text)
    return str(ipaddress.ip_network((parsed, 64), strict=False)) if parsed.version == 6 else text
