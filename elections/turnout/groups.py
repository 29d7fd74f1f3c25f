"""The turnout of voter groups that are large enough for it."""

from __future__ import annotations

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
    voters = dict.fromkeys(election.voter_groups, 0)
    cast = dict.fromkeys(election.voter_groups, 0)
    for groups, has_voted in sharded_reads.values(table(), roll_spans(election), "groups", "voted"):
        if election.is_for(groups or ()):
            for name in groups or ():
                voters[name] += 1
                cast[name] += has_voted
    return [GroupTurnout(name, size, cast[name]) for name, size in voters.items() if size >= MIN_GROUP_VOTERS]
