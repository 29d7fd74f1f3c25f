"""Serving pictures. Their bytes never change, so browsers can cache them for good."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.views.decorators.http import require_safe

from foundation.pages.http_cache import immutable

from . import photos
from .child import WIDTHS
from .photos import CONTENT_TYPES

SANDBOX_POLICY = "default-src 'none'; sandbox"  # opened on its own, it can only be viewed


@require_safe
def picture(request: HttpRequest, photo_id: str, width: int, ending: str) -> HttpResponse:
    item = photos.find(photo_id, width) if width <= WIDTHS[-1] else None
    if item is None or item["kind"] != ending:
        raise Http404
    etag = quote_etag(item["digest"])
    response = HttpResponse(item["content"], content_type=CONTENT_TYPES[ending])
    response["ETag"] = etag
    response["Content-Security-Policy"] = SANDBOX_POLICY
    response["X-Content-Type-Options"] = "nosniff"
    return immutable(get_conditional_response(request, etag=etag, response=response))
