"""Personal API tokens: named, with scopes, for a limited time, shown once and stored as a digest.

A token is 256 random bits, so its SHA-256 needs no salt and no slow hash; the beginning of the digest is its public id.
It ends with the credentials it was created under: a new password, signing out everywhere, or another account of the
same name. It never allows more than its owner may do at that moment.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import time
import zlib
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext_lazy as _

from foundation.acts.refusals import NotAllowed, NotThere, TooMany
from foundation.acts.storage import record, table
from foundation.mail import outbox
from foundation.store import keys
from foundation.store.log import Event, as_text, utc_now
from foundation.store.table import Delete, Exists, Item, Missing, Put, StoreError, Update

from . import repository
from .models import User
from .rules import Permission

PREFIX = "plenum_"  # by which scanners for leaked secrets find it
SHAPE = re.compile(rf"{PREFIX}([0-9a-f]{{64}})([0-9a-f]{{8}})")
ID_CHARS = 16
MAX_TOKENS = 20  # of one person
DAYS = (7, 30, 90, 365)


class Scope(StrEnum):
    """What a token may be used for, if its owner may do it."""

    READ = "read"
    ORGANISE = "organise"
    PEOPLE = "people"
    AUDIT = "audit"


# What each scope allows, and who can make use of it.
SCOPES = {
    Scope.READ: (_("Read: see what you can see on this site"), Permission.VIEW_APPLICATION),
    Scope.ORGANISE: (
        _("Organise: create and change elections, polls, posts, questions"),
        Permission.USE_APPLICATION,
    ),
    Scope.PEOPLE: (_("People: see people, and change skills"), Permission.VIEW_APPLICATION),
    Scope.AUDIT: (_("Audit: read the event log"), Permission.VIEW_SECRETS),
}
TOO_MANY = _("You have reached the maximum number of tokens. Revoke one you no longer use.")
UNUSABLE_SCOPES = _("Your role does not allow all of this.")
ALREADY_REVOKED = _("This token has already been revoked.")


@dataclass(frozen=True, slots=True)
class ApiToken:
    id: str
    owner: str
    label: str
    scopes: tuple[str, ...]
    created_at: str
    expires_at: str
    used_on: str  # a day, or empty


def offered_scopes(user: User) -> list[Scope]:
    return [scope for scope, (_label, permission) in SCOPES.items() if user.can(permission)]


def create(user: User, label: str, scopes: Collection[str], days: int) -> str:
    """Create a token and return its text, which cannot be read again."""
    if not set(scopes) <= set(offered_scopes(user)):
        raise NotAllowed(UNUSABLE_SCOPES)
    if len(tokens_of(user)) >= MAX_TOKENS:
        raise TooMany(TOO_MANY)
    secret, now = secrets.token_hex(32), utc_now()
    token_id, expires = _digest(secret)[:ID_CHARS], now + timedelta(days=days)
    item = {
        **keys.api_token(user.name, token_id).item,
        "digest": _digest(secret),
        "credentials": _credentials(user),
        "label": label,
        "scopes": [str(scope) for scope in Scope if scope in scopes],
        "created_at": as_text(now),
        "expires_at": as_text(expires),
        "used_on": "",
        "ttl": int(expires.timestamp()),
    }
    owner = {**keys.api_token_owner(token_id).item, "name": user.name, "ttl": item["ttl"]}
    data = {"name": user.name, "token": token_id, "scopes": item["scopes"], "expires_at": item["expires_at"]}
    notice = outbox.queued("api_token_created", user.email, name=user.name, label=label)
    puts = Put(item, when=Missing()), Put(owner, when=Missing())
    record(Event(user.name, "ApiTokenCreated", data), *puts, repository.is_same_account(user), notice)
    return f"{PREFIX}{secret}{_checksum(secret)}"


def revoke(user: User, token_id: str) -> None:
    place, owner = keys.api_token(user.name, token_id), keys.api_token_owner(token_id)
    event = Event(user.name, "ApiTokenRevoked", {"name": user.name, "token": token_id})
    gone = {0: NotThere(ALREADY_REVOKED)}
    record(event, Delete(place, when=Exists()), Delete(owner), refusals=gone)


def tokens_of(user: User) -> list[ApiToken]:
    """Those that work, newest first."""
    items = (item for item in table().each(keys.api_tokens(user.name)) if _works(item, user))
    return sorted((_token_of(item, user) for item in items), key=lambda token: token.created_at, reverse=True)


def find(user: User, token_id: str) -> ApiToken | None:
    item = table().get(keys.api_token(user.name, token_id))
    return _token_of(item, user) if item and _works(item, user) else None


def authenticate(text: str) -> tuple[User, ApiToken] | None:
    """The owner of a token and the token, if it works now."""
    found = SHAPE.fullmatch(text)
    if found is None or found[2] != _checksum(found[1]):
        return None
    digest = _digest(found[1])
    owner = table().get(keys.api_token_owner(digest[:ID_CHARS]))
    if owner is None:
        return None
    person, place = keys.user(owner["name"]), keys.api_token(owner["name"], digest[:ID_CHARS])
    items = table().get_many([person, place])
    if person not in items or place not in items:
        return None
    user, item = repository.user_of(items[person]), items[place]
    if not _works(item, user) or not constant_time_compare(item["digest"], digest):
        return None
    # To the day, so at most one write a day.
    if item["used_on"] != (today := as_text(utc_now())[:10]):
        with suppress(StoreError):  # it may be revoked by now; and a site that cannot write can still be read
            table().write(Update(keys.api_token(user.name, item["SK"]), set={"used_on": today}, when=Exists()))
    return user, _token_of(item, user)


def _works(item: Item, user: User) -> bool:
    return item["ttl"] > time.time() and constant_time_compare(item["credentials"], _credentials(user))


def _token_of(item: Item, user: User) -> ApiToken:
    plain = (item[name] for name in ("created_at", "expires_at", "used_on"))
    return ApiToken(item["SK"], user.name, item["label"], tuple(item["scopes"]), *plain)


def _digest(secret: str) -> str:
    return hashlib.sha256(f"api token\0{secret}".encode()).hexdigest()


def _checksum(secret: str) -> str:
    """Tells a mistyped token from a revoked one, and a leaked one from other text, without asking the store."""
    return f"{zlib.crc32(secret.encode()):08x}"


def _credentials(user: User) -> str:
    """Changes with a new password, on signing out everywhere, and when the account changes hands."""
    return hashlib.sha256(f"api token under\0{user.session_salt}\0{user.credentials}".encode()).hexdigest()


# --- removing and exporting ---


def delete_tokens(gone: User) -> None:
    for item in table().each(keys.api_tokens(gone.name)):
        table().write(Delete(keys.api_token(gone.name, item["SK"])), Delete(keys.api_token_owner(item["SK"])))


def export(user: User) -> Iterator[Item]:
    """Without their digests."""
    for token in tokens_of(user):
        yield {
            "name": token.label,
            "scopes": list(token.scopes),
            "created_at": token.created_at,
            "expires_at": token.expires_at,
            "last_used_on": token.used_on,
        }
