"""Keys of elections: the election itself, its lists and who runs it; its roll, ballots and result; groups."""

from __future__ import annotations

from functools import lru_cache

from store.keys.parts import METADATA, escape, part, shard_of, sharded
from store.table import Key, Span


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


# --- rolls ---


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


# --- several questions on one ballot ---


def multi_ballot(multi_ballot_id: str) -> Key:
    return Key(f"BOOK#{escape(multi_ballot_id)}", METADATA)


# --- groups ---


def group(group_id: str) -> Key:
    return Key(f"GROUP#{escape(group_id)}", METADATA)


def all_of_group(group_id: str) -> Span:
    return Span(group(group_id).pk)


def groups_of(person: str) -> Span:
    return Span(f"GROUPS#{part(person)}", index=True)


def group_name(person: str, name: str) -> Key:
    """Which group of somebody has the name."""
    return Key(f"GROUPNAMES#{part(person)}", part(name))


def group_names(person: str) -> Span:
    return Span(f"GROUPNAMES#{part(person)}")


def member(group_id: str, name: str) -> Key:
    return Key(group(group_id).pk, f"MEMBER#{part(name)}")


def members(group_id: str, prefix: str = "") -> Span:
    return Span(group(group_id).pk, prefix=f"MEMBER#{part(prefix)}")


def groups_with(name: str) -> Span:
    """The groups that somebody is in, by name or by address."""
    return Span(f"GROUPED#{part(name)}", index=True)


def group_by_id(group_id: str) -> str:
    return escape(group_id)


def group_use(group_id: str, created_at: str, election_name: str) -> Key:
    return Key(group(group_id).pk, f"USED#{escape(created_at)}#{part(election_name)}")


def group_uses(group_id: str) -> Span:
    return Span(group(group_id).pk, prefix="USED#")


def group_uses_before(group_id: str, created_at: str) -> Span:
    """By elections that were made before this moment."""
    return Span(group(group_id).pk, first="USED#", last=f"USED#{escape(created_at)}")


def coming_members(group_id: str, token: str, number: int) -> Key:
    """Some of a list that is on its way into the group."""
    return Key(group(group_id).pk, f"COMING#{escape(token)}#{number:05d}")


def all_coming_members(group_id: str) -> Span:
    return Span(group(group_id).pk, prefix="COMING#")


# --- gates, salts and ballots ---


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


# --- results ---


def lots(election_name: str) -> Key:
    """The secret to which an open election is committed; gone when it is told, with the result."""
    return Key(election(election_name).pk, "LOTS")


def result(election_name: str) -> Key:
    return Key(election(election_name).pk, "RESULT")


def result_part(election_name: str, number: int) -> Key:
    return Key(election(election_name).pk, f"RESULT#{number:04d}")


def result_parts(election_name: str) -> Span:
    return Span(election(election_name).pk, prefix="RESULT#")


def counted_part(election_name: str, number: int) -> Key:
    """How often each ranking was cast, some thousands of them."""
    return Key(election(election_name).pk, f"COUNTED#{number:04d}")


def counted_parts(election_name: str) -> Span:
    return Span(election(election_name).pk, prefix="COUNTED#")


SEALING = Span("SEALING", index=True)


def sealing(election_name: str) -> Key:
    return Key(election(election_name).pk, "SEALING")


SHARED_RESULTS = Span("SHARED", index=True)


def shared_result(election_name: str) -> Key:
    """The outcome in a few words, of an election whose result everybody on the web may see."""
    return Key(election(election_name).pk, "SHARED")
