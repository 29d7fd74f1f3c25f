"""Sign-ins that have begun: between sending a person to their provider and their return.

What the answer has to match is encrypted in a cookie of this browser and not in the session: several tabs can sign in
at once, and an answer that somebody else has asked for finds no cookie here. Each works once, within ten minutes.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import astuple, dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from foundation.acts.links import absolute_url
from foundation.acts.refusals import Refusal
from foundation.acts.storage import try_write
from foundation.acts.tokens import create_token, read_token
from foundation.store import keys
from foundation.store.table import Missing, Put

from .providers import Challenge, digest

COOKIE = "plenum_flow_"
FLOW_SECONDS = 600
SPENT_SECONDS = 24 * 3600
MAX_FLOWS = 5  # per browser
MAX_PATH_CHARS = 1000
SIGN_IN, LINK, PROVE = "sign in", "link", "prove"
FLOW_LOST = _("This sign-in was already used, took too long, or began in another browser. Please try again.")


class FlowLost(Refusal):
    """There is no sign-in that this answer could belong to."""


@dataclass(frozen=True, slots=True)
class Flow:
    """One sign-in and its purpose. `person` is who has to be signed in when it ends, if it is about their account."""

    provider_id: str
    state: str
    nonce: str
    verifier: str
    purpose: str
    then: str
    person: str

    def challenge(self, began: int) -> Challenge:
        return Challenge(self.state, self.nonce, self.verifier, began, again=self.purpose == PROVE)

    @property
    def cookie(self) -> str:
        return f"{COOKIE}{digest(self.state)[:16]}"


def begin(provider_id: str, purpose: str, then: str = "", person: str = "") -> Flow:
    state, nonce, verifier = (secrets.token_urlsafe(48) for _ in range(3))
    return Flow(provider_id, state, nonce, verifier, purpose, then if len(then) <= MAX_PATH_CHARS else "", person)


def send_there(request: HttpRequest, flow: Flow, respond: Callable[[str], HttpResponse], address: str) -> HttpResponse:
    """Respond with the provider's address, and remember the flow in this browser."""
    response = respond(address)
    earlier = [name for name in request.COOKIES if name.startswith(COOKIE)]
    for name in earlier if len(earlier) >= MAX_FLOWS else ():
        response.delete_cookie(name, path=_path())
    response.set_cookie(
        flow.cookie,
        create_token("sign-in flow", str(int(time.time())), *astuple(flow)),
        max_age=FLOW_SECONDS,
        path=_path(),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response


def take(request: HttpRequest, provider_id: str, state: str) -> tuple[Flow, Challenge]:
    """The flow that the answer belongs to. From then on it is used up, whatever comes of it."""
    cookie = request.COOKIES.get(f"{COOKIE}{digest(state)[:16]}", "")
    values = read_token("sign-in flow", cookie, FLOW_SECONDS) if state else None
    flow = Flow(*values[1:]) if values else None
    if values is None or flow is None or flow.state != state or flow.provider_id != provider_id or not spend(state):
        raise FlowLost(FLOW_LOST)
    return flow, flow.challenge(int(values[0]))


def forget(response: HttpResponse, state: str) -> None:
    response.delete_cookie(f"{COOKIE}{digest(state)[:16]}", path=_path())


def spend(secret: str) -> bool:
    """Mark something as used that works once; false if it was used before."""
    item = {**keys.spent(digest(secret)).item, "ttl": int(time.time()) + SPENT_SECONDS}
    return try_write(Put(item, when=Missing()))


def redirect_uri(provider_id: str) -> str:
    """A page for each provider, so that none can answer in the place of another."""
    return absolute_url(reverse("finish_provider", args=[provider_id]))


def _path() -> str:
    return f"{settings.SESSION_COOKIE_PATH}sign-in/with/"
