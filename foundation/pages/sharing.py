"""What other sites show of ours: pages in frames, and a picture beside a link."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpResponse
from django.templatetags.static import static
from django.urls import reverse

from foundation.acts.links import absolute_url

from . import logo

MAX_PREVIEW_CHARS = 200  # characters that fit into a preview
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


def site_picture() -> str:
    """The preview picture of a link to a page without one of its own: the operator's logo, or ours. Other sites take no
    SVG."""
    own = logo.read(settings.SITE_LOGO) if settings.SITE_LOGO else None
    if own is not None and own.kind == "image/png":
        return absolute_url(reverse("site_logo", args=[own.edition]))
    return absolute_url(static("img/apple-touch-icon.png"))


def immutable(response: HttpResponse) -> HttpResponse:
    """Cached for a year: the URL changes with the content."""
    response["Cache-Control"] = f"public, max-age={SECONDS_PER_YEAR}, immutable"
    return cross_origin(response)
