"""The attacker who guesses: takes every digest that somebody without rights can fetch, and tries what it stands for.

A digest of words that can be guessed tells them to whoever guesses right. This attacker knows the source, and so the
form of every event and of every line of the roll; all names and addresses there are; and even the true moment of each
act, to a few milliseconds. What is left to find out is who did it. Every hexadecimal word of all that was fetched is
taken for a digest, whole and in pieces of half a digest, and for a nonce; and every two that could be values of the
chain, for two that lie one event apart.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from itertools import product
from typing import Any

import orjson

from foundation.store import keys
from foundation.store.log import as_text
from results.exports.bundle import public_voter_name

MIN_DIGEST_BYTES = 16  # bytes of a digest that is kept, at least
WORD = re.compile(rb"(?<![0-9a-f])(?:[0-9a-f]{32})+(?![0-9a-f])")
MAX_MISS_MS = 3  # milliseconds by which the true moment may be missed, and as much for the number

Papers = Mapping[str, bytes]  # what was fetched, by its address


def sha(text: bytes) -> bytes:
    return hashlib.sha256(text).digest()


@dataclass(frozen=True)
class Suspicion:
    """This may have happened at about this time, and then it is about this name or address."""

    about: str
    actor: str
    event_type: str
    event_data: Mapping[str, Any]
    number: int
    when: datetime

    def events(self) -> Iterator[dict[str, Any]]:
        near = range(-MAX_MISS_MS, MAX_MISS_MS + 1)
        for number, late in product((self.number + each for each in near), near):
            when = as_text(self.when + timedelta(milliseconds=late))
            place = keys.event(max(1, number), when)
            yield {
                "PK": place.pk,
                "SK": place.sk,
                "event_id": max(1, number),
                "actor": self.actor,
                "when_occurred": when,
                "event_type": self.event_type,
                "event_data": self.event_data,
            }


@dataclass(frozen=True, order=True)
class Opened:
    """A digest that was opened: whom it is about, what it stands for, and how it was found."""

    about: str
    what: str
    how: str


@dataclass
class Attack:
    papers: Papers
    hashes: int = field(default=0, init=False)

    @cached_property
    def words(self) -> set[bytes]:
        return {bytes.fromhex(each[0].decode()) for text in self.papers.values() for each in WORD.finditer(text)}

    @cached_property
    def halves(self) -> set[bytes]:
        return {word[at : at + MIN_DIGEST_BYTES] for word in self.words for at in range(0, len(word), MIN_DIGEST_BYTES)}

    @cached_property
    def chain(self) -> set[bytes]:
        """What may be a value of it, and its beginning."""
        return {word for word in self.words if len(word) == 2 * MIN_DIGEST_BYTES} | {bytes(2 * MIN_DIGEST_BYTES)}

    @cached_property
    def nonces(self) -> list[bytes]:
        return [word for word in self.words if len(word) <= 2 * MIN_DIGEST_BYTES]

    def opened(self, suspicions: Iterable[Suspicion]) -> set[Opened]:
        return {found for suspicion in suspicions for found in self._try(suspicion)}

    def _try(self, suspicion: Suspicion) -> Iterator[Opened]:
        for event in suspicion.events():
            for hidden in ({}, *({"nonce": nonce.hex()} for nonce in self.nonces if len(nonce) == MIN_DIGEST_BYTES)):
                digest = sha(orjson.dumps({**event, **hidden}, option=orjson.OPT_SORT_KEYS))
                self.hashes += 1
                if digest[:MIN_DIGEST_BYTES] in self.halves:
                    yield Opened(suspicion.about, suspicion.event_type, "its digest")
                if any(sha(value + digest) in self.chain for value in self.chain):
                    yield Opened(suspicion.about, suspicion.event_type, "two checkpoints")

    # --- the roll ---

    def opened_roll(self, known: Iterable[str]) -> set[Opened]:
        """Names and addresses that are on the roll, where it does not say so, and who has voted of those who are."""
        told, known = self._roll(), list(known)
        candidates = [[name for name in known if public_voter_name(name) == there] or [there] for there, _ in told]
        votes = [[voted] if voted is not None else [True, False, None] for _, voted in told]
        found = {Opened(name, "roll", "an entry") for name, voted in self._entries(told, candidates) if voted}
        for names, voted in product(product(*candidates), product(*votes)):
            lines = [line([*entry]) + b"\n" for entry in zip(names, voted, strict=True)]
            self.hashes += 1
            if sha(b"".join(lines))[:MIN_DIGEST_BYTES] in self.halves:
                hidden = [name for name, (there, _) in zip(names, told, strict=True) if name != there]
                found |= {Opened(name, "roll", "the whole roll") for name in hidden}
        return found

    def _roll(self) -> list[tuple[str, bool | None]]:
        texts = [text for name, text in self.papers.items() if name.endswith("roll.json")]
        entries = [each for text in texts for each in json.loads(text)["voters"]]
        return [(each["name"], each["voted"]) if isinstance(each, dict) else tuple(each) for each in entries]

    def _entries(self, told: list[tuple[str, bool | None]], candidates: list[list[str]]) -> Iterator[tuple[str, bool]]:
        """Single entries that are what a commitment hides; those that are told in full are no secret."""
        for (there, said), names in zip(told, candidates, strict=True):
            for name, voted, nonce in product(names, (True, False), (b"", *self.nonces)):
                self.hashes += 1
                is_secret = name != there or said is None
                if is_secret and sha(nonce + line([name, voted]))[:MIN_DIGEST_BYTES] in self.halves:
                    yield name, True


def line(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
