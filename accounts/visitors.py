"""Visitors: their network address, their device, and which accounts have signed in on their browser before.

A browser that signs in gets a cookie with a token for that account: a random number with a MAC. It opens nothing; it
only tells a known device from a stranger guessing passwords. A new password, or signing out everywhere, voids it.
"""

from __future__ import annotations

import re
import secrets
import time
from dataclasses import asdict, dataclass
from typing import Any

from django.conf import settings
from django.contrib import auth
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.http import url_has_allowed_host_and_scheme, urlencode

from foundation.pages.client_address import client_network
from foundation.store import keys

from .models import User

COOKIE = "plenum_known"
SECONDS_PER_YEAR = 365 * 24 * 3600
PROOF_SECONDS = 600
MAX_REMEMBERED_ACCOUNTS = 5  # per browser, most recent sign-in first

# What a browser's User-Agent contains, the most specific first, and what people call it if that differs.
BROWSERS = ("Edg", "OPR", "Firefox", "Chrome", "Safari")
SYSTEMS = ("iPhone", "iPad", "Android", "Windows", "Mac OS X", "CrOS", "Linux")
LABELS = {"Edg": "Edge", "OPR": "Opera", "Mac OS X": "macOS", "CrOS": "ChromeOS"}


class Anonymous(AnonymousUser):
    """Django's anonymous user, with the properties templates ask of a person: nothing is allowed."""

    can_look = can_vote = can_run_elections = can_audit = can_manage_people = is_owner = False
    has_no_way_in = False


def user_context(request: HttpRequest) -> dict[str, Any]:
    """The reader, for every page. A request can fail before its user was looked up."""
    return {"user": request.user if hasattr(request, "user") else Anonymous()}


@dataclass(frozen=True, slots=True)
class Visitor:
    address: str
    device_tokens: tuple[str, ...] = ()

    def device(self, user: User) -> str:
        """This browser's number for the account; empty if it has not signed in before."""
        numbers = (token.partition(".")[0] for token in self.device_tokens)
        known = zip(self.device_tokens, numbers, strict=True)
        return next(
            (number for token, number in known if constant_time_compare(token, _device_token(number, user))), ""
        )


def visitor(request: HttpRequest) -> Visitor:
    tokens = request.COOKIES.get(COOKIE, "").split("~")[:MAX_REMEMBERED_ACCOUNTS]
    return Visitor(client_network(request), tuple(filter(None, tokens)))


def throttle_key(request: HttpRequest) -> str:
    """The account if signed in, so that others behind the same address cannot use up its limit; else the address."""
    return f"account {request.user.name}" if request.user.is_authenticated else client_network(request)


def remember_browser(request: HttpRequest, response: HttpResponse, user: User) -> None:
    """Make this browser known to the account; it stays known to other accounts."""
    known = visitor(request)
    number = known.device(user) or secrets.token_hex(8)
    others = [token for token in known.device_tokens if not token.startswith(f"{number}.")]
    response.set_cookie(
        COOKIE,
        "~".join([_device_token(number, user), *others][:MAX_REMEMBERED_ACCOUNTS]),
        max_age=SECONDS_PER_YEAR,
        path=settings.SESSION_COOKIE_PATH,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _device_token(number: str, user: User) -> str:
    message = f"{number} {keys.fold(user.name)} {user.session_salt}"
    return f"{number}.{salted_hmac('accounts.visitors', message, algorithm='sha256').hexdigest()[:32]}"


@dataclass(frozen=True, slots=True)
class Source:
    """The identity at a provider that a person has signed in with; the keys are digests."""

    provider: str
    key: str
    session: str = ""  # at the provider, if it named one
    is_strong: bool = False  # whether the provider used a second factor
    proved_at: int = 0  # when they last proved to the provider who they are, as far as it says


def start_session(request: HttpRequest, user: User, source: Source | None = None) -> None:
    """Sign a person in, under a new session key."""
    auth.login(request, user, backend="accounts.backends.NameOrEmail")
    request.signed_in_now = user  # tells the middleware to remember this browser for the account
    request.session["device"] = device_label(request.headers.get("User-Agent", ""))
    if source:
        request.session["source"] = asdict(source)
        request.session["proved_at"] = source.proved_at


def remember_proof(request: HttpRequest) -> None:
    request.session["proved_at"] = int(time.time())


def has_proved_identity(request: HttpRequest) -> bool:
    """Whether they proved who they are a moment ago, here or at their provider: as good as typing a password. Coming
    from a provider that remembers its own browsers proves nothing."""
    return bool(time.time() - request.session.get("proved_at", 0) < PROOF_SECONDS)


def redirect_to_proof(then: str) -> HttpResponse:
    """To the page where they can prove who they are without a password, and from there back to where they were."""
    return redirect(f"{reverse('prove_identity')}?{urlencode({'next': then})}")


def local_path(request: HttpRequest) -> str:
    """Where the person wanted to go, if it is on this site."""
    address = request.POST.get("next") or request.GET.get("next") or ""
    ours = url_has_allowed_host_and_scheme(address, {request.get_host()}, require_https=request.is_secure())
    return address if ours else ""


def device_label(user_agent: str) -> str:
    """`Firefox, Linux`; the empty string if it says nothing we know."""
    browser = next((name for name in BROWSERS if re.search(rf"{name}\w*/", user_agent)), "")
    system = next((name for name in SYSTEMS if name in user_agent), "")
    return ", ".join(LABELS.get(name, name) for name in (browser, system) if name)
