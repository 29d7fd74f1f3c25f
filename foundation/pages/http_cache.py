"""HTTP caching: ETag and Last-Modified for public responses and for pages, so that unchanged ones answer 304."""

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
from django.utils.cache import get_conditional_response
from django.utils.http import http_date

from .sharing import cross_origin

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
    etag, stamp = f'"{edition.tag}"', _last_modified(edition, now)
    response = get_conditional_response(request, etag=etag, last_modified=_comparable_date(request, stamp)) or make()
    response["ETag"] = etag
    if stamp is not None:
        response["Last-Modified"] = http_date(stamp)
    response["Cache-Control"] = f"public, max-age={CACHE_MINUTES * 60}"
    return cross_origin(response)


def _last_modified(edition: Edition, now: datetime) -> int | None:
    """HTTP dates have whole seconds: what changed in the current one may change again before it is over."""
    if edition.changed is None or now - edition.changed < ONE_SECOND:
        return None
    return int(edition.changed.astimezone(UTC).timestamp())


def _comparable_date(request: HttpRequest, stamp: int | None) -> int | None:
    """Only the exact date we sent counts: after something is removed, ours may be an earlier one."""
    sent = request.headers.get("If-Modified-Since")
    return stamp if stamp is None or sent in (None, http_date(stamp)) else None


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
        page["ETag"] = f'"{_page_digest(request, page)}"'
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


def _page_digest(request: HttpRequest, page: HttpResponse) -> str:
    """Ignores the form token and the like number offered to a new browser, which differ each time."""
    return digest(TOKEN.sub(rb"\1", page.content), request.META.get("CSRF_COOKIE", ""))
