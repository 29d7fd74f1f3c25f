"""Two pages that do nothing but answer: what a page costs before it does anything."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path

TRIVIAL, BARE = "/bench/trivial/", "/bench/bare/"


def trivial(request: HttpRequest) -> HttpResponse:
    """To somebody who is known: the session and the person are read. A form that is sent is answered as a cast is."""
    str(request.user)
    return HttpResponse("ok") if request.method == "GET" else HttpResponseRedirect("/")


def bare(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok")


def lead_there() -> None:
    """The site's own addresses stay what they are; these come first."""
    from accounts.access import public
    from config import urls

    urls.urlpatterns[:0] = [path(TRIVIAL[1:], public(trivial)), path(BARE[1:], public(bare))]
