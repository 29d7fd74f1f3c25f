"""The page of the bell."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.access import requires
from accounts.rules import Permission

from . import services


@requires(Permission.VIEW_APPLICATION)
@require_http_methods(["GET", "HEAD", "POST"])
def bell(request: HttpRequest) -> HttpResponse:
    if request.method == "POST":
        services.ring(request.user)
        return redirect("bell")
    return render(request, "tiny/bell.html", {"rung": services.rung()})
