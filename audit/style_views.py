"""The page of everything that pages are made of."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.access import public
from ranking import drafts


@public
@require_safe
def style(request: HttpRequest) -> HttpResponse:
    """Every component of the design system on one page."""
    return render(request, "pages/style.html", {"draft_key": drafts.key(request, "style")})
