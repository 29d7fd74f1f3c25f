"""The drawn picture of a post, at an address that says what it shows, so that it may be kept for good."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from accounts.access import public
from acts.storage import now_text
from pages.sharing import immutable

from . import repository
from .card import card_of, picture


@public
@require_safe
def card(request: HttpRequest, post_id: str, edition: str) -> HttpResponse:
    post = repository.find(post_id)
    if post is None or not post.is_seen(now_text()):
        raise Http404
    said = card_of(post)
    if said.edition != edition:
        raise Http404
    answer = get_conditional_response(request, etag=f'"{edition}"')
    if answer is None:
        answer = HttpResponse(picture(said), content_type="image/png")
    answer["ETag"] = f'"{edition}"'
    return immutable(answer)
