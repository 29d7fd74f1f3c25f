"""Authentication: who sends a request, whether the view admits them, and how a session ends."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.contrib import auth
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.utils.functional import SimpleLazyObject

from foundation.acts.hooks import Hooks
from foundation.acts.links import absolute_url

from .access import access_response
from .connectors import registry
from .connectors.providers import OutOfReach
from .forms import ProofNeeded
from .models import User
from .visitors import Anonymous, redirect_to_proof, remember_browser


class AuthenticationMiddleware:
    """Sets `request.user` and enforces each view's access declaration.

    Replaces Django's middleware, which would read the person in a second round trip: our session has read both.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.user = SimpleLazyObject(lambda: self._resolve_user(request))
        response = self.get_response(request)
        if signed_in := getattr(request, "signed_in_now", None):
            remember_browser(request, response, signed_in)
        return response

    def _resolve_user(self, request: HttpRequest) -> User | AnonymousUser:
        """Resolve the user and replace the lazy object with it."""
        request.user = user_of_session(request)
        return request.user

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, ProofNeeded):
            return None
        return redirect_to_proof(request.get_full_path())

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponse], arguments: Any, parameters: Any
    ) -> HttpResponse | None:
        return access_response(request, view, parameters)


def user_of_session(request: HttpRequest) -> User | AnonymousUser:
    """The session's person, unless a new password or a sign-out has invalidated it."""
    session = request.session
    if SESSION_KEY not in session or (user := session.user) is None:
        return Anonymous()
    held = session.get(HASH_SESSION_KEY, "")
    valid = [user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()]
    if not any(constant_time_compare(held, each) for each in valid):
        session.flush()
        return Anonymous()
    return user


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
