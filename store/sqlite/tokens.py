"""Idempotency tokens: a write that is repeated with its token has happened already.

Only the holder of a token can tell which write it was for. A plain digest of the write, beside its expiry time, would
let a reader of the file test which voter's event and which ballot were written together.
"""

from __future__ import annotations

import hashlib
import hmac
import sqlite3
from collections.abc import Sequence

from ..table import TokenReused, Write

TOKEN_SECONDS = 600  # as long as DynamoDB remembers an idempotency token


def is_repeated(connection: sqlite3.Connection, writes: Sequence[Write], token: str, now: float) -> bool:
    asked = "SELECT meaning FROM token WHERE name = ? AND expires > ?"
    row = connection.execute(asked, (_name(token), now)).fetchone()
    if row is not None and row[0] != _meaning(token, writes):
        raise TokenReused("This token already stands for another write.")
    return row is not None


def store_token(connection: sqlite3.Connection, writes: Sequence[Write], token: str, now: float) -> None:
    values = (_name(token), _meaning(token, writes), int(now) + TOKEN_SECONDS)
    connection.execute("INSERT OR REPLACE INTO token VALUES (?, ?, ?)", values)


def forget_expired(connection: sqlite3.Connection, now: float) -> None:
    connection.execute("DELETE FROM token WHERE expires <= ?", (now,))


def _name(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def _meaning(token: str, writes: Sequence[Write]) -> bytes:
    return hmac.digest(token.encode(), repr(writes).encode(), "sha256")
