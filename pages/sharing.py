"""Response headers for what other sites embed: pages in frames, and pictures."""

from __future__ import annotations

import re

from django.conf import settings
from django.http import HttpResponse

MAX_PREVIEW_CHARS = 200  # characters that fit into a preview
LANGUAGES = frozenset(code for code, _label in settings.LANGUAGES)
HOST = re.compile(r"(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+")
SECONDS_PER_YEAR = 365 * 24 * 3600
EMBEDDED = settings.CONTENT_SECURITY_POLICY | {"script-src": "'none'", "connect-src": "'none'", "frame-ancestors": "*"}


def embeddable(response: HttpResponse) -> HttpResponse:
    """A page that other sites may show in a frame. It runs no scripts."""
    response["Content-Security-Policy"] = "; ".join(f"{name} {value}" for name, value in EMBEDDED.items())
    return cross_origin(response)


def framed_by(response: HttpResponse, hosts: str) -> HttpResponse:
    """A page that these hosts, with spaces between, may show in a frame; without any, no site may.

    It must have no forms and set no cookies, so that a site around it can neither press its buttons nor learn anything
    about the visitor, whose own cookies browsers do not send from inside a frame.
    """
    if hosts:
        ancestors = " ".join(f"https://{host}" for host in hosts.split())
        policy = settings.CONTENT_SECURITY_POLICY | {"frame-ancestors": ancestors}
        response["Content-Security-Policy"] = "; ".join(f"{name} {value}" for name, value in policy.items())
        response.xframe_options_exempt = True
        cross_origin(response)
    return response


def checked_hosts(text: str) -> str:
    """Host names with spaces between, as DNS has them; raises `ValueError` with the first that is none."""
    found = []
    for word in text.lower().split():
        name, _colon, port = word.removeprefix("https://").rstrip("/").partition(":")
        try:
            host = name.encode("idna").decode()
        except UnicodeError:
            raise ValueError(word) from None
        if not HOST.fullmatch(host) or (port and not 0 < int(port if port.isdecimal() else 0) < 65536):
            raise ValueError(word)
        found.append(f"{host}:{port}" if port else host)
    return " ".join(dict.fromkeys(found))


def cross_origin(response: HttpResponse) -> HttpResponse:
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


def immutable(response: HttpResponse) -> HttpResponse:
    """Cached for a year: the URL changes with the content."""
    response["Cache-Control"] = f"public, max-age={SECONDS_PER_YEAR}, immutable"
    return cross_origin(response)
