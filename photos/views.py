"""Serving pictures. Their bytes never change, so browsers can cache them for good."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.views.decorators.http import require_safe

from pages.sharing import immutable

from . import repository
from .rules import CONTENT_TYPES, WIDTHS

SANDBOX_POLICY = "default-src 'none'; sandbox"  # opened on its own, it can only be viewed


@require_safe
def picture(request: HttpRequest, photo_id: str, width: int, ending: str) -> HttpResponse:
    found = repository.find(photo_id, width) if width <= WIDTHS[-1] else None
    if found is None or found.kind != ending:
        raise Http404
    etag = quote_etag(found.digest)
    answer = HttpResponse(found.content, content_type=CONTENT_TYPES[found.kind])
    answer["ETag"] = etag
    answer["Content-Security-Policy"] = SANDBOX_POLICY
    answer["X-Content-Type-Options"] = "nosniff"
    return immutable(get_conditional_response(request, etag=etag, response=answer))
