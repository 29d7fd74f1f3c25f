"""The order in which candidates are listed: random for every browser and the same on each of its pages.

It comes from a number that only the browser keeps. Some people rank candidates as they are listed, so nothing in the
store may tell who saw which order.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from .candidates import Candidate
from .candidates import shuffled as shuffled_by

COOKIE = "order"
NUMBER = re.compile(r"[0-9a-f]{16}")


def shuffled(request: HttpRequest, election_name: str, candidates: Collection[Candidate]) -> list[Candidate]:
    return shuffled_by(candidates, f"{_number(request)}\n{election_name}".encode())


def remember(request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    """Until the browser is closed."""
    safe = {"httponly": True, "secure": settings.SESSION_COOKIE_SECURE, "samesite": "Lax"}
    answer.set_cookie(COOKIE, _number(request), path=settings.SESSION_COOKIE_PATH, **safe)
    return answer


def _number(request: HttpRequest) -> str:
    if not NUMBER.fullmatch(request.COOKIES.get(COOKIE, "")):
        request.COOKIES[COOKIE] = secrets.token_hex(8)
    return request.COOKIES[COOKIE]
