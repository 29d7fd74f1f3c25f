"""Words that we have signed for one purpose, and for how long they are good."""

from __future__ import annotations

from django.core import signing

DAY = 24 * 3600


def sign(purpose: str, *words: str) -> str:
    return signing.dumps(list(words), salt=f"accounts.{purpose}", compress=True)


def read(purpose: str, token: str, seconds: int) -> list[str] | None:
    """The words that were signed for this purpose, if it is not too long ago."""
    try:
        words = signing.loads(token, salt=f"accounts.{purpose}", max_age=seconds)
    except signing.BadSignature:
        return None
    return words if isinstance(words, list) and all(isinstance(word, str) for word in words) else None
