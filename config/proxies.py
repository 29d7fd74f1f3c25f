"""Detects proxies the site was not configured for. Behind one all visitors share an address and its limits, so those
who look after the site are warned.
"""

from __future__ import annotations

import logging
import time

from django.conf import settings
from django.http import HttpRequest

from foundation.pages.client_address import is_trusted, parse

HEADERS = ("HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_PROTO")
MAX_REMEMBERED_PROXIES = 8  # remembered at most
SECONDS_PER_DAY = 24 * 3600
log = logging.getLogger("plenum.proxies")

PROXIES_NOT_SET = (
    "TRUSTED_PROXIES is not set, though in production the site expects a proxy in front of it that speaks HTTPS. "
    "Until it names that proxy, all visitors have its address, and are limited as if they were one."
)
UNKNOWN_PROXY = (
    "Requests come through a proxy that TRUSTED_PROXIES does not name: all visitors have its address, and are limited "
    "as if they were one. The system page says which it is."
)


class ProxyWatch:
    """What this process has seen. Every request through such a proxy shows it, even the one for the warning."""

    def __init__(self) -> None:
        self._seen: dict[str, float] = {}

    def notice(self, request: HttpRequest) -> None:
        """Only an address of a private network is likely to be our own proxy; a stranger can fake any header."""
        if request.META.keys().isdisjoint(HEADERS):
            return
        peer = parse(str(request.META.get("REMOTE_ADDR", "")))
        if peer is None or peer.is_global or is_trusted(peer):
            return
        if not self._seen:
            log.warning(UNKNOWN_PROXY)
        if len(self._seen) < MAX_REMEMBERED_PROXIES or str(peer) in self._seen:
            self._seen[str(peer)] = time.monotonic()

    def recent_addresses(self) -> list[str]:
        """Their addresses in the last day."""
        return sorted(peer for peer, moment in self._seen.items() if time.monotonic() - moment < SECONDS_PER_DAY)

    def forget(self) -> None:
        self._seen.clear()


watch = ProxyWatch()


def missing_proxies() -> str:
    """A warning for the operator at startup, if no proxy is configured."""
    return PROXIES_NOT_SET if settings.PRODUCTION and not settings.TRUSTED_PROXIES else ""
