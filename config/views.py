"""The pages that belong to the site as a whole, and the addresses for those who watch over it."""

from __future__ import annotations

import hmac
from datetime import datetime

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts import drafts
from accounts.access import public
from accounts.rules import Permission
from elections import repository as elections
from store import keys
from store.connect import connect
from store.log import EventLog
from store.table import StoreError

from . import metrics as site_metrics
from .standing import as_metrics


@public
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """For somebody signed in: what waits for them and what they run. For others: what this is."""
    if request.user.is_authenticated and request.user.can(Permission.VIEW_APPLICATION):
        return _home_of(request)
    checkpoint = EventLog(connect(settings.STORE_URL)).newest_public()
    published_at = datetime.fromisoformat(checkpoint["published_at"]) if checkpoint else None
    return render(request, "site/home.html", {"checkpoint": checkpoint, "published_at": published_at})


def _home_of(request: HttpRequest) -> HttpResponse:
    user, now = request.user, elections.now_text()
    mine, more = elections.lists(run_by=user.name, limit=5) if user.can_run_elections else ([], None)
    waiting = elections.waiting_for(user, now) if user.can(Permission.VOTE) else []
    context = {"waiting": waiting, "mine": [(each, each.state(now)) for each in mine], "more": more}
    return render(request, "site/home_of.html", context)


@public
@require_safe
def style(request: HttpRequest) -> HttpResponse:
    """Every component of the design system on one page."""
    return render(request, "site/style.html", {"draft_key": drafts.key(request, "style")})


@public
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """The process is alive."""
    return HttpResponse("ok\n", content_type="text/plain")


@public
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """The process is alive and the store answers, whole."""
    try:
        found = connect(settings.STORE_URL).get_many([keys.sync(), keys.restoring()])
    except StoreError:
        return _not_ready(_("The store does not answer."))
    if keys.restoring() in found:
        return _not_ready(_("A backup is being restored into the store."))
    return HttpResponse("ok\n", content_type="text/plain")


def _not_ready(sentence: str) -> HttpResponse:
    return HttpResponse(f"{sentence}\n", status=503, content_type="text/plain")


@public
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Figures for Prometheus; in production only for who brings METRICS_TOKEN, and not there at all without one."""
    if settings.PRODUCTION and not _brings_metrics_token(request):
        raise Http404
    text = site_metrics.as_text(as_metrics(connect(settings.STORE_URL)))
    return HttpResponse(text, content_type="text/plain; version=0.0.4; charset=utf-8")


def _brings_metrics_token(request: HttpRequest) -> bool:
    brought = request.headers.get("Authorization", "")
    wanted = f"Bearer {settings.METRICS_TOKEN}"
    return bool(settings.METRICS_TOKEN) and hmac.compare_digest(brought.encode(), wanted.encode())
