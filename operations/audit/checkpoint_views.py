"""Public checkpoints: with a saved one, anyone can later tell whether the log was changed.

Only public ones are shown (foundation/store/log/publish.py): those made every few seconds would reveal when individuals
acted.
"""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.access import public
from foundation.acts.storage import table
from foundation.store.keys import EVENT_NUMBER_DIGITS
from foundation.store.log import EventLog

PAGE_ROWS = 20
PLAIN_TEXT = "text/plain; charset=utf-8"


@public
@require_safe
def checkpoints(request: HttpRequest) -> HttpResponse:
    """The newest checkpoint, and the earlier ones."""
    after = request.GET.get("after") or None
    page = EventLog(table()).public_checkpoints(limit=PAGE_ROWS, cursor=after)
    older = f"{reverse('checkpoints')}?{urlencode({'after': page.cursor})}" if page.cursor else ""
    newest = page.items[0] if page.items and not after else None
    context = {"checkpoint": newest, "checkpoints": page.items, "older": older, "is_newest": True, "further": after}
    return render(request, "audit/checkpoints.html", context)


@public
@require_safe
def checkpoint(request: HttpRequest, number: int) -> HttpResponse:
    """The checkpoint that covers an event."""
    found = EventLog(table()).public_over(number) if 0 < number < 10**EVENT_NUMBER_DIGITS else None
    if found is None:
        raise Http404
    return render(request, "audit/checkpoints.html", {"checkpoint": found})


@public
@require_safe
def newest(request: HttpRequest) -> HttpResponse:
    """For programs: a line to pass to `verify`, and one with the time by which all that it covers was sealed."""
    found = EventLog(table()).newest_public()
    if found is None:
        return HttpResponse(_("Nothing has been sealed yet.") + "\n", PLAIN_TEXT, 404)
    return HttpResponse(f"{found['event_id']}:{found['hash']}\n{found.get('sealed_by', '')}\n", PLAIN_TEXT)
