"""The operator's logo and colours, at URLs that change with them, so that browsers can cache them for good."""

from __future__ import annotations

from functools import cached_property
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.backends.utils import csrf_input
from django.templatetags.static import static
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from foundation.acts.branding import site_colour, site_name

from . import colours as site_colours
from . import served_code
from .http_cache import CACHE_MINUTES
from .logo import Logo, read
from .sharing import immutable

# Opened on its own a drawing is a page of ours, so it may do nothing but be displayed.
SANDBOX_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"


class FormToken:
    """The hidden field that protects forms, masked once for all forms of a page, and only if it has any."""

    def __init__(self, request: HttpRequest):
        self.request = request

    @cached_property
    def field(self) -> SafeString:
        return csrf_input(self.request)

    def __html__(self) -> SafeString:
        return self.field


def site_context(request: HttpRequest) -> dict[str, Any]:
    """For every page: its language; the operator's name, logo and colours, if any; the guest, if any; the polling
    station whose booth this browser is; and the form token.
    """
    language, colour = get_language() or "", site_colour()
    return {
        "LANGUAGE_CODE": language,
        "LANGUAGE_BIDI": language.partition("-")[0] in settings.LANGUAGES_BIDI,
        "site_name": site_name(),
        "site_logo": _logo_path(),
        "site_colours": colours_link(colour) if colour else "",
        "guest": getattr(request, "guest", None),
        "booth": getattr(request, "booth", None),
        "csrf_input": FormToken(request),
    }


def _logo_path() -> str:
    return reverse("site_logo", args=[read(settings.SITE_LOGO).edition]) if settings.SITE_LOGO else ""


@require_safe
def logo(request: HttpRequest, edition: str) -> HttpResponse:
    logo: Logo | None = read(settings.SITE_LOGO) if settings.SITE_LOGO else None
    if logo is None or logo.edition != edition:
        raise Http404
    response = HttpResponse(logo.content, content_type=logo.kind)
    response["Content-Security-Policy"] = SANDBOX_POLICY
    return immutable(response)


@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """For programs that ask for the usual address without reading a page, such as mail programs and feed readers."""
    answer = redirect(_logo_path() or static("img/favicon.ico"))
    answer["Cache-Control"] = f"public, max-age={CACHE_MINUTES * 60}"
    return answer


@require_safe
def colours(request: HttpRequest, edition: str) -> HttpResponse:
    """The URL names the colour, so a process that does not know a new one yet can still serve it."""
    colour = f"#{edition[:6]}"
    if site_colours.find_error(colour) or colours_edition(colour) != edition:
        raise Http404
    return immutable(HttpResponse(site_colours.stylesheet(colour), content_type="text/css; charset=utf-8"))


def colours_link(colour: str) -> SafeString:
    """The tag that loads the stylesheet, with its digest."""
    digest = served_code.digest_of(site_colours.stylesheet(colour).encode())
    return served_code.stylesheet_at(reverse("site_colours", args=[colours_edition(colour)]), digest)


def colours_edition(colour: str) -> str:
    """The colour and its stylesheet, as a later version may derive other shades."""
    return f"{colour[1:]}-{sha256(site_colours.stylesheet(colour).encode()).hexdigest()[:16]}"
