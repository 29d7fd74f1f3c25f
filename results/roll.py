"""The roll of a sealed election, committed to with its result: who may vote and whether they have.

Each entry has a nonce of its own, made from a secret of the result that is published nowhere, and a commitment: the
SHA-256 of the nonce and of the entry as a line of JSON. The commitment to the roll is the SHA-256 of all of these, in
the order in which the roll is read, that of the folded names. So an entry can be shown by its nonce without the others,
and one that is not told cannot be found out by trying names and addresses.

Results sealed before have a plain digest of the lines instead, which whoever guesses all that is in it can open.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import Any

import orjson

from elections import repository as elections
from elections.rules import Election
from elections.turnout import tells_who
from store import keys

A_BLOCK = 64  # bytes that SHA-256 takes at a time; the secret has half as many


def line(value: Any) -> bytes:
    """JSON without spaces, and with nothing escaped that need not be."""
    return orjson.dumps(value)


def new_secret() -> str:
    return secrets.token_hex(32)


class Nonces:
    """The nonces of a roll: HMAC-SHA-256 of the folded names; those of some tell nothing of the others.

    Both halves that the secret takes part in are made once (RFC 2104), so that each of a hundred thousand takes less
    than half the time.
    """

    def __init__(self, secret: str):
        block = bytes.fromhex(secret).ljust(A_BLOCK, b"\0")
        self._inner, self._outer = (hashlib.sha256(bytes(byte ^ pad for byte in block)) for pad in (0x36, 0x5C))

    def of(self, name: str) -> bytes:
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(keys.fold(name).encode())
        outer.update(inner.digest())
        return outer.digest()


class RollCommitment:
    """The commitment to the whole roll, made as the roll is read."""

    def __init__(self, secret: str):
        self._nonces, self._hash = Nonces(secret), hashlib.sha256()

    def add(self, name: str, voted: bool) -> tuple[bytes, bytes]:
        """Answers the nonce and the commitment of this entry."""
        nonce = self._nonces.of(name)
        commitment = hashlib.sha256(nonce + line([name, voted])).digest()
        self._hash.update(commitment)
        return nonce, commitment

    @property
    def text(self) -> str:
        return self._hash.hexdigest()


def roll_commitment(election: Election, secret: str) -> str:
    commitment = RollCommitment(secret)
    for name, voted in elections.who_voted(election):
        commitment.add(name, voted)
    return commitment.text


def roll_digest(election: Election, ballots: int) -> str:
    """The plain digest that was sealed before. Where few have voted in secret it does not know who."""
    tells, digest = tells_who(election, ballots), hashlib.sha256()
    for voter in elections.every_voter(election):
        digest.update(line([voter.name, voter.voted if tells else None]) + b"\n")
    return digest.hexdigest()
