"""In a booth there is nothing but the ballot: every other page leads back to the screen that waits for the officer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from elections.invitations.voting_link import LinkRefused
from foundation.acts import features
from foundation.acts.storage import now_text

from . import devices, repository, rules, services

GetResponse = Callable[[HttpRequest], HttpResponse]
OWN_PAGES = {"station_booth", "start_voting", "finish_voting", "booth_state", "leave_booth"}
ALWAYS = OWN_PAGES | {"set_language", "picture", "site_logo", "site_colours", "healthz", "readyz", "metrics"}
WHILE_VOTING = {
    *("ballot", "cast", "receipt", "receipt_qr", "ballot_state", "withdraw"),
    "change_receipt",
}
NO_ACTIVITY = {"ballot_state", "receipt_qr"}  # what pages ask for by themselves


def back_to_booth(request: HttpRequest) -> HttpResponse | None:
    """With a form of an earlier voter, from the history of the browser."""
    return redirect("station_booth") if request.booth else None


class BoothMiddleware:
    """Before the check of form tokens, so that a form of an earlier voter leads back to that screen, too."""

    def __init__(self, get_response: GetResponse):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.booth = request.booth_device = None
        request.is_no_booth = request.extends_visit = False
        answer = self.get_response(request)
        if request.is_no_booth and devices.COOKIE not in answer.cookies:
            devices.forget(answer)
        if request.extends_visit:
            devices.remember(answer, replace(request.booth_device, active_at=now_text()))
        return answer

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        if devices.COOKIE not in request.COOKIES or not features.is_on("stations"):
            return None
        device = devices.read(request)
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
