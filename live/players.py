"""Identifies the player behind a request by a signed seat cookie, valid for one session.

The cookie holds the player's id, the device number and a secret whose digest the seat stores. Several devices may have
the cookie of one seat; only the newest one plays, and the others are told so.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from acts.storage import table
from acts.tokens import create_token, read_token
from pages.times import from_text
from store import keys
from store.table import Item, Key

from .rules import Game
from .seats import Seat, seat_from_item

SEAT_COOKIE_SECONDS = 15 * 24 * 3600  # as long as anything of a session is kept
DEVICE_LINK_SECONDS = 600  # for which a link to another device is good
FORM_TOKEN = re.compile(r"[\w-]{22,64}", re.ASCII)  # what the form for joining carries


@dataclass(frozen=True, slots=True)
class Pass:
    """What the cookie holds."""

    player: str
    device: str
    secret: str


@dataclass(frozen=True, slots=True)
class Player:
    """Somebody who has a seat, and asks from a device that is theirs."""

    seat: Seat
    is_newest: bool  # whether no other device has taken the seat since

    @property
    def plays(self) -> bool:
        """Whether they may answer from here."""
        return self.is_newest and self.seat.plays and not self.seat.left


# --- finding ---


def find(request: HttpRequest, game_id: str) -> Player | None:
    place = seat_key(request, game_id)
    item = table().get(place) if place else None
    return _player(request, game_id, item)


def seat_key(request: HttpRequest, game_id: str) -> Key | None:
    """Where the seat of whoever asks lies, without asking the table: so that it can be read with other things."""
    held = pass_of(request, game_id)
    return keys.seat(game_id, held.player) if held else None


def from_items(request: HttpRequest, game_id: str, found: Mapping[Key, Item]) -> Player | None:
    """Who asks, where the seat was read along with other things."""
    place = seat_key(request, game_id)
    return _player(request, game_id, found.get(place)) if place else None


def pass_of(request: HttpRequest, game_id: str) -> Pass | None:
    """What the cookie says; one of another session says nothing here. A request is asked several times."""
    known: dict[str, Pass | None] = request.__dict__.setdefault("live_passes", {})
    if game_id not in known:
        words = read_token(_purpose(game_id), request.COOKIES.get(cookie_name(game_id), ""), SEAT_COOKIE_SECONDS)
        known[game_id] = Pass(*words) if words is not None and len(words) == 3 else None
    return known[game_id]


def _player(request: HttpRequest, game_id: str, item: Item | None) -> Player | None:
    held = pass_of(request, game_id)
    if held is None or item is None:
        return None
    seat = seat_from_item(item)
    if not hmac.compare_digest(seat.secret, digest(held.secret)):
        return None
    return Player(seat, seat.device == held.device)


def claimed_seat(request: HttpRequest, game_id: str) -> Seat | None:
    """The seat that this browser asks for, and has not been given."""
    held = pass_of(request, game_id)
    item = table().get(keys.seat(game_id, held.player)) if held else None
    seat = seat_from_item(item) if item else None
    is_asked = held and seat and seat.claim and hmac.compare_digest(seat.claim, digest(held.secret))
    return seat if is_asked else None


# --- the cookie ---


def cookie_name(game_id: str) -> str:
    return f"plenum_seat_{game_id}"


def _purpose(game_id: str) -> str:
    return f"seat in {game_id}"


def set_seat_cookie(answer: HttpResponse, game: Game, held: Pass) -> HttpResponse:
    """From now on this browser has the seat."""
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
    """Who sends the form becomes: the same form sent twice finds its own seat, and nobody else's form does."""
    if not FORM_TOKEN.fullmatch(form):
        return None
    return Pass(_derived(form, "player")[:10], _derived(form, "device")[:8], _derived(form, "secret")[:22])


def _derived(form: str, what: str) -> str:
    mark = hmac.digest(form.encode(), f"plenum: {what}".encode(), "sha256")
    return urlsafe_b64encode(mark).decode().rstrip("=")


# --- on to another device ---


def link_of(game: Game, held: Pass) -> str:
    """By which another device takes the seat: soon, and as long as no other has."""
    return create_token(f"seat elsewhere in {game.id}", held.player, held.device, held.secret)


def pass_of_link(game_id: str, token: str) -> Pass | None:
    words = read_token(f"seat elsewhere in {game_id}", token, DEVICE_LINK_SECONDS)
    return Pass(*words) if words is not None and len(words) == 3 else None
