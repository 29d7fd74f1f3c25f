"""What happens around every request: an id, a line in the log, its round trips counted, security headers."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from time import perf_counter

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from store import trips

from . import metrics

GetResponse = Callable[[HttpRequest], HttpResponse]
log = logging.getLogger("plenum.request")


def request_record(get_response: GetResponse) -> GetResponse:
    """Give the request an id, count its round trips to the store, and leave one log line that names no person.

    The line has the route's pattern, not the path: names of people and elections stand in paths.
    """

    def respond(request: HttpRequest) -> HttpResponse:
        request.id = secrets.token_hex(8)
        start = perf_counter()
        with trips.counted() as asked:
            response = get_response(request)
        seconds = perf_counter() - start
        route = request.resolver_match.route if request.resolver_match else "(no route)"
        metrics.observe_request(request.method, route, response.status_code, seconds)
        log.info(
            "request",
            extra={
                "request_id": request.id,
                "method": request.method,
                "route": route,
                "status": response.status_code,
                "milliseconds": round(seconds * 1000, 1),
                "store_trips": asked.count,
                "store_milliseconds": round(asked.seconds * 1000, 1),
            },
        )
        response["X-Request-ID"] = request.id
        if not settings.PRODUCTION:
            response["Server-Timing"] = (
                f'total;dur={seconds * 1000:.1f}, store;desc="{asked.count} trips";dur={asked.seconds * 1000:.1f}'
            )
        return response

    return respond


def security_headers(get_response: GetResponse) -> GetResponse:
    """The headers Django does not set by itself: what a page may load, and what it may use of the device."""
    policy = "; ".join(f"{name} {value}" for name, value in settings.CONTENT_SECURITY_POLICY.items())
    permissions = ", ".join(f"{name}=()" for name in settings.PERMISSIONS_POLICY)

    def respond(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault("Content-Security-Policy", policy)
        response.headers.setdefault("Permissions-Policy", permissions)
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        return response

    return respond
