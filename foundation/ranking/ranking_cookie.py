"""A ranking on its way from one page to the next, or past a sign-in: carried by the browser alone, for an hour.

It travels encrypted, in a cookie sent only to the pages of its ballot, so that neither the store, nor a URL, nor the
next user of the device ever holds it. A mark says whose it is, so that voters never see a ranking that another person
sent, or that another site made them send.
"""

from __future__ import annotations

import hmac
import secrets
import time
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from functools import lru_cache

import orjson
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.datastructures import MultiValueDict

PURPOSE = b"plenum: rankings carried by browsers"
COOKIE = "ranking"
OWNER_FIELD = "whose"  # the field of a form that has the mark
COOKIE_SECONDS = 3600
MAX_COOKIE_CHARS = 3800  # browsers keep cookies of 4,096
MAX_UNPACKED_BYTES = 100_000
TIME_BYTES, NONCE_BYTES = 4, 12


def save(answer: HttpResponse, path: str, whose: str, fields: MultiValueDict) -> None:
    """Set the cookie for the pages below the path. The longest possible ballot fits; anything longer is no ballot."""
    text = orjson.dumps(dict(fields.lists()))
    if len(text) > MAX_UNPACKED_BYTES:
        return
    now, nonce = int(time.time()).to_bytes(TIME_BYTES), secrets.token_bytes(NONCE_BYTES)
    locked = _cipher(settings.SECRET_KEY).encrypt(nonce, zlib.compress(text), now + whose.encode())
    cookie = urlsafe_b64encode(now + nonce + locked).decode()
    if len(cookie) <= MAX_COOKIE_CHARS:
        safe = {"httponly": True, "secure": settings.SESSION_COOKIE_SECURE, "samesite": "Lax"}
        answer.set_cookie(COOKIE, cookie, path=path, **safe)


def load(request: HttpRequest, whose: str) -> MultiValueDict | None:
    """What the browser carries of this person."""
    try:
        sent = urlsafe_b64decode(request.COOKIES.get(COOKIE, ""))
        when, nonce, locked = sent[:TIME_BYTES], sent[TIME_BYTES:][:NONCE_BYTES], sent[TIME_BYTES + NONCE_BYTES :]
        text = _cipher(settings.SECRET_KEY).decrypt(nonce, locked, when + whose.encode())
    except (InvalidTag, ValueError):
        return None
    if time.time() - int.from_bytes(when) > COOKIE_SECONDS:
        return None
    return MultiValueDict(orjson.loads(zlib.decompress(text)))


def clear(answer: HttpResponse, path: str) -> None:
    answer.delete_cookie(COOKIE, path=path, samesite="Lax")


@lru_cache(1)
def _cipher(secret: str) -> AESGCM:
    return AESGCM(hmac.digest(secret.encode(), PURPOSE, "sha256"))
