"""Ranked pairs: contests are locked from the strongest to the weakest, except those that would close a cycle.

T. N. Tideman, "Independence of clones as a criterion for voting rules", Social Choice and Welfare 4 (1987), 185-206.
Contests of equal strength (by tally.pairwise.strengths) are judged together, in two steps:
1. Skipped is each that closes a cycle with contests locked before: there is a path of those from its loser to its
   winner. They are all stronger, so nothing of equal strength can save it.
2. Of the others, skipped is each that lies on a cycle of these others and the contests locked before. All the rest are
   locked.
Nothing depends on an order among equals, so names cannot decide. A cycle of equal contests loses all of them and leaves
its candidates tied, as no reason to drop one rather than another exists. What is locked never has a cycle: a cycle
would have to contain a contest of the last group, and step 2 skips every such one. A contest off all cycles is never
skipped, so a candidate who beats all others wins; and clones share the fate of their originals, as a cycle through one
is a cycle through the other. Places: those below no one by locked contests first, then those below no one left.

`reasons`:
- `strength`: the measure of strength: winning2, winning or margins.
- `condorcet_winner`: the name of the candidate who beats everybody else one to one, or None.
- `locked`: contests as {winner, loser, for, against, rank}, strongest first; those of equal strength share a rank.
- `skipped`: the same with `cycle`: names from the winner to the loser and back to the winner, a shortest such cycle,
  and `equals`: True where step 2 skipped it, so where contests of equal strength are needed for the cycle.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .ballots import Ballots
from .pairwise import Reachability, bits, condorcet_winner, rank_by_beats, strengths
from .result import Result, ballot_fields, outcome_fields

Contest = tuple[int, int]


class Graph:
    """Who is above whom as sets of bits, and who can be reached from whom."""

    def __init__(self, size: int) -> None:
        self.above, self.reach = [0] * size, Reachability(size)

    def with_all(self, contests: Iterable[Contest]) -> Graph:
        """A copy with these contests in it."""
        graph = Graph(0)
        graph.above, graph.reach = list(self.above), self.reach.copy()
        for winner, loser in contests:
            graph.above[winner] |= 1 << loser
            graph.reach.add(winner, loser)
        return graph

    def closes_cycle(self, contest: Contest) -> bool:
        """Whether a path leads from its loser to its winner."""
        winner, loser = contest
        return self.reach.has(loser, winner)

    def path(self, start: int, end: int) -> list[int]:
        """A shortest path, of several the one whose candidates come first."""
        came = {start: start}
        queue = [start]
        unmet = ~(1 << start)
        for here in queue:
            if end in came:
                break
            new = self.above[here] & unmet
            unmet &= ~new
            for there in bits(new):
                came[there] = here
                queue.append(there)
        path = [end]
        while path[-1] != start:
            path.append(came[path[-1]])
        return path[::-1]


def count(ballots: Ballots, *, unranked: str = "below", strength: str = "winning2") -> Result:
    names = ballots.normal.candidates
    pairwise = ballots.normal.summary.pairwise(unranked)
    locked, skipped = [], []
    graph = Graph(len(names))

    def describe(contest: Contest, rank: int) -> dict[str, Any]:
        winner, loser = contest
        votes = {"for": pairwise[winner][loser], "against": pairwise[loser][winner]}
        return {"winner": names[winner], "loser": names[loser], **votes, "rank": rank}

    def cycle(contest: Contest, through: Graph) -> list[str]:
        return [names[i] for i in (contest[0], *through.path(contest[1], contest[0]))]

    for rank, group in enumerate(by_strength(strengths(pairwise, strength)), 1):
        others = {contest for contest in group if not graph.closes_cycle(contest)}
        together = graph.with_all(others)
        acyclic = {contest for contest in others if not together.closes_cycle(contest)}
        for contest in group:
            if contest in acyclic:
                locked.append(describe(contest, rank))
                continue
            equals = contest in others
            closed = cycle(contest, together if equals else graph)
            skipped.append(describe(contest, rank) | {"cycle": closed, "equals": equals})
        graph = together if acyclic == others else graph.with_all(acyclic)

    first = condorcet_winner(pairwise)
    return Result(
        method="ranked-pairs",
        seats=1,
        unranked=unranked,
        seed="",
        pairwise=pairwise,
        reasons={
            "strength": strength,
            "condorcet_winner": None if first is None else names[first],
            "locked": locked,
            "skipped": skipped,
        },
        **ballot_fields(ballots),
        **outcome_fields(rank_by_beats(names, lambda i, j: i != j and graph.reach.has(i, j))),
    )


def by_strength(contests: Sequence[Sequence[int]]) -> list[list[Contest]]:
    """Won contests in groups of equal strength, strongest first."""
    groups: dict[int, list[Contest]] = {}
    for i, row in enumerate(contests):
        for j, strength in enumerate(row):
            if strength:
                groups.setdefault(strength, []).append((i, j))
    return [groups[strength] for strength in sorted(groups, reverse=True)]
