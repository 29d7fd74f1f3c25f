"""Requests to the API bring a token or nothing: cookies are never read, so no other site can use a session."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

PREFIX = "/api/v1/"


def is_api_request(request: HttpRequest) -> bool:
    """Whether a program asks; the description of the API is a page like others."""
    path: str = request.path_info
    return path.startswith(PREFIX) and path != PREFIX


def ignore_cookies(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    def respond(request: HttpRequest) -> HttpResponse:
        if is_api_request(request):
            request.META.pop("HTTP_COOKIE", None)
        return get_response(request)

    return respond
