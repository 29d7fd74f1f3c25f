"""HTTP caching: ETag and Last-Modified for public responses and for pages, so that unchanged ones answer 304; and what
other sites may show of ours: pages in frames, and a picture beside a link.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import wraps
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.template import engines
from django.templatetags.static import static
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.http import http_date

from foundation.acts.links import absolute_url

from . import logo

CommonContext = Mapping[str, Any]  # what the context processors return
Make = Callable[[CommonContext | None], HttpResponse]  # without it, they run when the page is made

CACHE_MINUTES = 5
TOKEN = re.compile(rb'(name="(?:csrfmiddlewaretoken|browser)" value=")[^"]*')
ONE_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Edition:
    """Identifies a state of something, and when it changed to it."""

    tag: str
    changed: datetime | None = None


def digest(*values: object) -> str:
    return sha256("\n".join(map(str, values)).encode()).hexdigest()[:32]


def public_response(
    request: HttpRequest, edition: Edition, now: datetime, make: Callable[[], HttpResponse]
) -> HttpResponse:
    """A response that is the same for everyone, rendered only for clients that do not have it."""
    etag, changed = f'"{edition.tag}"', edition.changed
    # HTTP dates have whole seconds: what changed in the current one may change again before it is over.
    is_settled = changed is not None and now - changed >= ONE_SECOND
    stamp = int(changed.astimezone(UTC).timestamp()) if changed and is_settled else None
    # Only the exact date we sent counts: after something is removed, ours may be an earlier one.
    known = request.headers.get("If-Modified-Since")
    comparable = stamp if stamp is None or known in (None, http_date(stamp)) else None
    response = get_conditional_response(request, etag=etag, last_modified=comparable) or make()
    response["ETag"] = etag
    if stamp is not None:
        response["Last-Modified"] = http_date(stamp)
    response["Cache-Control"] = f"public, max-age={CACHE_MINUTES * 60}"
    return cross_origin(response)


def cached_for_anonymous(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A page that is the same for everyone not signed in. Browsers may cache it, but revalidate each time.

    Shared caches may not: it contains forms for one browser. Pages of signed-in people are never cached.
    """

    @wraps(view)
    def respond(request: HttpRequest, *arguments: Any, **parameters: Any) -> HttpResponse:
        page = view(request, *arguments, **parameters)
        if page.status_code != 200 or request.method not in ("GET", "HEAD") or request.user.is_authenticated:
            return page
        page["Cache-Control"] = "private, no-cache"
        # the form token and the like number offered to a new browser differ each time
        own = digest(TOKEN.sub(rb"\1", page.content), request.META.get("CSRF_COOKIE", ""))
        page["ETag"] = f'"{own}"'
        return get_conditional_response(request, etag=page["ETag"], response=page) or page

    return respond


def cached_for_reader(request: HttpRequest, made_of: tuple[object, ...], make: Make) -> HttpResponse:
    """A page with the reader's own frame around content that is made of these values.

    Whose browser may keep it, because they are not signed in, gets it only if they do not have this exact page, or have
    messages waiting. The common context was needed for the ETag, so it is passed on to `make`.
    """
    if request.user.is_authenticated:
        return make(None)
    common = common_context(request)
    frame = _frame(request, common)
    if frame["messages"]:
        return make(common)
    etag = f'W/"{digest(settings.STARTED, *made_of, frame)}"'
    page = get_conditional_response(request, etag=etag) or make(common)
    page["ETag"], page["Cache-Control"] = etag, "private, no-cache"
    return page


def common_context(request: HttpRequest) -> CommonContext:
    """As Django calls the context processors for each template rendered for a request."""
    context: dict[str, Any] = {"request": request}
    for processor in engines["jinja2"].template_context_processors:
        context |= processor(request)
    return context


def _frame(request: HttpRequest, common: CommonContext) -> dict[str, Any]:
    """Everything templates/base.html depends on for readers who are not signed in: the common context, the URL and the
    CSRF token. A reader without a token gets one, and thus a page they cannot have cached."""
    if "CSRF_COOKIE" not in request.META:
        get_token(request)
    return {
        "request": request.get_full_path(),
        "csrf_token": request.META["CSRF_COOKIE"],
        "messages": len(common["messages"]),
        "drafts": common["drafts"](),
        **{name: common[name] for name in ("LANGUAGE_CODE", "LANGUAGE_BIDI", "guest", "booth")},
        **{name: common[name] for name in ("site_name", "site_logo", "site_colours", "site_pause")},
    }


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
