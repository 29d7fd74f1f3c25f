"""The browser in the booth: the cookie by which it is one, and forgetting everything of a voter.

In a booth there is nothing but the ballot: every other page leads back to the screen that waits for the officer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, fields, replace
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import rotate_token
from django.shortcuts import redirect

from ballots import passes
from ballots.views import forget_secret
from elections.invitations.voting_link import LinkRefused
from elections.rules import Election
from foundation.acts import features
from foundation.acts.storage import now_text
from foundation.acts.tokens import create_token, read_token
from foundation.pages.paths import path_of
from foundation.ranking import candidates

from . import repository, rules, services
from .rules import Device

COOKIE = "plenum_station"
COOKIE_SECONDS = 30 * 24 * 3600
COOKIE_PLACE = {"path": settings.SESSION_COOKIE_PATH, "samesite": "Lax"}
# cookies that pages of the ballot set
OF_A_VOTER = (candidates.ORDER_COOKIE, settings.LANGUAGE_COOKIE_NAME, "messages", settings.SESSION_COOKIE_NAME)
OWN_PAGES = {"station_booth", "start_voting", "finish_voting", "booth_state", "leave_booth"}
ALWAYS = OWN_PAGES | {"set_language", "picture", "site_logo", "site_colours", "healthz", "readyz", "metrics"}
WHILE_VOTING = {"ballot", "cast", "receipt", "receipt_qr", "ballot_state", "withdraw", "change_receipt"}
NO_ACTIVITY = {"ballot_state", "receipt_qr"}  # what pages ask for by themselves


def read(request: HttpRequest) -> Device | None:
    values = read_token("station", request.COOKIES.get(COOKIE, ""), COOKIE_SECONDS)
    return Device(*values) if values and len(values) == len(fields(Device)) else None


def remember(answer: HttpResponse, device: Device) -> None:
    token = create_token("station", *astuple(device))
    safe = {"httponly": True, "secure": settings.SESSION_COOKIE_SECURE}
    answer.set_cookie(COOKIE, token, max_age=COOKIE_SECONDS, **safe, **COOKIE_PLACE)


def forget(answer: HttpResponse) -> None:
    answer.delete_cookie(COOKIE, **COOKIE_PLACE)


def forget_voter(request: HttpRequest, answer: HttpResponse, election: Election | None) -> None:
    """Nothing of whoever was here stays in the browser. A new form token makes all their forms useless: one that is
    sent again, from the history of the browser, is refused."""
    passes.drop_all_passes(request, answer)
    request.session.flush()
    for name in OF_A_VOTER:
        answer.delete_cookie(name, **COOKIE_PLACE)
    if election is not None:
        forget_secret(answer, path_of("ballot", election.name))
    rotate_token(request)
    answer["Clear-Site-Data"] = '"cache", "storage"'


def back_to_booth(request: HttpRequest) -> HttpResponse | None:
    """With a form of an earlier voter, from the history of the browser."""
    return redirect("station_booth") if request.booth else None


class BoothMiddleware:
    """Before the check of form tokens, so that a form of an earlier voter leads back to that screen, too."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.booth = request.booth_device = None
        request.is_no_booth = request.extends_visit = False
        answer = self.get_response(request)
        if request.is_no_booth and COOKIE not in answer.cookies:
            forget(answer)
        if request.extends_visit:
            remember(answer, replace(request.booth_device, active_at=now_text()))
        return answer

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        if COOKIE not in request.COOKIES or not features.is_on("stations"):
            return None
        device = read(request)
        station = repository.find(device.election_name, device.station_id) if device else None
        if device is None or station is None or station.device != device.hash:
            request.is_no_booth = True  # its station was closed, or has another browser
            return None
        request.booth, request.booth_device = station, device
        name = request.resolver_match.url_name
        if name in ALWAYS:
            return None
        if name not in WHILE_VOTING or not rules.is_voting(station, device, now_text()):
            return redirect("station_booth")
        request.extends_visit = name not in NO_ACTIVITY
        return None

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The voter was let into another booth: this one is free."""
        if request.booth is None or not isinstance(exception, LinkRefused):
            return None
        request.extends_visit = False
        services.end_visit(request.booth.election_name, request.booth.id, request.booth_device.visit)
        return redirect("station_booth")
