"""Response headers for what other sites embed: pages in frames, and pictures."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpResponse

MAX_PREVIEW_CHARS = 200  # characters that fit into a preview
LANGUAGES = frozenset(code for code, _label in settings.LANGUAGES)
SECONDS_PER_YEAR = 365 * 24 * 3600


def embeddable(response: HttpResponse) -> HttpResponse:
    """A page that every other site may show in a frame. It runs no scripts."""
    without_scripts = {"script-src": "'none'", "connect-src": "'none'"}
    policy = settings.CONTENT_SECURITY_POLICY | without_scripts | {"frame-ancestors": "*"}
    response["Content-Security-Policy"] = "; ".join(f"{name} {value}" for name, value in policy.items())
    response.xframe_options_exempt = True
    return cross_origin(response)


def cross_origin(response: HttpResponse) -> HttpResponse:
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


def immutable(response: HttpResponse) -> HttpResponse:
    """Cached for a year: the URL changes with the content."""
    response["Cache-Control"] = f"public, max-age={SECONDS_PER_YEAR}, immutable"
    return cross_origin(response)
