"""A pass: issued to a browser by the button behind a link, it opens the ballot of that one election.

It is a signed cookie of its own: no session and no account. It opens the voter's pages in the election that the link
was sent for, and nothing else. A browser holds the passes of a few elections, for a day: then the link gives another. A
pass is valid beside the account that was signed in when it was issued, or beside none: people who sign in vote as
themselves, and signing out leaves no pass behind.

A mail can be read by others, so a link, or a pass, never shows how its voter has voted: it can only replace or withdraw
that ballot.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from accounts.models import User
from elections.invitations.voting_link import Link
from elections.rules import Election
from foundation.acts.tokens import SECONDS_PER_DAY, create_token, read_token
from foundation.ranking.drafts import GUEST_COOKIE as COOKIE
from foundation.store import keys

from .secret import of_link

PASS_SECONDS = SECONDS_PER_DAY
MAX_PASSES = 5  # passes of one browser; the newest come first
MAX_COOKIE_CHARS = 3500  # characters of all of them: browsers keep cookies of 4,096
LINK_FIELDS = len(fields(Link))


@dataclass(frozen=True, slots=True)
class Pass:
    """The right to vote as one voter in one election."""

    link: Link
    account_mark: str = ""  # a mark of the account that was signed in when it was given
    channel: str = ""  # one of WITHOUT_MAIL, if it was not a mail that led here; stored nowhere else
    label: str = ""  # what pages call the voter

    @property
    def secret(self) -> str:
        """Of the ballots that are cast with it. The secrets of letters and stations can be derived, or are seen by
        others: with those, each ballot draws a secret of its own, as for people who are signed in."""
        return "" if self.channel else of_link(self.link.secret)

    @property
    def voter(self) -> str:
        return self.link.voter

    def is_of(self, election_name: str) -> bool:
        return keys.fold(self.link.election_name) == keys.fold(election_name)


def pass_for_election(request: HttpRequest, name: str) -> Pass | None:
    """The pass by which this browser may vote in the election."""
    held = (each for each in passes_in(request) if each.account_mark == _account_mark(request.user))
    return next((each for each in held if each.is_of(name)), None)


def passes_in(request: HttpRequest) -> list[Pass]:
    """The browser's valid passes."""
    found = (read_token("voting pass", each, PASS_SECONDS) for each in _cookie_parts(request)[1:])
    return [Pass(Link(*parts[:LINK_FIELDS]), *parts[LINK_FIELDS:]) for parts in found if parts]


def issue_pass(
    request: HttpRequest, answer: HttpResponse, link: Link, election: Election, channel: str = "", label: str = ""
) -> None:
    issued = Pass(link, _account_mark(request.user), channel, label)
    _set_cookie(request, answer, [issued, *(each for each in passes_in(request) if not each.is_of(election.name))])


def drop_pass(request: HttpRequest, answer: HttpResponse, name: str) -> None:
    """So that the next person on this device does not vote in their name."""
    gone = pass_for_election(request, name)
    _set_cookie(request, answer, [each for each in passes_in(request) if each != gone and not each.is_of(name)])


def drop_all_passes(request: HttpRequest, answer: HttpResponse) -> None:
    _set_cookie(request, answer, [])


def _cookie_parts(request: HttpRequest) -> list[str]:
    return request.COOKIES.get(COOKIE, "").split("~")[: MAX_PASSES + 1]


def _set_cookie(request: HttpRequest, answer: HttpResponse, passes: Iterable[Pass]) -> None:
    """A random number of the browser comes first, by which pages recognise its unfinished ballots."""
    number = _cookie_parts(request)[0][:32] or secrets.token_hex(8)
    tokens = [
        create_token("voting pass", *astuple(each.link), each.account_mark, each.channel, each.label)
        for each in list(passes)[:MAX_PASSES]
    ]
    while len(text := "~".join([number, *tokens])) > MAX_COOKIE_CHARS and len(tokens) > 1:
        tokens.pop()
    place = {"path": settings.SESSION_COOKIE_PATH, "samesite": "Lax"}
    if tokens:
        answer.set_cookie(COOKIE, text, secure=settings.SESSION_COOKIE_SECURE, httponly=True, **place)
    elif COOKIE in request.COOKIES:
        answer.delete_cookie(COOKIE, **place)


def _account_mark(user: User) -> str:
    """Identifies the signed-in account without naming it; changes after signing out everywhere."""
    if not user.is_authenticated:
        return ""
    parts = f"{keys.fold(user.name)}\n{user.created_at}\n{user.session_salt}"
    return salted_hmac("ballots.passes", parts, algorithm="sha256").hexdigest()[:16]
