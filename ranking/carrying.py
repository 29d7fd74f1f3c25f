"""A ranking on its way from one page to the next, or past a sign-in: carried by the browser alone, for an hour.

It travels encrypted, in a cookie that only the pages of its ballot get, so that neither store nor address nor whoever
uses the device next ever holds it. A mark says whose it is: nobody finds a ranking there that another has sent, nor one
that another site has made them send.
"""

from __future__ import annotations

import base64
import hmac
import zlib
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from urllib.parse import urlencode

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict

PURPOSE = b"plenum: rankings carried by browsers"
COOKIE = "ranking"
WHOSE = "whose"  # the field of a form that has the mark
COOKIE_SECONDS = 3600
MAX_COOKIE_CHARS = 3800  # characters: browsers keep cookies of 4,096
MAX_UNPACKED_BYTES = 100_000  # of what was sent, however small it gets


Fields = Sequence[tuple[str, str]]


def fields_of(form: QueryDict) -> Fields:
    return [(name, value) for name, values in form.lists() for value in values]


def carry(answer: HttpResponse, path: str, whose: str, fields: Fields) -> None:
    """Give the fields to the browser with this answer, for the pages below the path. The longest ballot there can be
    fits; what does not is no ballot."""
    text = _written(fields).encode()[:MAX_UNPACKED_BYTES]
    packed = _lock(settings.SECRET_KEY).encrypt(whose.encode() + b"\n" + zlib.compress(text)).decode()
    if len(packed) <= MAX_COOKIE_CHARS:
        safe = {"httponly": True, "secure": settings.SESSION_COOKIE_SECURE, "samesite": "Lax"}
        answer.set_cookie(COOKIE, packed, path=path, **safe)


def _written(fields: Fields) -> str:
    """As a form is sent. Ballots have nothing in them to be escaped, which takes longer to do than to see."""
    letters = "".join(chain.from_iterable(fields)).replace("-", "").replace("_", "")
    if letters.isascii() and letters.isalnum():
        return "&".join([f"{name}={value}" for name, value in fields])
    return urlencode(fields)


def carried(request: HttpRequest, whose: str) -> QueryDict | None:
    """What the browser carries of this person."""
    try:
        packed = _lock(settings.SECRET_KEY).decrypt(request.COOKIES.get(COOKIE, ""), ttl=COOKIE_SECONDS)
    except InvalidToken:
        return None
    mark, _, text = packed.partition(b"\n")
    if not hmac.compare_digest(mark, whose.encode()):
        return None
    return QueryDict(zlib.decompressobj().decompress(text, MAX_UNPACKED_BYTES))


def put_down(answer: HttpResponse, path: str) -> None:
    answer.delete_cookie(COOKIE, path=path, samesite="Lax")


@lru_cache(1)
def _lock(secret: str) -> Fernet:
    key = hmac.digest(secret.encode(), PURPOSE, "sha256")
    return Fernet(base64.urlsafe_b64encode(key))
