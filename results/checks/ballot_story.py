"""What the browser needs to know about a count to show what one ballot did in it. The ballot stays in the browser."""

from __future__ import annotations

from itertools import pairwise as steps_of
from typing import Any

from tally.result import Result, Round

MAX_CONTESTS = 200
EVERYTHING = "1.000000000"  # the keep value of a candidate who is not elected yet


def ballot_story(result: Result) -> dict[str, Any]:
    """Candidates are numbers into `candidates` throughout, so that hundreds of them stay a short text."""
    contests = decisive_contests(result)
    return {
        "method": result.method,
        "unranked": result.unranked,
        "candidates": result.candidates,
        "rounds": [_round(result, each) for each in result.rounds or ()],
        "contests": contests[:MAX_CONTESTS],
        "more": len(contests) > MAX_CONTESTS,
    }


def decisive_contests(result: Result) -> list[dict[str, int]]:
    """The contests that decided the winner: their own, those on the chains that carried them, and those skipped."""
    if not result.pairwise:
        return []
    number = {name: position for position, name in enumerate(result.candidates)}
    first = [number[name] for name in result.winners]
    pairs = [(i, j) for i in first for j in range(len(number)) if i != j]
    if paths := result.reasons.get("paths"):
        pairs += [step for i in first for path in paths[i] for step in steps_of(path)]
    pairs += [(number[each["winner"]], number[each["loser"]]) for each in result.reasons.get("skipped", ())]
    once: dict[frozenset[int], tuple[int, int]] = {}
    for pair in pairs:
        once.setdefault(frozenset(pair), pair)
    votes = result.pairwise
    return [{"one": i, "other": j, "for": votes[i][j], "against": votes[j][i]} for i, j in once.values()]


def _round(result: Result, each: Round) -> dict[str, Any]:
    number = {name: position for position, name in enumerate(result.candidates)}
    said: dict[str, Any] = {
        "elected": [number[name] for name in each.elected],
        "eliminated": [number[name] for name in each.eliminated],
    }
    if each.keep is not None:
        said["keep"] = {number[name]: keep for name, keep in each.keep.items() if keep != EVERYTHING}
    elif each.transfers and not each.eliminated:
        giver = each.transfers[0].source
        said["surplus"] = {"giver": number[giver], "held": each.tally[giver], "quota": each.threshold}
    return said
