"""Keys of polls. If a poll has several shards, the number of the shard follows its id."""

from __future__ import annotations

from foundation.store.table import Key, Span

from .declared import computed, computed_list, digits, index, key, single_list, span
from .parts import METADATA, escape, part, shard_of, sharded

# fmt: off

poll = key("POLL", "POLL#{poll}", METADATA, escape, about="A poll: its question, its options and its settings.")
made_poll = key("MADE_POLL", "POLL#{poll}", "MADE", escape, about="The entry by which a poll is found by who made it.")
listed_poll = key("LISTED_POLL", "POLL#{poll}", "LISTED", escape, about="Exists while the poll is in the public list.")
poll_result = key("POLL_RESULT", "POLL#{poll}", "RESULT", escape, about="The sealed result of a poll.")
poll_counted_part = key("POLL_COUNTED", "POLL#{poll}", "COUNTED#{number}", escape, digits(4),
                        about="How often each ranking was cast, for some thousands of rankings.")
short_code = key("CODE", "CODE#{code}", METADATA, escape,
                 about="Leads from a code that is easy to type to its poll or live session.")

all_of_poll = span("POLL#{poll}", "", escape)  # except what is in shards
poll_counted_parts = span("POLL#{poll}", "COUNTED#", escape)
PUBLIC_POLLS = single_list("POLLS", "{created_at}#{poll}")
made_by = index("MAKES#{person}", "{created_at}#{poll}", part)

# fmt: on


@computed_list("POLLS#ENDING", "{ends_at}#{poll}")
def polls_ending(until: str | None = None) -> Span:
    """Polls with an end that are not sealed yet, perhaps only those that end by then."""
    return Span("POLLS#ENDING", last=None if until is None else f"{until}#~", index=True)


def poll_shard(poll_id: str, shard: int, shards: int) -> str:
    """One of the partitions of a poll's gates and votes."""
    return sharded(poll(poll_id).pk, shard, shards)


@computed("POLL_GATE", "POLL#{poll}", "GATE#{number}", "What every vote passes and is counted in, until it is shut.")
def poll_gate(poll_id: str, number: int, shards: int = 1) -> Key:
    return Key(poll_shard(poll_id, number % shards, shards), f"GATE#{number:02d}")


@computed("POLL_VOTE", "POLL#{poll}", "VOTE#{vote}", "One vote in a poll.")
def vote(poll_id: str, vote_id: str, shards: int = 1) -> Key:
    return Key(poll_shard(poll_id, shard_of(vote_id, shards), shards), f"VOTE#{escape(vote_id)}")


def votes(poll_id: str, shards: int = 1) -> list[Span]:
    return [Span(poll_shard(poll_id, each, shards), prefix="VOTE#") for each in range(shards)]


@computed_list("VOTES#{poll}", "{voted_at}#{vote}")
def votes_by_time(poll_id: str, since: str = "", shards: int = 1) -> list[Span]:
    """The votes of a poll in the order they were cast, from a moment on."""
    pk, first = f"VOTES#{escape(poll_id)}", since or None
    return [Span(sharded(pk, each, shards), first=first, index=True) for each in range(shards)]


def vote_by_time(poll_id: str, vote_id: str, shards: int = 1) -> str:
    """The one of these lists that a vote is in: that of its shard."""
    return sharded(f"VOTES#{escape(poll_id)}", shard_of(vote_id, shards), shards)


def all_in_poll_shards(poll_id: str, shards: int) -> list[Span]:
    """Everything in shards; nothing if the poll has a single partition."""
    return [Span(poll_shard(poll_id, each, shards)) for each in range(shards)] if shards > 1 else []
