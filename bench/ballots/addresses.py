"""The site's addresses, and two that do nothing but answer: what a page costs before it does anything."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import include, path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from accounts.access import public, requires
from accounts.rules import Permission

from .processor import EMPTY, SIGNED_IN


@never_cache
@public
@require_POST
def empty(request: HttpRequest) -> HttpResponse:
    """A form that anybody may send: every middleware, the check against forgery, and a redirect."""
    return HttpResponseRedirect("/")


@never_cache
@requires(Permission.VOTE)
@require_POST
def signed_in(request: HttpRequest) -> HttpResponse:
    """The same for somebody who may vote: the session and the person are read, too."""
    return HttpResponseRedirect("/")


urlpatterns = [path(EMPTY[1:], empty), path(SIGNED_IN[1:], signed_in), path("", include("config.urls"))]
