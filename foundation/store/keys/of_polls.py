"""Keys of polls. If a poll has several shards, the number of the shard follows its id."""

from __future__ import annotations

from ..table import Key, Span
from .parts import METADATA, escape, part, shard_of, sharded


def poll(poll_id: str) -> Key:
    return Key(f"POLL#{escape(poll_id)}", METADATA)


def polls_ending(until: str | None = None) -> Span:
    """Polls with an end that are not sealed yet, perhaps only those that end by then."""
    return Span("POLLS#ENDING", last=None if until is None else f"{until}#~", index=True)


def made_poll(poll_id: str) -> Key:
    return Key(poll(poll_id).pk, "MADE")


def made_by(person: str) -> Span:
    return Span(f"MAKES#{part(person)}", index=True)


PUBLIC_POLLS = Span("POLLS", index=True)


def listed_poll(poll_id: str) -> Key:
    return Key(poll(poll_id).pk, "LISTED")


def poll_shard(poll_id: str, shard: int, shards: int) -> str:
    """One of the partitions of a poll's gates and votes."""
    return sharded(poll(poll_id).pk, shard, shards)


def poll_gate(poll_id: str, number: int, shards: int = 1) -> Key:
    return Key(poll_shard(poll_id, number % shards, shards), f"GATE#{number:02d}")


def vote(poll_id: str, vote_id: str, shards: int = 1) -> Key:
    return Key(poll_shard(poll_id, shard_of(vote_id, shards), shards), f"VOTE#{escape(vote_id)}")


def votes(poll_id: str, shards: int = 1) -> list[Span]:
    return [Span(poll_shard(poll_id, each, shards), prefix="VOTE#") for each in range(shards)]


def votes_by_time(poll_id: str, since: str = "", shards: int = 1) -> list[Span]:
    """The votes of a poll in the order they were cast, from a moment on."""
    pk, first = f"VOTES#{escape(poll_id)}", since or None
    return [Span(sharded(pk, each, shards), first=first, index=True) for each in range(shards)]


def vote_by_time(poll_id: str, vote_id: str, shards: int = 1) -> str:
    """The one of these lists that a vote is in: that of its shard."""
    return sharded(f"VOTES#{escape(poll_id)}", shard_of(vote_id, shards), shards)


def poll_result(poll_id: str) -> Key:
    return Key(poll(poll_id).pk, "RESULT")


def poll_counted_part(poll_id: str, number: int) -> Key:
    """How often each ranking was cast, for some thousands of rankings."""
    return Key(poll(poll_id).pk, f"COUNTED#{number:04d}")


def poll_counted_parts(poll_id: str) -> Span:
    return Span(poll(poll_id).pk, prefix="COUNTED#")


def all_of_poll(poll_id: str) -> Span:
    """Everything except what is in shards."""
    return Span(poll(poll_id).pk)


def all_in_poll_shards(poll_id: str, shards: int) -> list[Span]:
    """Everything in shards; nothing if the poll has a single partition."""
    return [Span(poll_shard(poll_id, each, shards)) for each in range(shards)] if shards > 1 else []


def short_code(code: str) -> Key:
    return Key(f"CODE#{escape(code)}", METADATA)
