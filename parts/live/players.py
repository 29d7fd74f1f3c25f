"""Identifies the player behind a request by a signed seat cookie, valid for one session.

The cookie holds the player's id, the device number and a secret whose digest the seat stores. Several devices may have
the cookie of one seat; only the newest one plays, and the others show a notice.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from foundation.acts.storage import table
from foundation.acts.tokens import create_token, read_token
from foundation.pages.times import from_text
from foundation.store import keys
from foundation.store.table import Item, Key

from .rules import Game
from .seats import Seat, seat_from_item

SEAT_COOKIE_SECONDS = 15 * 24 * 3600  # as long as session data is kept
MAX_DECRYPTED, DECRYPTED_SECONDS = 4_000, 600  # cookies kept decrypted in a process, and for how long
MAX_COOKIE_CHARS = 300  # ours have about half of that; longer ones would only take memory
DEVICE_LINK_SECONDS = 600  # validity of a link to another device
FORM_TOKEN = re.compile(r"[\w-]{22,64}", re.ASCII)  # in the join form


@dataclass(frozen=True, slots=True)
class Pass:
    """Contents of the seat cookie."""

    player: str
    device: str
    secret: str


@dataclass(frozen=True, slots=True)
class Player:
    """A seat holder, requesting from one of their devices."""

    seat: Seat
    is_newest: bool  # whether no other device has taken the seat since

    @property
    def plays(self) -> bool:
        """Whether they may answer from this device."""
        return self.is_newest and self.seat.plays and not self.seat.left


# --- finding ---


def find(request: HttpRequest, game_id: str) -> Player | None:
    place = seat_key(request, game_id)
    item = table().get(place) if place else None
    return _player(request, game_id, item)


def seat_key(request: HttpRequest, game_id: str) -> Key | None:
    """Key of the requester's seat, from the cookie alone, so that it can be read in a batch."""
    held = pass_of(request, game_id)
    return keys.seat(game_id, held.player) if held else None


def from_items(request: HttpRequest, game_id: str, found: Mapping[Key, Item]) -> Player | None:
    """The player behind the request, if the seat was already read in a batch."""
    place = seat_key(request, game_id)
    return _player(request, game_id, found.get(place)) if place else None


def pass_of(request: HttpRequest, game_id: str) -> Pass | None:
    """The verified cookie for this session, cached on the request."""
    known: dict[str, Pass | None] = request.__dict__.setdefault("live_passes", {})
    if game_id not in known:
        cookie = request.COOKIES.get(cookie_name(game_id), "")
        turn = int(time.time()) // DECRYPTED_SECONDS
        known[game_id] = _decrypted(game_id, cookie, turn) if len(cookie) <= MAX_COOKIE_CHARS else None
    return known[game_id]


@lru_cache(MAX_DECRYPTED)
def _decrypted(game_id: str, cookie: str, turn: int) -> Pass | None:
    """Decrypting takes as long as reading the seat, and a phone sends the same cookie with every answer. `turn` changes
    every ten minutes, so that an old cookie expires."""
    words = read_token(_purpose(game_id), cookie, SEAT_COOKIE_SECONDS)
    return Pass(*words) if words is not None and len(words) == 3 else None


def _player(request: HttpRequest, game_id: str, item: Item | None) -> Player | None:
    held = pass_of(request, game_id)
    if held is None or item is None:
        return None
    seat = seat_from_item(item)
    if not hmac.compare_digest(seat.secret, digest(held.secret)):
        return None
    return Player(seat, seat.device == held.device)


# --- the cookie ---


def cookie_name(game_id: str) -> str:
    return f"plenum_seat_{game_id}"


def _purpose(game_id: str) -> str:
    return f"seat in {game_id}"


def set_seat_cookie(answer: HttpResponse, game: Game, held: Pass) -> HttpResponse:
    """Give this browser the seat."""
    answer.set_cookie(
        cookie_name(game.id),
        create_token(_purpose(game.id), held.player, held.device, held.secret),
        expires=from_text(game.gone_at),
        path=f"{settings.SESSION_COOKIE_PATH}live/{game.id}/",
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return answer


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def new_device() -> str:
    return secrets.token_urlsafe(6)


# --- the form for joining ---


def new_form() -> str:
    return secrets.token_urlsafe(16)


def pass_of_form(form: str) -> Pass | None:
    """Derive the seat from the form token, so that submitting the same form twice is idempotent."""
    if not FORM_TOKEN.fullmatch(form):
        return None
    return Pass(_derived(form, "player")[:10], _derived(form, "device")[:8], _derived(form, "secret")[:22])


def _derived(form: str, what: str) -> str:
    mark = hmac.digest(form.encode(), f"plenum: {what}".encode(), "sha256")
    return urlsafe_b64encode(mark).decode().rstrip("=")


# --- on to another device ---


def link_of(game: Game, held: Pass) -> str:
    """Token by which another device takes over the seat: short-lived, and void once a device has."""
    return create_token(f"seat elsewhere in {game.id}", held.player, held.device, held.secret)


def pass_of_link(game_id: str, token: str) -> Pass | None:
    words = read_token(f"seat elsewhere in {game_id}", token, DEVICE_LINK_SECONDS)
    return Pass(*words) if words is not None and len(words) == 3 else None
