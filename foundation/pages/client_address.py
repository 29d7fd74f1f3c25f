"""Where a request comes from: the network address of the client, also behind trusted proxies, and another site."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest

WITH_PORT = re.compile(r"\[(?P<v6>[^\]]*)\](?::\d{1,5})?|(?P<v4>[\d.]+):\d{1,5}")
UNKNOWN = "unknown"


def client_network(request: HttpRequest) -> str:
    """The client's home or office network: behind trusted proxies, that of the last address that is not one of them."""
    hops = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")  # `request.headers` renames all of them first
    address = parse(str(request.META.get("REMOTE_ADDR", "")))
    while hops and is_trusted(address) and (hop := parse(hops.pop())):
        address = hop
    return network(str(address or ""))


def is_loaded_by_another_site(request: HttpRequest) -> bool:
    """Whether a page of another site loads this as a picture, a script or a frame, as browsers say themselves. What is
    limited by address must not count such requests: they would use it up for all readers of that page."""
    headers = request.headers
    return headers.get("Sec-Fetch-Site") == "cross-site" and headers.get("Sec-Fetch-Dest") != "document"


def parse(text: str) -> IPv4Address | IPv6Address | None:
    """An address as proxies write it: with or without a port, in brackets, or as an IPv4-mapped IPv6 address."""
    text = text.strip()
    if match := WITH_PORT.fullmatch(text):
        text = match["v6"] or match["v4"]
    try:
        found = ip_address(text)
    except ValueError:
        return None
    return (found.ipv4_mapped or found) if isinstance(found, IPv6Address) else found


def is_trusted(found: IPv4Address | IPv6Address | None) -> bool:
    return found is not None and any(found in each for each in settings.TRUSTED_PROXIES)


def network(text: str) -> str:
    """One home or office: an IPv4 address, or the /64 of an IPv6 address, as everyone has plenty of those."""
    found = parse(text)
    if isinstance(found, IPv6Address):
        return str(ip_network((found.packed[:8] + bytes(8), 64)))
    return str(found) if found else UNKNOWN
