"""Addresses for programs that watch over the site."""

from __future__ import annotations

import hmac

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.access import public
from store import formats, keys
from store.connect import connect
from store.table import StoreError

from . import metrics as site_metrics
from .health import as_metrics


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
        found = connect(settings.STORE_URL).get_many([keys.sync(), keys.restoring(), *formats.PLACES])
    except StoreError:
        return _not_ready(_("The store does not answer."))
    if keys.restoring() in found:
        return _not_ready(_("A backup is being restored into the store."))
    if formats.is_too_new(found):
        return _not_ready(_("A later version has upgraded the store. This one has to be replaced by it."))
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
