"""Random letters, drawn many at once."""

from __future__ import annotations

import secrets
from functools import lru_cache


def drawn(number: int, alphabet: str) -> str:
    """So many letters, each of them any of the alphabet with the same chance: bytes past its last multiple, which would
    favour its first letters, are thrown away."""
    table, past = _by_byte(alphabet)
    letters = b""
    while len(letters) < number:
        letters += secrets.token_bytes(2 * number).translate(table, past)
    return letters[:number].decode()


@lru_cache
def _by_byte(alphabet: str) -> tuple[bytes, bytes]:
    """Which letter a byte stands for, and the bytes that stand for none."""
    size = len(alphabet)
    return bytes(ord(alphabet[byte % size]) for byte in range(256)), bytes(range(256 // size * size, 256))
