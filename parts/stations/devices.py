"""The browser in the booth: the cookie by which it is one, and forgetting everything of a voter."""

from __future__ import annotations

from dataclasses import astuple, fields

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import rotate_token

from ballots import passes
from ballots.views import forget_secret
from elections.rules import Election
from foundation.acts.tokens import create_token, read_token
from foundation.pages.paths import path_of
from foundation.ranking import listing

from .rules import Device

COOKIE = "plenum_station"
COOKIE_SECONDS = 30 * 24 * 3600
# cookies that pages of the ballot set
OF_A_VOTER = (listing.COOKIE, settings.LANGUAGE_COOKIE_NAME, "messages", settings.SESSION_COOKIE_NAME)


def read(request: HttpRequest) -> Device | None:
    values = read_token("station", request.COOKIES.get(COOKIE, ""), COOKIE_SECONDS)
    return Device(*values) if values and len(values) == len(fields(Device)) else None


def remember(answer: HttpResponse, device: Device) -> None:
    token = create_token("station", *astuple(device))
    safe = {"httponly": True, "secure": settings.SESSION_COOKIE_SECURE}
    answer.set_cookie(COOKIE, token, max_age=COOKIE_SECONDS, **safe, **_AT)


def forget(answer: HttpResponse) -> None:
    answer.delete_cookie(COOKIE, **_AT)


_AT = {"path": settings.SESSION_COOKIE_PATH, "samesite": "Lax"}


def forget_voter(request: HttpRequest, answer: HttpResponse, election: Election | None) -> None:
    """Nothing of whoever was here stays in the browser. A new form token makes all their forms useless: one that is
    sent again, from the history of the browser, is refused."""
    passes.drop_all_passes(request, answer)
    request.session.flush()
    for name in OF_A_VOTER:
        answer.delete_cookie(name, **_AT)
    if election is not None:
        forget_secret(answer, path_of("ballot", election.name))
    rotate_token(request)
    answer["Clear-Site-Data"] = '"cache", "storage"'
