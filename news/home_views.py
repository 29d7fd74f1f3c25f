"""The front page: what waits for somebody, and what they run; for strangers who runs this site, or else what it is."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from accounts.access import public

from .front import show_home


@public
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    return show_home(request)
