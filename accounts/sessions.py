"""Sessions in the table: named by a digest, deleted on expiry, read together with the person in one round trip.

The cookie holds the person's name and a random key. Only the key's digest is stored, in the person's partition, so the
person and the session are fetched together and all sessions of a person are one query. The name in the cookie proves
nothing: it only says where to look.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import secrets
import time
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.base import SessionBase, UpdateError

from foundation.acts.storage import now_text, table
from foundation.store import keys
from foundation.store.table import Delete, Exists, Item, Key, Put, Refused, Unwritable

from . import repository
from .models import User

LAST_SEEN_INTERVAL_SECONDS = 600  # between two updates of "last seen"
ANONYMOUS = ""


class SessionStore(SessionBase):
    """Django's session interface on our table."""

    _session_key: str | None

    def __init__(self, session_key: str | None = None):
        self._session_key = session_key
        self.accessed = self.modified = False
        self.user: User | None = None
        self.item: Item | None = None

    def load(self) -> dict[str, Any]:
        owner, secret = _read_cookie(self.session_key or "")
        place = keys.session(owner, _digest(secret))
        wanted = [place, keys.user(owner)] if owner else [place]
        found = table().get_many(wanted)
        self.item = found.get(place)
        if self.item is None:
            self._session_key = None
            return {}
        if person := found.get(keys.user(owner)) if owner else None:
            self.user = repository.user_of(person)
        if time.time() - self.item["seen"] > LAST_SEEN_INTERVAL_SECONDS:
            self.modified = True
        return dict(self.item["contents"])

    def create(self) -> None:
        """A fresh key; it is stored with the response, because only then is its owner known."""
        self._session_key = _write_cookie(ANONYMOUS, secrets.token_urlsafe(32))
        self.item = None
        self.modified = True

    def save(self, must_create: bool = False) -> None:
        if self.session_key is None:
            self.create()
        contents = dict(self.items())
        _, secret = _read_cookie(self.session_key or "")
        owner = contents.get(SESSION_KEY, ANONYMOUS)
        self._session_key = _write_cookie(owner, secret)
        place = keys.session(owner, _digest(secret))
        now = int(time.time())
        before = self.item or {"created_at": now_text(), "device": contents.get("device", "")}
        item = {
            **place.item,
            "created_at": before["created_at"],
            "device": before["device"],
            "seen": now,
            "ttl": now + self.get_expiry_age(),
            "contents": contents,
        }
        if at_provider := contents.get("source", {}).get("session"):
            item |= keys.session_at_provider(at_provider, place)
        # Do not bring back a session that was ended elsewhere during this request.
        try:
            table().write(Put(item, when=Exists() if self.item else None))
        except Refused:
            raise UpdateError from None
        except Unwritable:
            if self.item is None or contents != self.item["contents"]:
                raise
            return  # only "last seen" is lost: no reason to fail the page
        self.item = item

    def exists(self, session_key: str) -> bool:
        return table().get(_key(session_key)) is not None

    def delete(self, session_key: str | None = None) -> None:
        if key := session_key or self.session_key:
            table().write(Delete(_key(key)))

    @classmethod
    def clear_expired(cls) -> None:
        table().sweep()


def sessions_of(name: str) -> list[Item]:
    """All sessions of a person, most recently seen first."""
    return sorted(table().each(keys.sessions(name)), key=lambda item: -int(item["seen"]))


def end_sessions_at_provider(session_key: str) -> int:
    """End all sessions that began with one at a provider; returns how many."""
    return _delete(list(table().each(keys.sessions_at_provider(session_key))))


def end_sessions_of_identity(name: str, identity_key: str, except_for: str = "") -> int:
    """End all sessions of a person that began with this identity; returns how many."""
    theirs = (each for each in sessions_of(name) if each["contents"].get("source", {}).get("key") == identity_key)
    return _delete([each for each in theirs if each["SK"] != except_for])


def _delete(sessions: list[Item]) -> int:
    for each in sessions:
        table().write(Delete(Key(each["PK"], each["SK"])))
    return len(sessions)


def _key(session_key: str) -> Key:
    owner, secret = _read_cookie(session_key)
    return keys.session(owner, _digest(secret))


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _write_cookie(owner: str, secret: str) -> str:
    return f"{base64.urlsafe_b64encode(owner.encode()).decode().rstrip('=')}.{secret}"


def _read_cookie(cookie: str) -> tuple[str, str]:
    owner, _, secret = cookie.partition(".")
    try:
        return base64.urlsafe_b64decode(owner + "=" * (-len(owner) % 4)).decode(), secret
    except (binascii.Error, ValueError):
        return ANONYMOUS, secret
