"""Keys of an election's ballots: the gates they come through, the box, and what is published of it.

Where an election has more than one shard, the number of a shard follows its name: a gate lies in the shard of its
number, a ballot in that of what it lies under, which of a secret one is a pseudonym, and the salt in each.
"""

from __future__ import annotations

from ..table import Key, Span
from .of_elections import election, election_shard
from .parts import part, shard_of, sharded


def gate(election_name: str, number: int, shards: int = 1) -> Key:
    return gate_of(election(election_name), number, shards)


def gate_of(own: Key, number: int, shards: int = 1) -> Key:
    """For whoever has no name, but the place of the election."""
    return Key(sharded(own.pk, number % shards, shards), f"GATE#{number:02d}")


def salt(election_name: str, voter: str = "", shards: int = 1) -> Key:
    """Where somebody finds the salt: every shard has a copy, so that not everybody reads the same one. All copies go in
    the transaction that tells a close."""
    return Key(election_shard(election_name, shard_of(part(voter), shards), shards), "SALT")


def salts(election_name: str, shards: int = 1) -> list[Key]:
    return [Key(election_shard(election_name, each, shards), "SALT") for each in range(shards)]


def ballot(election_name: str, voter: str, shards: int = 1) -> Key:
    """Of a secret ballot, the voter is a pseudonym: also the partition it lies in tells nothing of them."""
    name = part(voter)
    return Key(election_shard(election_name, shard_of(name, shards), shards), f"BALLOT#{name}")


def ballots(election_name: str, shards: int = 1) -> list[Span]:
    return [Span(election_shard(election_name, each, shards), prefix="BALLOT#") for each in range(shards)]


def ballots_by_time(election_name: str, since: str = "", shards: int = 1) -> list[Span]:
    """The ballots of a live election as they were cast, from a moment on."""
    pk, first = f"BALLOTS#{part(election_name)}", since or None
    return [Span(sharded(pk, each, shards), first=first, index=True) for each in range(shards)]


def ballot_by_time(election_name: str, voter: str, shards: int = 1) -> str:
    """In which of these lists a ballot is: the list of the shard it lies in."""
    return sharded(f"BALLOTS#{part(election_name)}", shard_of(part(voter), shards), shards)


def published(election_name: str, number: int) -> Key:
    """Some ballots of a closed election, sorted by their codes."""
    return Key(election(election_name).pk, f"PUBLISHED#{number:04d}")


def all_published(election_name: str) -> Span:
    return Span(election(election_name).pk, prefix="PUBLISHED#")
