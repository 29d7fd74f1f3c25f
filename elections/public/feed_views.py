"""The personal calendar feed, and the page where people make and revoke its address."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.access import public, requires
from accounts.rules import Permission
from acts.branding import site_name
from acts.links import absolute_url
from pages.forms import form_page
from pages.http_cache import digest
from pages.messages import run_action
from store.log import utc_now

from . import feed
from .calendar import calendar


@public
@require_safe
def calendar_feed(request: HttpRequest, token: str) -> HttpResponse:
    """For calendar programs, which have no session; an unknown or revoked address looks like one that never was."""
    person = feed.person_of(token)
    if person is None:
        raise Http404
    file = calendar(feed.entries(person, utc_now()), name=site_name())
    etag = f'"{digest(file)}"'
    answer = get_conditional_response(request, etag=etag)
    answer = answer or HttpResponse(file, content_type="text/calendar; charset=utf-8")
    answer["ETag"], answer["Cache-Control"] = etag, "private, no-cache"
    answer["X-Robots-Tag"] = "noindex"
    return answer


@requires(Permission.VIEW_APPLICATION)
@form_page
def own_calendar(request: HttpRequest) -> HttpResponse:
    """The address is shown when it is made, and never again."""
    if request.POST.get("act") == "revoke":
        run_action(request, lambda: feed.revoke(request.user), _("The address no longer works."))
        return redirect("own_calendar")
    address = ""
    if request.method == "POST":
        address = absolute_url(reverse("calendar_feed", args=[feed.make(request.user)]))
    context = {"feed": feed.find(request.user), "address": address}
    context["subscribe"] = "webcal" + address.removeprefix("https").removeprefix("http") if address else ""
    return render(request, "elections/calendar.html", context)
