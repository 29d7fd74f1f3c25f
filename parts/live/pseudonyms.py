"""Pseudonyms under which anonymous answers are stored.

An anonymous round has a salt. While it is open, salt and site secret identify a player's own answer, so that it can be
changed. The transaction that seals the round destroys the salt.
"""

from __future__ import annotations

import hmac
import secrets

from django.conf import settings

PURPOSE = b"plenum: pseudonyms of players"
HOLDERS = b"plenum: devices that hold a vote"


def new_salt() -> bytes:
    return secrets.token_bytes(32)


def pseudonym(salt: bytes | None, player: str) -> str:
    """The player's pseudonym; their id if the round has no salt."""
    return player if salt is None else _keyed(PURPOSE, salt, player)


def device_hash(salt: bytes | None, secret: str) -> str:
    """Identifies the device that gave an answer; `secret` is the digest that the seat stores.

    An unkeyed digest would link the answer to its seat, so it is keyed like the pseudonym.
    """
    return "" if salt is None else _keyed(HOLDERS, salt, secret)


def _keyed(purpose: bytes, salt: bytes, word: str) -> str:
    key = hmac.digest(settings.SECRET_KEY.encode(), purpose + salt, "sha256")
    return hmac.digest(key, word.encode(), "sha256").hex()[:32]
