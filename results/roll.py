"""The roll of a sealed election, committed to with its result: who may vote and whether they have.

Each entry has a nonce of its own, made from a secret of the result that is published nowhere, and a commitment: the
SHA-256 of the nonce and of the entry as a line of JSON. The commitment to the roll is the SHA-256 of all of these, in
the order in which the roll is read, that of the folded names. So an entry can be shown by its nonce without the others,
and one that is not told cannot be found out by trying names and addresses.

Results sealed before have a plain digest of the lines instead, which whoever guesses all that is in it can open.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from typing import Any

from elections import repository as elections
from elections.repository import Voter
from elections.rules import Election
from elections.turnout import tells_who
from store import keys


def line(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def new_secret() -> str:
    return secrets.token_hex(32)


def nonce_of(secret: str, voter: Voter) -> bytes:
    """Of one entry; those of some tell nothing of the others."""
    return hmac.digest(bytes.fromhex(secret), keys.fold(voter.name).encode(), "sha256")


class RollCommitment:
    """The commitment to the whole roll, made as the roll is read."""

    def __init__(self, secret: str):
        self._secret = secret
        self._hash = hashlib.sha256()

    def add(self, voter: Voter) -> tuple[bytes, bytes]:
        """Answers the nonce and the commitment of this entry."""
        nonce = nonce_of(self._secret, voter)
        commitment = hashlib.sha256(nonce + line([voter.name, voter.voted])).digest()
        self._hash.update(commitment)
        return nonce, commitment

    @property
    def text(self) -> str:
        return self._hash.hexdigest()


def roll_commitment(election: Election, secret: str) -> str:
    commitment = RollCommitment(secret)
    for voter in elections.every_voter(election):
        commitment.add(voter)
    return commitment.text


def roll_digest(election: Election, ballots: int) -> str:
    """The plain digest that was sealed before. Where few have voted in secret it does not know who."""
    tells, digest = tells_who(election, ballots), hashlib.sha256()
    for voter in elections.every_voter(election):
        digest.update(line([voter.name, voter.voted if tells else None]) + b"\n")
    return digest.hexdigest()
