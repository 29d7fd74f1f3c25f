"""The turnout of voter groups, as far as it tells nothing about fewer than five people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from acts.storage import table
from elections.rules import Election
from elections.sharding import roll_spans
from store import sharded_reads

from .counts import tells_who

MIN_GROUP_VOTERS = 5  # voters of a group; of fewer, it is not shown how many have voted


@dataclass(frozen=True, slots=True)
class GroupTurnout:
    name: str
    voters: int
    voted: int

    @property
    def percent(self) -> int:
        return round(100 * self.voted / self.voters)


def group_turnouts(election: Election, voted: int) -> list[GroupTurnout]:
    """Of those who may vote, in the order of the groups. Reads the whole roll, if it has groups. None while so few have
    voted in a secret election that it would reveal how."""
    if not election.voter_groups or not tells_who(election, voted):
        return []
    sizes, cast = Counter[frozenset[str]](), Counter[str]()
    for groups, has_voted in sharded_reads.values(table(), roll_spans(election), "groups", "voted"):
        if election.is_for(groups or ()):
            sizes[frozenset(groups or ())] += 1
            cast.update((groups or ()) if has_voted else ())
    large = large_groups(sizes)
    return [GroupTurnout(name, large[name], cast[name]) for name in election.voter_groups if name in large]


def large_groups(sizes: Mapping[frozenset[str], int]) -> dict[str, int]:
    """The groups to show, with their sizes, by how many are in each combination of groups.

    Who knows the turnout of all can subtract that of groups. So nobody may be told apart by the groups that are shown,
    or be in none of them, together with fewer than four others. Else the smallest group concerned is not shown either.
    """
    voters = Counter[str]()
    for groups, size in sizes.items():
        voters.update(dict.fromkeys(groups, size))
    large = {name: size for name, size in voters.items() if size >= MIN_GROUP_VOTERS}
    while small := _small_parts(sizes, large):
        del large[min(min(small, key=sorted) or large, key=lambda name: (large[name], name))]
    return large


def _small_parts(sizes: Mapping[frozenset[str], int], shown: Collection[str]) -> list[frozenset[str]]:
    parts = Counter[frozenset[str]]()
    for groups, size in sizes.items():
        parts[groups.intersection(shown)] += size
    return [part for part, size in parts.items() if shown and size < MIN_GROUP_VOTERS]
