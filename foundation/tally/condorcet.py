"""Methods that compare every two candidates head to head: Schulze, ranked pairs, Copeland and minimax.

All of them elect the candidate who beats everybody else head to head, if there is one. In `reasons`, what they share:
- `strength`: the measure of how strong a contest is: winning2, winning or margins.
- `condorcet_winner`: the name of the candidate who beats everybody else head to head, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise as steps
from typing import Any

from .ballots import Ballots
from .result import Result, exact_text, group_by_score, result_of

STRENGTHS = ("winning2", "winning", "margins")

Contest = tuple[int, int]  # winner and loser


def strengths(pairwise: Sequence[Sequence[int]], strength: str = "winning2") -> list[list[int]]:
    """How strong each won contest is, as one number to compare; 0 where i does not beat j.

    winning2: votes for the winner, of equals the one with fewer votes against; winning: votes for the winner alone;
    margins: votes for the winner less those against.
    """
    if strength not in STRENGTHS:
        raise ValueError(f"A contest can be as strong as {', '.join(STRENGTHS)}, not {strength!r}.")
    base = 1 + max((number for row in pairwise for number in row), default=0)
    won: dict[str, Callable[[int, int], int]] = {
        "winning2": lambda ayes, noes: ayes * base + base - 1 - noes,
        "winning": lambda ayes, noes: ayes,
        "margins": lambda ayes, noes: ayes - noes,
    }
    of = won[strength]
    against = zip(*pairwise, strict=True)
    return [
        [of(ayes, noes) if ayes > noes else 0 for ayes, noes in zip(row, column, strict=True)]
        for row, column in zip(pairwise, against, strict=True)
    ]


def condorcet_winner(names: Sequence[str], pairwise: Sequence[Sequence[int]]) -> str | None:
    """The candidate who beats everyone else head to head, if there is one."""
    everyone = range(len(names))
    unbeaten = (i for i in everyone if all(pairwise[i][j] > pairwise[j][i] for j in everyone if j != i))
    return next((names[i] for i in unbeaten), None)


def by_strength(contests: Sequence[Sequence[int]]) -> dict[int, list[Contest]]:
    """Won contests by their strength, strongest first."""
    groups: dict[int, list[Contest]] = {}
    for i, row in enumerate(contests):
        for j, strength in enumerate(row):
            if strength:
                groups.setdefault(strength, []).append((i, j))
    return {strength: groups[strength] for strength in sorted(groups, reverse=True)}


def rank_by_beats(candidates: Sequence[str], beats: Callable[[int, int], bool]) -> list[list[str]]:
    """Groups of equals, best first: repeatedly those that no one left beats. There must be no cycle."""
    everyone = range(len(candidates))
    better = [sum(1 << j for j in everyone if beats(j, i)) for i in everyone]  # than i, as sets of bits
    left, bits_left = list(everyone), (1 << len(candidates)) - 1
    groups = []
    while left:
        top = [i for i in left if not better[i] & bits_left]
        groups.append([candidates[i] for i in top])
        left = [i for i in left if better[i] & bits_left]
        bits_left = sum(1 << i for i in left)
    return groups


# --- graphs of contests ---


def bits(number: int) -> Iterator[int]:
    """Which bits are set, the lowest first."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


class Graph:
    """Contests, added one after another, and who can be reached from whom by a path of them; everybody from themselves.

    Both directions are stored, so that a contest only visits candidates for whom it changes something: all together
    cost at most one step for every two candidates, however many there are.
    """

    def __init__(self, size: int) -> None:
        self.beaten = [0] * size  # [i]: whom i beats
        self.forward = [1 << i for i in range(size)]  # [i]: whom i reaches
        self.back = list(self.forward)  # [j]: who reaches j

    def with_all(self, contests: Iterable[Contest]) -> Graph:
        """A copy with these contests in it."""
        graph = Graph(0)
        graph.beaten, graph.forward, graph.back = list(self.beaten), list(self.forward), list(self.back)
        for winner, loser in contests:
            graph.add(winner, loser)
        return graph

    def reaches(self, start: int, end: int) -> bool:
        return bool(self.forward[start] >> end & 1)

    def add(self, winner: int, loser: int) -> list[tuple[int, int]]:
        """Add a contest; returns who reaches more than before, and which candidates are new to them."""
        self.beaten[winner] |= 1 << loser
        if self.reaches(winner, loser):
            return []
        # Who reaches the loser already reaches all that lies beyond; the same holds the other way round.
        sources, targets = self.back[winner] & ~self.back[loser], self.forward[loser] & ~self.forward[winner]
        ahead, behind = self.forward[loser], self.back[winner]
        new = [(each, ahead & ~self.forward[each]) for each in bits(sources)]
        for each in bits(sources):
            self.forward[each] |= ahead
        for each in bits(targets):
            self.back[each] |= behind
        return new


def shortest_paths(beaten: Sequence[int], start: int, ends: int) -> Iterator[list[int]]:
    """To each of the ends, lowest first, a shortest path; of several the one whose candidates come first.

    `beaten` has whom each candidate beats, and `ends` is such a set: a bit for each of them.
    """
    reached_from, unmet = {start: start}, ~(1 << start)
    queue = [start]
    for node in queue:
        new = beaten[node] & unmet
        unmet ^= new
        for each in bits(new):
            reached_from[each] = node
            queue.append(each)
        if not ends & unmet:
            break
    for end in bits(ends):
        path = [end]
        while path[-1] != start:
            path.append(reached_from[path[-1]])
        yield path[::-1]


# --- Schulze ---


def schulze(ballots: Ballots, *, unranked: str = "below", strength: str = "winning2") -> Result:
    """Schulze: of two candidates, the one with the stronger chain of won contests to the other is better.

    Markus Schulze, "A new monotonic, clone-independent, reversal symmetric, and Condorcet-consistent single-winner
    election method", Social Choice and Welfare 36 (2011), 267-303. A chain is as strong as its weakest contest. Only
    won contests make chains: where neither of two candidates has one to the other, their own contest is drawn, and the
    original, which goes on to drawn and lost ones, ties them as well.

    `reasons`, where numbers of candidates count into `candidates`:
    - `paths`: [i][j] the strongest chain from i to j as numbers of candidates, i first and j last, [] where there is
      none; of several the shortest, of these the one whose candidates come first by name.
    - `strongest`: [i][j] votes for and against in the weakest contest of that chain, [0, 0] where there is none.
    - `beats`: [better, worse] by name for every two candidates where one is better by these chains.
    """
    names = ballots.normal.candidates
    pairwise = ballots.normal.summary.pairwise(unranked)
    contests = strengths(pairwise, strength)
    widest = widths(contests)
    paths = chains(contests, widest)
    everyone = range(len(names))

    def beats(i: int, j: int) -> bool:
        return widest[i][j] > widest[j][i]

    def weakest(path: list[int]) -> list[int]:
        links = [(contests[i][j], pairwise[i][j], pairwise[j][i]) for i, j in steps(path)]
        return list(min(links, default=(0, 0, 0))[1:])

    reasons = {
        "strength": strength,
        "condorcet_winner": condorcet_winner(names, pairwise),
        "paths": paths,
        "strongest": [[weakest(path) for path in row] for row in paths],
        "beats": [[names[i], names[j]] for i in everyone for j in everyone if beats(i, j)],
    }
    groups = rank_by_beats(names, beats)
    return result_of(ballots, "schulze", groups, unranked=unranked, pairwise=pairwise, reasons=reasons)


def widths(contests: Sequence[Sequence[int]]) -> list[list[int]]:
    """[i][j]: how strong the strongest chain from i to j is, 0 where there is none.

    Contests are added one by one, the strongest first: that of the contest which first makes a chain from i to j is how
    strong it is.
    """
    widest = [[0] * len(contests) for _ in contests]
    graph = Graph(len(contests))
    for strength, group in by_strength(contests).items():
        for i, j in group:
            for start, ends in graph.add(i, j):
                for end in bits(ends):
                    widest[start][end] = strength
    return widest


def chains(contests: Sequence[Sequence[int]], widest: Sequence[Sequence[int]]) -> list[list[list[int]]]:
    """[i][j]: a strongest chain itself: their own contest, or the shortest way over contests that are strong enough."""
    paths: list[list[list[int]]] = [[[] for _ in contests] for _ in contests]
    indirect: dict[int, dict[int, int]] = {}  # by strength and start, the candidates to whom a chain must be found
    for i, row in enumerate(widest):
        for j, width in enumerate(row):
            if width and width == contests[i][j]:
                paths[i][j] = [i, j]
            elif width:
                starts = indirect.setdefault(width, {})
                starts[i] = starts.get(i, 0) | 1 << j
    beaten = [0] * len(contests)  # by whom, at least so strongly
    for strength, group in by_strength(contests).items():
        for winner, loser in group:
            beaten[winner] |= 1 << loser
        for start, ends in indirect.get(strength, {}).items():
            for path in shortest_paths(beaten, start, ends):
                paths[start][path[-1]] = path
    return paths


# --- ranked pairs ---


def ranked_pairs(ballots: Ballots, *, unranked: str = "below", strength: str = "winning2") -> Result:
    """Ranked pairs: contests are locked from the strongest to the weakest, except those that would close a cycle.

    T. N. Tideman, "Independence of clones as a criterion for voting rules", Social Choice and Welfare 4 (1987),
    185-206. Contests of equal strength are judged together, in two steps:
    1. Skipped is each that closes a cycle with contests locked before: there is a path of those from its loser to its
       winner. They are all stronger, so nothing of equal strength can save it.
    2. Of the others, skipped is each that lies on a cycle of these others and the contests locked before. All the rest
       are locked.
    Nothing depends on an order among equals, so names cannot decide. A cycle of equal contests loses all of them and
    leaves its candidates tied, as no reason to drop one rather than another exists. What is locked never has a cycle: a
    cycle would have to contain a contest of the last group, and step 2 skips every such one. A contest off all cycles
    is never skipped, so a candidate who beats all others wins; and clones share the fate of their originals, as a cycle
    through one is a cycle through the other. Places: those below no one by locked contests first, then those below no
    one left.

    `reasons`:
    - `locked`: contests as {winner, loser, for, against, rank}, strongest first; those of equal strength share a rank.
    - `skipped`: the same with `cycle`: names from the winner to the loser and back to the winner, a shortest such
      cycle, and `equals`: True where step 2 skipped it, so where contests of equal strength are needed for the cycle.
    """
    names = ballots.normal.candidates
    pairwise = ballots.normal.summary.pairwise(unranked)
    locked, skipped = [], []
    graph = Graph(len(names))

    for rank, group in enumerate(by_strength(strengths(pairwise, strength)).values(), 1):
        others = {(winner, loser) for winner, loser in group if not graph.reaches(loser, winner)}
        together = graph.with_all(others)
        acyclic = {(winner, loser) for winner, loser in others if not together.reaches(loser, winner)}
        for winner, loser in group:
            votes = {"for": pairwise[winner][loser], "against": pairwise[loser][winner]}
            contest: dict[str, Any] = {"winner": names[winner], "loser": names[loser], **votes, "rank": rank}
            if (winner, loser) in acyclic:
                locked.append(contest)
                continue
            equals = (winner, loser) in others
            closing = together if equals else graph
            (back,) = shortest_paths(closing.beaten, loser, 1 << winner)
            skipped.append(contest | {"cycle": [names[i] for i in (winner, *back)], "equals": equals})
        graph = together if acyclic == others else graph.with_all(acyclic)

    reasons = {
        "strength": strength,
        "condorcet_winner": condorcet_winner(names, pairwise),
        "locked": locked,
        "skipped": skipped,
    }
    groups = rank_by_beats(names, lambda i, j: i != j and graph.reaches(i, j))
    return result_of(ballots, "ranked-pairs", groups, unranked=unranked, pairwise=pairwise, reasons=reasons)


# --- Copeland and minimax ---


def copeland(ballots: Ballots, *, unranked: str = "below") -> Result:
    """Copeland: a point for every other candidate beaten head to head, half a point for every draw.

    A. H. Copeland, "A reasonable social welfare function", seminar on applications of mathematics to social sciences,
    University of Michigan (1951); Ramon Llull counted this way in 1299. Half points for draws order candidates as wins
    less losses do.

    `reasons`:
    - `scores`: by name {score, won, lost, drawn}; the score exact, as text.
    """
    names = ballots.normal.candidates
    pairwise = ballots.normal.summary.pairwise(unranked)
    everyone = range(len(names))
    scores, details = {}, {}
    for i, name in enumerate(names):
        won = sum(pairwise[i][j] > pairwise[j][i] for j in everyone)
        lost = sum(pairwise[i][j] < pairwise[j][i] for j in everyone)
        drawn = len(names) - 1 - won - lost
        scores[name] = won + Fraction(drawn, 2)
        details[name] = {"score": exact_text(scores[name]), "won": won, "lost": lost, "drawn": drawn}
    reasons = {"condorcet_winner": condorcet_winner(names, pairwise), "scores": details}
    return result_of(ballots, "copeland", group_by_score(scores), unranked=unranked, pairwise=pairwise, reasons=reasons)


def minimax(ballots: Ballots, *, unranked: str = "below", strength: str = "winning2") -> Result:
    """Minimax: the better candidate is the one whose worst defeat is weaker.

    P. B. Simpson, "On defining areas of voter choice", Quarterly Journal of Economics 83 (1969), and G. H. Kramer, "A
    dynamical model of political equilibrium", Journal of Economic Theory 16 (1977). A defeat is as strong as the
    contest is for its winner. A candidate who is never beaten has no defeat.

    `reasons`:
    - `worst`: by name the worst defeat {by, for, against}, where `by` names who inflicted it (of equal ones the first
      by name) and `for` are that candidate's votes; None for a candidate who is never beaten.
    """
    names = ballots.normal.candidates
    pairwise = ballots.normal.summary.pairwise(unranked)
    defeats = list(zip(*strengths(pairwise, strength), strict=True))  # [i][j]: how strongly i was beaten by j

    def worst(i: int) -> dict[str, Any] | None:
        by = defeats[i].index(max(defeats[i]))
        beaten = {"by": names[by], "for": pairwise[by][i], "against": pairwise[i][by]}
        return beaten if defeats[i][by] else None

    reasons = {
        "strength": strength,
        "condorcet_winner": condorcet_winner(names, pairwise),
        "worst": {name: worst(i) for i, name in enumerate(names)},
    }
    groups = group_by_score({name: -max(defeats[i]) for i, name in enumerate(names)})
    return result_of(ballots, "minimax", groups, unranked=unranked, pairwise=pairwise, reasons=reasons)
