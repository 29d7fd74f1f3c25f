"""What happens around every request: an id, a log line, a count of round trips, headers, cookies, the pause."""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Callable
from functools import lru_cache
from http.cookies import SimpleCookie
from time import perf_counter
from typing import Any

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.middleware.csrf import CsrfViewMiddleware
from django.middleware.gzip import GZipMiddleware
from django.urls import resolve
from django.utils.cache import patch_vary_headers
from django.utils.translation import activate, get_language, get_language_from_request
from isal import isal_zlib

from foundation.acts import pause
from foundation.pages.streams import EVENT_STREAM
from foundation.store import round_trips, wait_budget
from foundation.store.connect import connect
from foundation.store.table import KeyTooLong
from operations.upkeep import metrics

from . import proxies
from .errors import error_page, paused_page

GetResponse = Callable[[HttpRequest], HttpResponse]
SAFE = ("GET", "HEAD", "OPTIONS")
ALLOWED_WHILE_PAUSED = {"sign_in", "second_step", "sign_out", "pause", "resume", "set_language", "sandbox"}
ALLOWED_WHILE_PAUSED |= {"start_provider", "finish_provider", "provider_signed_out", "provider_logout"}
ALLOWED_WHILE_PAUSED |= {"leave_ballot", "healthz", "readyz", "metrics"}
MIN_COMPRESSED_BYTES = 1000  # less is sent in one packet anyway, as is what becomes of an answer in a live session
FASTEST_LEVEL = 0  # ISA-L's level, which compresses at all of them
GZIP = 16 + 15  # zlib's code for gzip format with a 32 KB window
HAS_FILE_NAME = b"\x08"  # a flag in the fourth byte of gzip's header (RFC 1952)
PROBES = {"/healthz", "/readyz", "/metrics"}
REGIONAL_ENGLISH = re.compile(r"\ben-(?!us\b|ph\b)\w+", re.ASCII | re.IGNORECASE)  # English outside America
DOCTOR = re.compile(r"/doctor/[^/]+/")
log = logging.getLogger("plenum.request")


def below_path(get_response: GetResponse) -> GetResponse:
    """Serves the site below a path of its host: a proxy passes that path on, but our routes do not include it.

    Requests without it are answered too, for direct access to the server and for proxies that strip it.
    """
    path = settings.FORCE_SCRIPT_NAME
    if not path:
        raise MiddlewareNotUsed

    def respond(request: HttpRequest) -> HttpResponse:
        if request.path_info == path:
            return HttpResponseRedirect(f"{path}/")  # cookies are limited to the path
        if request.path_info.startswith(f"{path}/"):
            request.path = request.path_info
            request.path_info = request.path_info.removeprefix(path)
        answer = get_response(request)
        # Django's fallback for redirects and its messages cookie would apply to the whole host.
        if answer.get("Location") == "/":
            answer["Location"] = f"{path}/"
        for cookie in answer.cookies.values():
            if cookie["path"] == "/":
                cookie["path"] = f"{path}/"
        return answer

    return respond


def request_record(get_response: GetResponse) -> GetResponse:
    """Give the request an id, count its round trips to the store, and write one log line that names no person.

    The line has the route's pattern, not the path, which may contain names of people and elections.
    """

    def respond(request: HttpRequest) -> HttpResponse:
        request.id = secrets.token_hex(8)
        start = perf_counter()
        with round_trips.count_round_trips() as trips:
            response = get_response(request)
        seconds = perf_counter() - start
        route = request.resolver_match.route if request.resolver_match else "(no route)"
        metrics.observe_request(route, response.status_code, seconds)
        if log.isEnabledFor(logging.INFO):
            fields = {
                "request_id": request.id,
                "method": request.method,
                "route": route,
                "status": response.status_code,
                "milliseconds": round(seconds * 1000, 1),
                "store_trips": trips.count,
                "store_trips_in_a_row": trips.in_a_row,
                "store_milliseconds": round(trips.seconds * 1000, 1),
            }
            if token := getattr(request, "api_token", None):
                fields["token"] = token  # its public id
            log.info("request", extra=fields)
        response["X-Request-ID"] = request.id
        if not settings.PRODUCTION:
            response["Server-Timing"] = (
                f'total;dur={seconds * 1000:.1f}, store;desc="{trips.count} trips";dur={trips.seconds * 1000:.1f}, '
                f'row;desc="{trips.in_a_row} in a row"'
            )
        return response

    return respond


def head_without_body(get_response: GetResponse) -> GetResponse:
    """HEAD requests, as sent by monitors, want the headers only; gunicorn would log a complaint about a body."""

    def respond(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if request.method != "HEAD" or response.get("Content-Type") == EVENT_STREAM:
            return response
        if response.streaming:
            response.streaming_content = ()
        else:
            response.headers.setdefault("Content-Length", str(len(response.content)))
            response.content = b""
        return response

    return respond


def store_timeout(get_response: GetResponse) -> GetResponse:
    """Limits how long a request waits for a remote store that does not respond, and then reports the error.

    The embedded store needs no timeout.
    """

    def respond(request: HttpRequest) -> HttpResponse:
        if not connect(settings.STORE_URL).is_distant:
            return get_response(request)
        with wait_budget.of_request(settings.STORE_SECONDS):
            return get_response(request)

    return respond


def watch_proxies(get_response: GetResponse) -> GetResponse:
    """Notice requests that came through a proxy we were not configured for."""

    def respond(request: HttpRequest) -> HttpResponse:
        if not DOCTOR.fullmatch(request.path_info):  # which fakes its origin
            proxies.watch.notice(request)
        return get_response(request)

    return respond


def probes(get_response: GetResponse) -> GetResponse:
    """Health checks use an address, not a host name, so the host is not checked here."""

    def respond(request: HttpRequest) -> HttpResponse:
        if request.path_info not in PROBES and not DOCTOR.fullmatch(request.path_info):
            return get_response(request)
        request.resolver_match = found = resolve(request.path_info, "operations.upkeep.urls")
        return found.func(request, *found.args, **found.kwargs)

    return respond


def security_headers(get_response: GetResponse) -> GetResponse:
    """The headers Django does not set by itself: what a page may load and use of the device, and who may cache it.

    Nothing is cached unless it says so: nearly every page is made for one person or contains a form for one browser,
    and after signing out the back button must not bring it back.
    """
    policy = "; ".join(f"{name} {value}" for name, value in settings.CONTENT_SECURITY_POLICY.items())
    permissions = ", ".join(f"{name}=()" for name in settings.PERMISSIONS_POLICY)
    usual = {
        "Content-Security-Policy": policy,
        "Permissions-Policy": permissions,
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cache-Control": "private, no-store",
    }

    def respond(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        for name, value in usual.items():
            response.headers.setdefault(name, value)
        return response

    return respond


class QuickGZip(GZipMiddleware):
    """Django's middleware, but pages are compressed with ISA-L, at its fastest level.

    Django's own way adds 20 per cent to the processor time of a ballot page in Django and 47 to that of results; zlib's
    fastest level 13 and 25 per cent.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if response.streaming:
            return super().process_response(request, response)
        if len(response.content) < MIN_COMPRESSED_BYTES or "Content-Encoding" in response.headers:
            return response
        patch_vary_headers(response, ("Accept-Encoding",))
        if "gzip" not in request.META.get("HTTP_ACCEPT_ENCODING", ""):
            return response
        packed = isal_zlib.compress(response.content, FASTEST_LEVEL, GZIP)
        # as Django does: a file name of random length hides how much of a token was guessed (BREACH)
        name = b"a" * secrets.randbelow(self.max_random_bytes)
        packed = b"".join((packed[:3], HAS_FILE_NAME, packed[4:10], name, b"\0", packed[10:]))
        if len(packed) < len(response.content):
            response.content = packed
            response.headers["Content-Length"] = str(len(response.content))
            response.headers["Content-Encoding"] = "gzip"
            if (etag := response.get("ETag", "")).startswith('"'):  # a strong ETag promises identical bytes
                response.headers["ETag"] = f"W/{etag}"
        return response


class FormTokens(CsrfViewMiddleware):
    """Django's check of form tokens, which would send its cookie with each page again, to make it last another year:
    3 per cent of the processor time of a page. Signing in changes it anyway, and without it a page brings a new one.
    """

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        sent = request.COOKIES.get(settings.CSRF_COOKIE_NAME)
        if sent is not None and sent == request.META.get("CSRF_COOKIE"):
            return response  # which varies by cookies anyway: the frame of a page asks who reads it
        return super().process_response(request, response)


def readers_language(get_response: GetResponse) -> GetResponse:
    """The language in the reader's cookie, else the one their browser asks for, as Django finds it.

    Readers of English outside America get British dates (config/formats/en_GB): Django would treat Australian English,
    say, as American. Django's own middleware also looks for a language in every path, where ours have none.
    """

    def respond(request: HttpRequest) -> HttpResponse:
        chosen = request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME, "")
        activate(_language(chosen, request.META.get("HTTP_ACCEPT_LANGUAGE", ""), settings.LANGUAGE_CODE))
        response = get_response(request)
        patch_vary_headers(response, ("Accept-Language",))
        response.headers.setdefault("Content-Language", get_language())
        return response

    return respond


@lru_cache(200)  # headers of at most 8 KB each
def _language(chosen: str, accepted: str, usual: str) -> str:
    """Browsers send few different headers, and Django takes 30 µs to look at one; `usual` is its setting."""
    request = HttpRequest()
    request.COOKIES[settings.LANGUAGE_COOKIE_NAME] = chosen
    request.META["HTTP_ACCEPT_LANGUAGE"] = REGIONAL_ENGLISH.sub("en-gb", accepted)
    return get_language_from_request(request)


MAX_ARGUMENT_BYTES = 800  # bytes of one URL parameter: the longest possible name


class ErrorPages:
    """Shows an error page for a method that a URL does not allow, and a 404 for a name too long to be a key."""

    def __init__(self, get_response: GetResponse):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        answer = self.get_response(request)
        if answer.status_code != 405 or answer.content:
            return answer
        page = error_page(request, 405)
        page["Allow"] = answer["Allow"]
        return page

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        names = request.resolver_match.kwargs.values() if isinstance(exception, KeyTooLong) else ()
        return error_page(request, 404) if any(len(str(name).encode()) > MAX_ARGUMENT_BYTES for name in names) else None


class PauseGuard:
    """While the site is paused, refuses requests that would change something, and still shows pages.

    Runs after `SignedIn`, so that a lack of permission is reported first. Its guard ends before the session is stored,
    which may update "last seen".
    """

    def __init__(self, get_response: GetResponse):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with pause.guarded(False):
            return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        name = request.resolver_match.url_name
        if name in ALLOWED_WHILE_PAUSED:
            return None
        if request.method in SAFE:
            if pause.cache.last_known():
                str(request.user)  # looking the user up may end an old session, which is allowed
                pause.guard_from_here()
            return None
        if found := pause.cache.current():
            return paused_page(request, found)
        pause.guard_from_here()
        return None


# --- prefixes of cookies ---

# Over HTTPS, browsers accept and return a cookie with a prefix only if it was set as safely. `__Host-` means that this
# very host set it, over HTTPS, for all of its paths; `__Secure-`, that some host of the domain did, over HTTPS. The
# second is for a site below a path, and for cookies that are sent to some pages only. The code of the apps knows no
# prefix: this middleware adds it to responses and removes it from requests, where it drops cookies without the right
# one.

HOST, SECURE = "__Host-", "__Secure-"
FOR_SOME_PAGES = re.compile(r"half|ranking|plenum_(likes|voter|poll_key|seat_.*|flow_.*)")


def prefix_of(name: str) -> str:
    return SECURE if settings.FORCE_SCRIPT_NAME or FOR_SOME_PAGES.fullmatch(name) else HOST


def prefixed_cookies(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Local sites use plain HTTP, where browsers would refuse such names."""
    if not settings.SESSION_COOKIE_SECURE:
        raise MiddlewareNotUsed

    def respond(request: HttpRequest) -> HttpResponse:
        plain = ((name.removeprefix(HOST).removeprefix(SECURE), name) for name in request.COOKIES)
        request.COOKIES = {name: request.COOKIES[sent] for name, sent in plain if sent == prefix_of(name) + name}
        response = get_response(request)
        response.cookies = _renamed(response.cookies)
        return response

    return respond


def _renamed(cookies: SimpleCookie) -> SimpleCookie:
    renamed = SimpleCookie()
    for name, cookie in cookies.items():
        new = prefix_of(name) + name
        renamed[new] = cookie.value
        for attribute, value in cookie.items():
            renamed[new][attribute] = value
        renamed[new]["secure"] = True  # also of one that is deleted: else the browser would ignore that
    return renamed
