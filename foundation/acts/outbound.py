"""Requests to addresses that people enter: only to public hosts, over verified TLS, within a time and a size.

Whoever can make this server send requests could otherwise reach what only this server reaches (SSRF). The name is
resolved for every request and the connection goes to exactly the address that was checked, so a name that resolves to
something else a moment later (DNS rebinding) gains nothing. Redirects are not followed, proxies of the environment are
not used. OUTGOING_ALLOWED names private networks and hosts that are allowed nevertheless.
"""

from __future__ import annotations

import http.client
import ipaddress
import math
import socket
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.utils.encoding import iri_to_uri
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from foundation.acts.refusals import Refusal

MAX_URL_CHARS = 2000
SECONDS = 10.0
CHUNK_BYTES = 64 * 1024
PORTS = {"https": 443, "http": 80}
# Not public, whatever `is_global` says: IPv4 inside IPv6 by mapping, NAT64, 6to4 and Teredo; special purposes.
_SPECIAL = "::/96 ::ffff:0:0/96 64:ff9b::/96 64:ff9b:1::/48 2002::/16 2001::/23 3fff::/20 192.0.0.0/24 192.88.99.0/24"
SPECIAL = tuple(map(ipaddress.ip_network, _SPECIAL.split()))
LOCAL_NAMES = (".localhost", ".local", ".internal", ".home.arpa")  # RFC 6761, 6762, 8375, and ICANN for private use

REASONS = {
    "url": gettext_noop("This is not a web address."),
    "scheme": gettext_noop("The address must begin with https://."),
    "credentials": gettext_noop("The address must not contain a user name or password."),
    "port": gettext_noop("Only the usual port 443 is allowed."),
    # One reason: otherwise anybody who may enter an address could ask which names exist in our network.
    "not public": gettext_noop("The host could not be found on the public internet."),
    "unknown host": gettext_noop("The host could not be found on the public internet."),  # of earlier versions
    "certificate": gettext_noop("The host has no valid certificate for its name."),
    "timeout": gettext_noop("The host did not respond in time."),
    "connection": gettext_noop("The connection failed."),
    "too large": gettext_noop("The response is too large."),
}

Address = tuple[Any, ...]
IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[..., list[tuple[Any, ...]]]


class OutboundError(Refusal):
    """A request that was not made, or failed; `reason` is a key of REASONS."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return reason_text(self.reason)


@dataclass(frozen=True, slots=True)
class Response:
    status: int
    body: bytes
    headers: Mapping[str, str]

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300


def reason_text(reason: str) -> str:
    return _(REASONS[reason])


def checked_url(url: str) -> SplitResult:
    """The parts of a URL that may be requested, as far as can be told without resolving its host."""
    try:
        parts = urlsplit(iri_to_uri(url))
        host, _port = ascii_host(parts), parts.port  # both may be impossible
    except ValueError:
        raise OutboundError("url") from None
    if not host or parts.scheme not in PORTS or len(url) > MAX_URL_CHARS or not url.isprintable() or " " in url:
        raise OutboundError("url" if not host or parts.scheme in PORTS else "scheme")
    if parts.username is not None or parts.password is not None:
        raise OutboundError("credentials")
    if not any(settings.OUTGOING_ALLOWED):
        _check_usual(parts)
    if _is_visibly_local(host):
        raise OutboundError("not public")
    return parts


def _check_usual(parts: SplitResult) -> None:
    """Plain HTTP and other ports are for hosts that OUTGOING_ALLOWED names."""
    if parts.scheme != "https":
        raise OutboundError("scheme")
    if parts.port not in (None, PORTS["https"]):
        raise OutboundError("port")


def request(
    method: str,
    url: str,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    *,
    max_bytes: int = 0,
    seconds: float = SECONDS,
    resolve: Resolve = socket.getaddrinfo,
) -> Response:
    """Make one request, with at most `max_bytes` of response; with none, the body is not read."""
    parts = checked_url(url)
    path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    connection = _Connection(parts, time.monotonic() + seconds, resolve)
    try:
        connection.request(method, path, body, dict(headers or {}))
        response = connection.getresponse()
        content = _read(response, max_bytes) if max_bytes else b""
        return Response(response.status, content, dict(response.getheaders()))
    except ssl.SSLCertVerificationError:
        raise OutboundError("certificate") from None
    except TimeoutError:
        raise OutboundError("timeout") from None
    except (OSError, http.client.HTTPException, ValueError):
        raise OutboundError("connection") from None
    finally:
        connection.close()


def _read(response: http.client.HTTPResponse, max_bytes: int) -> bytes:
    content = b""
    while chunk := response.read(CHUNK_BYTES):
        content += chunk
        if len(content) > max_bytes:
            raise OutboundError("too large")
    return content


# --- which addresses ---


def checked_addresses(parts: SplitResult, resolve: Resolve) -> list[tuple[Any, Address]]:
    """Families and addresses of the host; refused if even one of them must not be connected to."""
    host, port = ascii_host(parts), parts.port or PORTS[parts.scheme]
    try:
        found = [(each[0], each[4]) for each in resolve(host, port, type=socket.SOCK_STREAM)]
    except (OSError, UnicodeError):
        found = []
    if not found:
        raise OutboundError("not public")
    addresses = [ipaddress.ip_address(address[0]) for _family, address in found]
    if not all(_is_named(host, each) for each in addresses):
        if not all(_is_named(host, each) or is_public(each) for each in addresses):
            raise OutboundError("not public")
        _check_usual(parts)
    return found


def _is_visibly_local(host: str) -> bool:
    """Whether it can be told without asking anybody that a host is not public: by its address, however it is written,
    or by a name that is nobody's on the internet."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError):
        name, (networks, hosts) = host.rstrip("."), settings.OUTGOING_ALLOWED
        return not networks and host not in hosts and ("." not in name or name.endswith(LOCAL_NAMES))
    addresses = [ipaddress.ip_address(address[0]) for *_kind, address in found]
    return not all(_is_named(host, each) or is_public(each) for each in addresses)


def ascii_host(parts: SplitResult) -> str:
    return (parts.hostname or "").encode("idna").decode()


def is_public(address: IPAddress) -> bool:
    is_special = any(address in network for network in SPECIAL)
    is_site_local = isinstance(address, ipaddress.IPv6Address) and address.is_site_local
    return address.is_global and not (is_special or is_site_local or address.is_multicast or address.is_reserved)


def _is_named(host: str, address: IPAddress) -> bool:
    """Whether OUTGOING_ALLOWED has the host or its network."""
    networks, hosts = settings.OUTGOING_ALLOWED
    return host in hosts or any(address in each for each in networks)


# --- the connection ---


class _Timed:
    """A socket whose every read ends by one deadline, so that a slow response cannot last for ever."""

    deadline = math.inf

    def recv_into(self, *arguments: Any, **options: Any) -> int:
        if self.deadline != math.inf:
            self.settimeout(max(self.deadline - time.monotonic(), 0.001))  # type: ignore[attr-defined]
        return super().recv_into(*arguments, **options)  # type: ignore[misc]


class _PlainSocket(_Timed, socket.socket):
    pass


class _TlsSocket(_Timed, ssl.SSLSocket):
    pass


class _Connection(http.client.HTTPConnection):
    def __init__(self, parts: SplitResult, deadline: float, resolve: Resolve):
        super().__init__(ascii_host(parts), parts.port or PORTS[parts.scheme])
        self.parts, self.deadline, self.resolve = parts, deadline, resolve
        self.default_port = PORTS[parts.scheme]  # which the header Host leaves out

    def connect(self) -> None:
        sock: Any = self._reached(checked_addresses(self.parts, self.resolve))
        if self.parts.scheme == "https":
            sock = _tls(settings.OUTGOING_CA).wrap_socket(sock, server_hostname=self.host)
        sock.deadline, self.sock = self.deadline, sock

    def _reached(self, addresses: list[tuple[Any, Address]]) -> _PlainSocket:
        """A connection to the first address that answers."""
        for place, (family, address) in enumerate(addresses, 1):
            plain = _PlainSocket(family, socket.SOCK_STREAM)
            left = self.deadline - time.monotonic()
            try:
                plain.settimeout(max(left / (len(addresses) - place + 1), 0.001))
                plain.connect(address)
            except OSError:
                plain.close()
                if place == len(addresses):
                    raise
                continue
            plain.settimeout(max(self.deadline - time.monotonic(), 0.001))
            return plain
        raise OutboundError("connection")


@lru_cache(1)
def _tls(own_authority: str) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if own_authority:
        context.load_verify_locations(own_authority)
    context.sslsocket_class = _TlsSocket
    return context
