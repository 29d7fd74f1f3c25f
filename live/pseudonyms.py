"""Under which name an answer lies: the player's own, or where nobody is to know, one that nobody can trace.

An anonymous round has a salt. While it is open, salt and site's secret together find a player's own answer again, so
that it can be changed. The transaction that seals the round destroys the salt.
"""

from __future__ import annotations

import hmac
import secrets

from django.conf import settings

PURPOSE = b"plenum: pseudonyms of players"


def new_salt() -> bytes:
    return secrets.token_bytes(32)


def pseudonym(salt: bytes | None, player: str) -> str:
    """The player themselves, where the round has no salt."""
    if salt is None:
        return player
    key = hmac.digest(settings.SECRET_KEY.encode(), PURPOSE + salt, "sha256")
    return hmac.digest(key, player.encode(), "sha256").hex()[:32]
