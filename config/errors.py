"""Error pages in the site's design: what happened, and how to continue."""

from __future__ import annotations

import errno
import logging
import sys
import traceback

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from accounts.access import lost_session_response
from accounts.api.problems import is_api_request, problem_page
from accounts.visitors import Anonymous
from foundation.acts.pause import Pause, Paused, cache
from foundation.acts.queues import safe_message
from foundation.pages.forms import EXPIRED
from foundation.store.log import utc_now
from foundation.store.table import BadCursor, Conflict, InDoubt, Unavailable, Unwritable

log = logging.getLogger("plenum.request")

PAGES = {
    400: (
        _("We could not read that request"),
        _("Something in the address or the form was wrong. Go back and try again."),
    ),
    403: (
        _("Not allowed"),
        _("You do not have access to this. If you think you should, ask the people who run this site."),
    ),
    404: (
        _("Nothing here"),
        _("This page does not exist, or you do not have access to it. Check the address for typos."),
    ),
    405: (
        _("This address does not accept that"),
        _("This address cannot be opened directly. Go to the page with the form and send it from there."),
    ),
    409: (
        _("Someone else was faster"),
        _("Someone else changed the same thing at the same moment. Nothing was lost. Please try again."),
    ),
    500: (
        _("That was our mistake"),
        _("Something broke on our side, and it has been logged. You can safely try again."),
    ),
    503: (
        _("Not available right now"),
        _("Our database is not responding. Please try again in a moment."),
    ),
}


RETRY_AFTER_SECONDS = 5
NO_SPACE_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}  # the system's errors when nothing can be written
UNWRITABLE = (
    _("Nothing can be saved right now"),
    _(
        "The site can show pages but cannot save anything right now, so nothing was changed. Please try again later. "
        "The people who run the site are told why."
    ),
)
IN_DOUBT = (
    _("This may or may not have been saved"),
    _(
        "Our database did not answer in time, so we cannot tell whether this was saved. Go back and send it again in "
        "a moment: it will count only once."
    ),
)
NO_MEMORY = (
    _("Not available right now"),
    _("The server is out of memory right now. Nothing was changed. Please try again later."),
)
PAUSED = _("The site is paused")
PAUSED_SENTENCES = {
    "page": _("This page is not available while the site is paused for maintenance. Other pages work as usual."),
    "form": _(
        "The site is paused for maintenance, so nothing was changed. Go back: what you typed is still there, and you "
        "can send it once the site is running again."
    ),
    "in place": _(
        "The site is paused for maintenance, so nothing was changed. What you typed is still here, and you can send "
        "it once the site is running again."
    ),
}


def error_page(
    request: HttpRequest, status: int, sentence: str | None = None, title: str | None = None
) -> HttpResponse:
    usual_title, usual = PAGES[status]
    if is_api_request(request):
        return _with_retry(problem_page(status, sentence or usual))
    context = {
        "status": status,
        "title": title or usual_title,
        "sentence": sentence or usual,
        "request_id": getattr(request, "id", ""),
    }
    in_place = {"level": "warning", "sentence": context["sentence"]}
    response = (
        render(request, "parts/message.html", in_place, status=status)
        if _was_sent_in_place(request) and status in (409, 503)
        else render(request, "error.html", context, status=status)
    )
    return _with_retry(response)


def _with_retry(response: HttpResponse) -> HttpResponse:
    if response.status_code == 503:
        response["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return response


def _was_sent_in_place(request: HttpRequest) -> bool:
    """Whether a script sent the form: its page is still open and shows these words at the top (see base.html)."""
    return request.method == "POST" and bool(getattr(request, "htmx", False))


def paused_page(request: HttpRequest, pause: Pause) -> HttpResponse:
    kind = "in place" if _was_sent_in_place(request) else "page" if request.method in ("GET", "HEAD") else "form"
    sentence = " ".join(filter(None, (str(PAUSED_SENTENCES[kind]), pause.sentence)))
    response = error_page(request, 503, sentence, PAUSED)
    response["Retry-After"] = str(pause.retry_after(utc_now()))
    return response


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_page(request, 400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_page(request, 403, str(exception))


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_page(request, 404)


def broken(request: HttpRequest) -> HttpResponse:
    """Errors no view handled: a store or a machine in trouble has its own pages, anything else is our bug."""
    exception = sys.exc_info()[1]
    status, title, sentence = classify(exception)
    _record(request, exception, status)
    request.user = Anonymous()  # looking the user up may be what failed
    try:
        if isinstance(exception, Paused) and (pause := cache.last_known()):
            return paused_page(request, pause)
        return error_page(request, status, sentence, title)
    except Exception:  # what broke the page may break this one too: answer without templates
        plain = "text/plain; charset=utf-8"
        return _with_retry(HttpResponse(f"{title}. {sentence}\n", status=status, content_type=plain))


STORE_STATUSES = {Unavailable: 503, Conflict: 409, BadCursor: 400}


def classify(exception: BaseException | None) -> tuple[int, str, str]:
    """The status, the title and the sentence."""
    if isinstance(exception, Unwritable) or (isinstance(exception, OSError) and exception.errno in NO_SPACE_ERRORS):
        return 503, *UNWRITABLE
    if isinstance(exception, InDoubt):
        return 503, *IN_DOUBT
    if isinstance(exception, MemoryError):
        return 503, *NO_MEMORY
    status = next((status for kind, status in STORE_STATUSES.items() if isinstance(exception, kind)), 500)
    return status, *PAGES[status]


def _record(request: HttpRequest, exception: BaseException | None, status: int) -> None:
    """Logs the type and place of the exception, and messages of the store only: others may quote a person."""
    where = "".join(traceback.format_tb(exception.__traceback__)) if exception else ""
    failure = {"error": type(exception).__name__, "words": safe_message(exception), "where": where}
    log.error("failure", extra={"request_id": request.id, "status": status, **failure})


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The sender may have lost their cookies after typing something that can be preserved."""
    if (response := next(filter(None, (step(request) for step in EXPIRED)), None)) is not None:
        return response
    if request.resolver_match and (response := lost_session_response(request, request.resolver_match.func)):
        return response
    return error_page(request, 403, _("This form has expired. Reload the page and send it again."))
