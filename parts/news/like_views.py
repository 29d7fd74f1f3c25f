"""Liking a post: one button, which works without an account and without a script."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.access import public
from foundation.acts.rate_limits import SECONDS_PER_DAY, TEN_MINUTES_IN_SECONDS, Limit, TooOften, count
from foundation.acts.refusals import NotThere, Refusal
from foundation.acts.storage import now_text
from foundation.pages.client_address import client_network
from foundation.pages.messages import message_page

from . import likes, repository
from .likes import Liker

LIKES = Limit("likes-address", 600, TEN_MINUTES_IN_SECONDS)  # a school shares one address; so does a flood
# Deleting the cookie must not allow endless likes, so browsers without one have lower limits.
NEW_BROWSERS = (
    Limit("likes-new-browsers", 60, TEN_MINUTES_IN_SECONDS),
    Limit("likes-new-browsers-a-day", 300, SECONDS_PER_DAY),
)
CHOICES = {"yes": True, "no": False}


@public
@require_POST
def like_post(request: HttpRequest, post_id: str) -> HttpResponse:
    """Sets the state the button named instead of toggling it, so a stale page or a double click does no harm."""
    post = repository.find(post_id)
    if post is None or not post.is_public(now_text()):
        raise Http404
    if request.POST.get("on") not in CHOICES:
        return message_page(request, _("Likes"), _("Say whether you like it: yes or no."), status=400)
    who = likes.liker(request, post.id)
    try:
        for limit in (LIKES, *(NEW_BROWSERS if who.is_new else ())):
            count(limit, client_network(request))  # the address only limits the rate; it does not identify anyone
        likes.set_like(who, on := CHOICES[request.POST["on"]])
    except NotThere:
        raise Http404 from None
    except Refusal as refusal:
        if request.htmx:  # htmx would not show a response with an error status
            return _part(request, who, str(refusal))
        return message_page(request, _("Likes"), str(refusal), status=429 if isinstance(refusal, TooOften) else 409)
    if request.htmx:
        response = _part(request, who)
    else:
        response = redirect(f"{reverse('post', args=[post.slug])}#likes")
        response.status_code = 303  # the browser follows with a GET, whatever the form's method
    if on and who.browser:
        likes.set_cookie(who, response)
    return response


def _part(request: HttpRequest, who: Liker, problem: str = "") -> HttpResponse:
    return render(request, "news/parts/likes.html", {"likes": likes.reload_likes(who, problem)})
