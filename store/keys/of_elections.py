"""Keys of elections: the election itself, its lists, who runs it, and what is still to be done about it."""

from __future__ import annotations

from functools import lru_cache

from ..table import Key, Span
from .parts import METADATA, escape, part, sharded


@lru_cache(maxsize=4096)  # asked for several times by every act
def election(name: str) -> Key:
    return Key(f"ELECTION#{part(name)}", METADATA)


def election_shard(name: str, shard: int, shards: int) -> str:
    """One of the partitions in which the roll, the gates and the ballots of an election lie."""
    return sharded(election(name).pk, shard, shards)


def description(name: str) -> Key:
    """What the election says of itself, if it says anything: too long for what every page and every cast reads."""
    return Key(election(name).pk, "DESCRIPTION")


def under_new_name(pk: str, old: str, new: str) -> str:
    """What a partition under the old name of an election becomes under the new one: its own, or the same shard."""
    return election(new).pk + pk.removeprefix(election(old).pk)


ELECTIONS = Span("ELECTIONS", index=True)
OWN_ELECTIONS = Span("MINE")  # in which a cursor says where a page of one's own ended; no item has such a key


def listed_election(name: str) -> Key:
    return Key("ELECTIONS", part(name))


def elections(prefix: str = "") -> Span:
    return Span("ELECTIONS", prefix=part(prefix))


def elections_in_state(state: str) -> Span:
    return Span(f"ELECTIONS#{state}", index=True)


def elections_made_at(state: str, created_at: str) -> Span:
    """Which one that was, whatever its name is by now."""
    return Span(f"ELECTIONS#{state}", index=True, prefix=f"{created_at}#")


def by_date(created_at: str, name: str) -> str:
    """The sort key of an election in every list by date."""
    return f"{created_at}#{part(name)}"


def manager(election_name: str, person: str) -> Key:
    return Key(election(election_name).pk, f"MANAGER#{part(person)}")


def run_by(person: str) -> Span:
    return Span(f"RUNS#{part(person)}", index=True)


def candidate(election_name: str, name: str) -> Key:
    return Key(election(election_name).pk, f"CANDIDATE#{part(name)}")


def candidates(election_name: str) -> Span:
    return Span(election(election_name).pk, prefix="CANDIDATE#")


def need(election_name: str, skill_id: str) -> Key:
    return Key(election(election_name).pk, f"NEED#{escape(skill_id)}")


def needs(election_name: str) -> Span:
    return Span(election(election_name).pk, prefix="NEED#")


def agreement(election_name: str, candidate_name: str) -> Key:
    """That somebody who stands lets their skills be shown, for this election."""
    return Key(election(election_name).pk, f"AGREED#{part(candidate_name)}")


def agreements(election_name: str) -> Span:
    return Span(election(election_name).pk, prefix="AGREED#")


def agreed_by(person: str) -> Span:
    return Span(f"AGREED#{part(person)}", index=True)


def snapshot(election_name: str) -> Key:
    """What candidates who agreed could do when the election opened, as far as it needs it."""
    return Key(election(election_name).pk, "SNAPSHOT")


def turnout(election_name: str) -> Key:
    """How many voted in which hour, or on which day, as far as the log was followed."""
    return Key(election(election_name).pk, "TURNOUT")


def filling_part(election_name: str, number: int) -> Key:
    """Some of those who are still to be put on the roll of a draft."""
    return Key(election(election_name).pk, f"FILLING#{number:02d}")


def filling_parts(election_name: str) -> Span:
    return Span(election(election_name).pk, prefix="FILLING#")


def all_of_election(election_name: str) -> Span:
    """All but what lies in shards."""
    return Span(election(election_name).pk)


def all_in_shards(election_name: str, shards: int) -> list[Span]:
    """All that lies in shards; nothing of an election that has one partition."""
    return [Span(election_shard(election_name, each, shards)) for each in range(shards)] if shards > 1 else []
