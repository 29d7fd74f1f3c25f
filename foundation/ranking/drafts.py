"""The key under which a browser stores an unfinished ranking: it names no one and belongs to one session.

Every page has a mark of its session. A browser drops drafts with any other mark (see page.js): when the person signs
out, when another signs in, and when a session has expired.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from hashlib import blake2b, sha256

from django.conf import settings
from django.http import HttpRequest

PURPOSE = b"plenum: drafts"  # at most 16 bytes
STRANGER = "stranger"
GUEST_COOKIE = (
    "plenum_pass"  # the cookie of who votes by a link (ballots.passes); it begins with a number of the browser
)


def key(request: HttpRequest, *about: str) -> str:
    """Empty where nothing may stay on the device: in the booth of a polling station."""
    if getattr(request, "booth", None):
        return ""
    whose = session_mark(request)
    return f"draft {whose} {_hash(whose, *about)}"


def text_key(request: HttpRequest, *about: str) -> str:
    """For longer texts, which wait in their tab until the same person has signed in again."""
    whose = person_mark(request.user.name)
    return f"text {whose} {_hash(whose, *about)}"


def person_mark(name: str, *about: str) -> str:
    """A mark of a person across sessions: for everything they do, or for one thing."""
    return _hash("person", name, *about)


def session_mark(request: HttpRequest) -> str:
    """Of a session; without one, of a browser that votes by a link, as long as it holds what that gave it."""
    if request.user.is_authenticated:
        return _hash(request.session.session_key or "")
    guest = request.COOKIES.get(GUEST_COOKIE, "").partition("~")[0]
    return _hash("guest", guest) if guest else STRANGER


def _hash(*words: str) -> str:
    """With BLAKE2's own key: four of these on a ballot page took 3 per cent of its processor time as HMACs."""
    key = _key(settings.SECRET_KEY)
    return blake2b("\n".join(words).encode(), key=key, person=PURPOSE, digest_size=16).hexdigest()


@lru_cache(1)
def _key(secret: str) -> bytes:
    return sha256(secret.encode()).digest()


def page_context(request: HttpRequest) -> dict[str, Callable[[], str]]:
    """For every page's head. It is made only where it is shown: not on a page that says that the store is away."""
    return {"drafts": cache(lambda: session_mark(request))}
