"""Who is at the door: where they come from, and which accounts have signed in on their browser before.

A browser that has signed in gets a cookie with a mark for that account: a random number, and a MAC of it that only this
account's devices can have. It opens nothing. It only says that this is no stranger guessing, and it is worth nothing
after a new password or after signing out everywhere. Whoever never signed in has none.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from django.conf import settings
from django.contrib import auth
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare, salted_hmac

from acts.hooks import Hooks
from pages.client_address import client_network
from store import keys

from .devices import device
from .models import User

SIGNING_OUT = Hooks[[HttpRequest, HttpResponse], None]("with the answer to somebody who signs out")

COOKIE = "plenum_known"
SECONDS_PER_YEAR = 365 * 24 * 3600
MAX_REMEMBERED_ACCOUNTS = 5  # on one browser; the one that signed in last comes first


@dataclass(frozen=True, slots=True)
class Visitor:
    address: str
    marks: tuple[str, ...] = ()

    def device(self, user: User) -> str:
        """The number of this browser for the account, or the empty string if it has not signed in before."""
        numbers = (mark.partition(".")[0] for mark in self.marks)
        known = zip(self.marks, numbers, strict=True)
        return next((number for mark, number in known if constant_time_compare(mark, _mark(number, user))), "")


def visitor(request: HttpRequest) -> Visitor:
    marks = request.COOKIES.get(COOKIE, "").split("~")[:MAX_REMEMBERED_ACCOUNTS]
    return Visitor(client_network(request), tuple(filter(None, marks)))


def counted_as(request: HttpRequest) -> str:
    """Whose acts are counted where only so many are allowed: the account's of somebody who is signed in, so that others
    behind the same address cannot use them up; else those of the address."""
    return f"account {request.user.name}" if request.user.is_authenticated else client_network(request)


def remember(request: HttpRequest, response: HttpResponse, user: User) -> None:
    """From now on this browser is known to the account; to others it was known to before, it stays so."""
    known = visitor(request)
    number = known.device(user) or secrets.token_hex(8)
    others = [mark for mark in known.marks if not mark.startswith(f"{number}.")]
    response.set_cookie(
        COOKIE,
        "~".join([_mark(number, user), *others][:MAX_REMEMBERED_ACCOUNTS]),
        max_age=SECONDS_PER_YEAR,
        path=settings.SESSION_COOKIE_PATH,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _mark(number: str, user: User) -> str:
    words = f"{number} {keys.fold(user.name)} {user.session_salt}"
    return f"{number}.{salted_hmac('accounts.visitors', words, algorithm='sha256').hexdigest()[:32]}"


def start_session(request: HttpRequest, user: User) -> None:
    """Sign somebody in, under a new session key."""
    auth.login(request, user, backend="accounts.backends.NameOrEmail")
    request.signed_in_now = user  # the middleware lets this browser be known to the account
    request.session["device"] = device(request.headers.get("User-Agent", ""))
