"""The digest of the roll of a sealed election: who may vote and whether they have, so that a later change shows."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from elections import repository as elections
from elections.repository import Voter
from elections.rules import Election
from elections.turnout import tells_who


def line(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


class RollDigest:
    """The SHA-256 of the roll in the order in which it is read, that of the folded names: each entry a line of JSON.

    Where so few have voted in secret that it would tell how, it is not told who; and then the digest must not know it
    either, for with a short roll anybody could try out who it was.
    """

    def __init__(self, election: Election, ballots: int):
        self._tells = tells_who(election, ballots)
        self._hash = hashlib.sha256()

    def add(self, voter: Voter) -> bool | None:
        """Answers what may be told of whether they have voted."""
        voted = voter.voted if self._tells else None
        self._hash.update(line([voter.name, voted]) + b"\n")
        return voted

    @property
    def text(self) -> str:
        return self._hash.hexdigest()


def roll_digest(election: Election, ballots: int) -> str:
    digest = RollDigest(election, ballots)
    for voter in elections.every_voter(election.name):
        digest.add(voter)
    return digest.text
