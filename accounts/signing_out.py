"""Ending a session, and leaving nothing of it in the browser."""

from __future__ import annotations

from contextlib import suppress

from django.contrib import auth
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from foundation.acts.hooks import Hooks
from foundation.acts.links import absolute_url

from .connectors import registry
from .connectors.protocol import OutOfReach
from .visitors import Anonymous

SIGNING_OUT = Hooks[[HttpRequest, HttpResponse], None]("with the response to a person who signs out")


def end_session(request: HttpRequest) -> dict[str, str]:
    """What is shown from here on is for nobody. Whoever signed in with a provider may still be signed in there: returns
    its name and the address at which to sign out there, too."""
    source = request.session.get("source")
    auth.logout(request)
    request.user = Anonymous()
    if source and any(each.id == source["provider"] for each in registry.providers()):
        with suppress(OutOfReach):
            if address := registry.connector(source["provider"]).sign_out_url(absolute_url(reverse("home"))):
                return {"provider": registry.label_of(source["provider"]), "address": address}
    return {}


def clear_browser(request: HttpRequest, answer: HttpResponse) -> None:
    """Clears the browser's cache, so that the next person at this device finds none of our pages."""
    answer["Clear-Site-Data"] = '"cache"'
    for step in SIGNING_OUT:
        step(request, answer)
