"""Random letters, drawn many at once."""

from __future__ import annotations

import secrets


def drawn(number: int, alphabet: str) -> str:
    """So many letters, each of them any of the alphabet with the same chance: bytes past its last multiple, which would
    favour its first letters, are thrown away."""
    size = len(alphabet)
    most = 256 // size * size
    letters = ""
    while len(letters) < number:
        letters += "".join([alphabet[byte % size] for byte in secrets.token_bytes(2 * number) if byte < most])
    return letters[:number]
