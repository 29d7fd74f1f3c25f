"""Prefixes of cookies: over HTTPS, browsers accept and return a cookie so named only if it was set as safely.

`__Host-` means that this very host set it, over HTTPS, for all of its paths; `__Secure-`, that some host of the domain
did, over HTTPS. The second is for a site below a path, and for cookies that are sent to some pages only. The code of
the apps knows no prefix: this middleware adds it to responses and removes it from requests, where it drops cookies
without the right one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from http.cookies import SimpleCookie

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse

HOST, SECURE = "__Host-", "__Secure-"
FOR_SOME_PAGES = re.compile(r"half|ranking|plenum_(likes|voter|poll_key|seat_.*|flow_.*)")


def prefix_of(name: str) -> str:
    return SECURE if settings.FORCE_SCRIPT_NAME or FOR_SOME_PAGES.fullmatch(name) else HOST


def prefixed_cookies(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Local sites use plain HTTP, where browsers would refuse such names."""
    if not settings.SESSION_COOKIE_SECURE:
        raise MiddlewareNotUsed

    def respond(request: HttpRequest) -> HttpResponse:
        request.COOKIES = dict(_ours(request.COOKIES))
        response = get_response(request)
        response.cookies = _renamed(response.cookies)
        return response

    return respond


def _ours(sent: dict[str, str]) -> list[tuple[str, str]]:
    names = ((name.removeprefix(HOST).removeprefix(SECURE), name) for name in sent)
    return [(plain, sent[name]) for plain, name in names if name == prefix_of(plain) + plain]


def _renamed(cookies: SimpleCookie) -> SimpleCookie:
    renamed = SimpleCookie()
    for name, cookie in cookies.items():
        new = prefix_of(name) + name
        renamed[new] = cookie.value
        for attribute, value in cookie.items():
            renamed[new][attribute] = value
        renamed[new]["secure"] = True  # also of one that is deleted: else the browser would ignore that
    return renamed
