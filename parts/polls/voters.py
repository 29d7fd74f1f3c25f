"""Identifies voters of a poll without storing who they are, and filters out bots.

A browser is identified by a random number in a signed cookie, an account by its name. Votes are stored under an HMAC of
either with the poll's id and the site's secret: the tables reveal neither whose a vote is nor which votes in two polls
belong to one voter, and a cookie alone does not reveal where its votes are.
"""

from __future__ import annotations

import hmac
import secrets
import time

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from accounts.rules import Permission
from foundation.acts.refusals import Refusal
from foundation.store import keys

from .rules import SIGN_IN_FIRST, Poll

COOKIE = "plenum_voter"
SALT = "polls.voter"
SECONDS_PER_YEAR = 365 * 24 * 3600
PURPOSE = b"plenum: votes in polls"

TRAP = "website"  # a field that people do not see and programs like to fill
STAMP = "shown"  # the field that says when the page was shown
MIN_VOTING_SECONDS = 1.0  # seconds that a person needs at least to rank and press a button
MAX_VOTING_SECONDS = 7 * 24 * 3600

NO_COOKIE = _("Your browser did not keep our cookie, which tells browsers apart. Please press the button again.")


# --- who it is ---


def browser_number(request: HttpRequest) -> str | None:
    return request.get_signed_cookie(COOKIE, default=None, salt=SALT, max_age=SECONDS_PER_YEAR)


def ensure_browser_number(request: HttpRequest) -> str:
    """A new browser gets its number with the response, but the page may need it before."""
    number = browser_number(request) or getattr(request, "new_browser_number", None) or secrets.token_urlsafe(16)
    request.new_browser_number = number
    return number


def set_voter_cookie(request: HttpRequest, answer: HttpResponse) -> HttpResponse:
    if browser_number(request) is None:
        answer.set_signed_cookie(
            COOKIE,
            ensure_browser_number(request),
            salt=SALT,
            max_age=SECONDS_PER_YEAR,
            path=f"{settings.SESSION_COOKIE_PATH}poll/",
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )
    return answer


def may_vote(poll: Poll, user: User) -> bool:
    return not poll.sign_in or (user.is_authenticated and user.can(Permission.VOTE))


def vote_id(request: HttpRequest, poll: Poll) -> str | None:
    """The id of the visitor's vote: one per browser, or per account where voting needs one. None if unknown."""
    if poll.sign_in:
        return id_of(poll.id, account_id(request.user)) if may_vote(poll, request.user) else None
    return browser_id(request, poll.id)


def browser_id(request: HttpRequest, poll_id: str) -> str | None:
    number = browser_number(request)
    return id_of(poll_id, f"browser {number}") if number else None


def required_vote_id(request: HttpRequest, poll: Poll) -> str:
    if not may_vote(poll, request.user):
        raise Refusal(SIGN_IN_FIRST)
    if (own := vote_id(request, poll)) is None:
        raise Refusal(NO_COOKIE)
    return own


def account_id(user: User) -> str:
    """Includes its creation time, so that a later account of the same name has its own vote."""
    return f"account {user.created_at} {keys.fold(user.name)}"


def id_of(poll_id: str, voter: str) -> str:
    key = hmac.digest(settings.SECRET_KEY.encode(), PURPOSE, "sha256")
    return hmac.digest(key, f"{poll_id}\n{voter}".encode(), "sha256").hex()[:32]


# --- whether it is a person ---


def stamp(request: HttpRequest, poll: Poll, now: float | None = None) -> str:
    """Signed record of when the page was shown, and to whom, so that it works in no other browser."""
    milliseconds = round((time.time() if now is None else now) * 1000)
    return signing.dumps([_shown_to(request, poll), milliseconds], salt="polls.shown")


def _shown_to(request: HttpRequest, poll: Poll) -> str:
    """Differs from the vote's id, so that no page reveals where a vote is stored."""
    by_account = poll.sign_in and request.user.is_authenticated
    voter = account_id(request.user) if by_account else f"browser {ensure_browser_number(request)}"
    return id_of(poll.id, f"page of {voter}")


def reused_stamp(request: HttpRequest, poll: Poll) -> str:
    """The stamp of a page that is shown again, or a new one if it is invalid."""
    whose, seconds = _read_stamp(request.POST)
    is_good = seconds is not None and whose == _shown_to(request, poll)
    return request.POST[STAMP] if is_good else stamp(request, poll)


def check_person(request: HttpRequest, poll: Poll) -> None:
    if request.POST.get(TRAP):
        raise Refusal(_("Please leave the hidden field empty and press the button again."))
    whose, seconds = _read_stamp(request.POST)
    if seconds is None:
        raise Refusal(_("This page was open for a long time. Please press the button again."))
    if whose != _shown_to(request, poll):
        raise Refusal(_("This page was opened in another browser. Please check it and press the button again."))
    if seconds < MIN_VOTING_SECONDS:
        raise Refusal(_("That was very fast. Please check your vote and press the button again."))


def _read_stamp(post: QueryDict) -> tuple[str, float | None]:
    """To whom the page was shown, and how many seconds ago; None if that is unknown."""
    try:
        whose, milliseconds = signing.loads(post.get(STAMP, ""), salt="polls.shown", max_age=MAX_VOTING_SECONDS)
    except (signing.BadSignature, ValueError):
        return "", None
    return whose, time.time() - milliseconds / 1000
