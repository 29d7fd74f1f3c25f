"""Keys of an election's roll: who may vote, and lists of voters on their way into it.

Where an election has more than one shard, the number of a shard follows its name: a voter lies in that of their
folded name.
"""

from __future__ import annotations

from ..table import Key, Span
from .of_elections import election, election_shard
from .parts import escape, part, shard_of


def voter(election_name: str, name: str, shards: int = 1) -> Key:
    known = part(name)
    return Key(election_shard(election_name, shard_of(known, shards), shards), f"VOTER#{known}")


def voters(election_name: str, prefix: str = "", shards: int = 1) -> list[Span]:
    begins = f"VOTER#{part(prefix)}"
    return [Span(election_shard(election_name, each, shards), prefix=begins) for each in range(shards)]


def elections_of_voter(name: str) -> Span:
    return Span(f"VOTER#{part(name)}", index=True)


FOR_EVERYONE = Span("EVERYONE", index=True)


def for_everyone(election_name: str) -> Key:
    return Key(election(election_name).pk, "EVERYONE")


def voter_import(election_name: str, digest: str) -> Key:
    return Key(election(election_name).pk, f"IMPORT#{escape(digest)}")


def voter_imports(election_name: str) -> Span:
    return Span(election(election_name).pk, prefix="IMPORT#")


def imported_rows(election_name: str, digest: str, number: int) -> Key:
    return Key(election(election_name).pk, f"IMPORTED#{escape(digest)}#{number:05d}")
