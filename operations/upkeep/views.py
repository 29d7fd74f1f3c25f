"""Views for monitoring."""

from __future__ import annotations

from dataclasses import asdict

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotFound, JsonResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.access import public
from foundation.acts.queues import failure_reason, log_failure
from foundation.acts.tokens import has_bearer_token
from foundation.store import formats, keys
from foundation.store.connect import connect
from foundation.store.log import utc_now
from foundation.store.parallel import run_parallel
from foundation.store.table import StoreError

from . import metrics as site_metrics
from .doctor import health
from .doctor.network_checks import RequestSnapshot, is_doctor
from .heartbeats import read_heartbeats

OF_STORE = (keys.SYNC, keys.RESTORING, *formats.PLACES)


@public
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """The process is alive."""
    return HttpResponse("ok\n", content_type="text/plain")


@public
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """The process is alive, the store answers, is complete and writable, and a worker is running. Less urgent problems
    are listed below "ok".

    With `?store`, only the first two: a load balancer that removed a site for lack of a worker would turn a delay into
    an outage.
    """
    notes = []
    try:
        table = connect(settings.STORE_URL)
        if "store" in request.GET:
            found, sentence = table.get_many(OF_STORE), ""
        else:
            found, workers, unknown = run_parallel(
                table,
                lambda: table.get_many([*OF_STORE, *health.WARNING_KEYS]),
                lambda: read_heartbeats(table),
                lambda: health.has_unknown_mails(table),
            )
            sentence = health.problem(workers)
            notes = health.warnings(found, unknown, utc_now())
    except StoreError:
        sentence = _("The store does not answer.")
    except Exception as error:  # monitors read text, whatever is wrong
        log_failure(error)
        sentence = _("This could not be found out: %(reason)s") % {"reason": failure_reason(error)}
    else:
        if keys.RESTORING in found:
            sentence = _("A backup is being restored into the store.")
        elif formats.is_too_new(found):
            sentence = _("A newer version has upgraded the store. Install that version here.")
    lines = [sentence, ""] if sentence else ["ok", *notes, ""]
    return HttpResponse("\n".join(lines), "text/plain", 503 if sentence else 200)


@public
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Metrics for Prometheus; in production only with METRICS_TOKEN, otherwise a 404."""
    if settings.PRODUCTION and not has_bearer_token(request, settings.METRICS_TOKEN):
        raise Http404
    text = site_metrics.as_text(health.as_metrics(connect(settings.STORE_URL)))
    return HttpResponse(text, content_type="text/plain; version=0.0.4; charset=utf-8")


@public
@require_safe
def doctor(request: HttpRequest, signed: str) -> HttpResponse:
    """What the server sees of this request, for `plenum doctor` only."""
    if not is_doctor(signed):
        return HttpResponseNotFound("not found\n", content_type="text/plain")
    return JsonResponse(asdict(RequestSnapshot.of(request)))
