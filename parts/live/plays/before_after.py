"""The same ranking before and after: who moved where, in numbers, and how close it was each time.

Between the two closes an item holds everybody's first choice under pseudonyms with a salt of their own. The second
close counts the movements and deletes the item in the same transaction; so does anything else that ends the comparison.

| `result["moved"]` | what it says |
|---|---|
| `round` | the number of the earlier one |
| `earlier` | its `count`, `winners`, `firsts` (votes in its first round), `close` |
| `close` | of this one: `ballots` that would have changed who wins, if known, and whether fewer could not (`exact`) |
| `both` | how many gave both; `came` only the second, `went` only the first |
| `flows` | lists of from, to, how many: an option, "several" at once, or "nobody" |
| `untold` | instead of these: "few" if they would reveal what a few chose, "lost" if the link between both is lost |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.purging import purge_mark
from foundation.store.table import Delete, Missing, Put, Write
from foundation.tally.ballots import Ballots, groups_of
from foundation.tally.closeness import measure_closeness
from foundation.tally.methods import count
from parts.live import counting, repository
from parts.live.pseudonyms import pseudonym
from parts.live.rounds import MIN_ANONYMOUS_ANSWERS, GivenAnswer, Round
from parts.live.rules import Game, Phase, State
from parts.questions.question import Question

NOBODY, SEVERAL = "nobody", "several"

FirstChoice = int | str  # an option, or one of the two words above


@dataclass(frozen=True, slots=True)
class Before:
    """First choices of the first round, under pseudonyms that can be derived only with this salt."""

    salt: bytes
    firsts: Mapping[str, FirstChoice]


def first_of(ranking: str) -> FirstChoice:
    groups = groups_of(ranking)
    if not groups:
        return NOBODY
    return groups[0][0] if len(groups[0]) == 1 else SEVERAL


def firsts(
    given: Iterable[GivenAnswer], players: Mapping[str, str], question: Question, salt: bytes
) -> dict[str, FirstChoice]:
    """Uses different pseudonyms from the answers, so that the two cannot be linked."""
    found = {each.player: first_of(counting.ranking_of(each.value, question)) for each in given}
    return {pseudonym(salt, players[name]): first for name, first in found.items() if first != NOBODY}


# --- who moved where ---


def flows(
    before: Mapping[str, FirstChoice], after: Mapping[str, FirstChoice], robots: Collection[str] = frozenset()
) -> dict[str, Any]:
    """Counts movements, but only if each group (gave both, only one, only the other) has no people or several, because
    everybody sees who came and left, and each option's totals. `robots` do not count: they give no anonymity."""
    both, came, went = before.keys() & after.keys(), after.keys() - before.keys(), before.keys() - after.keys()
    people = [len(each - set(robots)) for each in (both, came, went)]
    if len(both) < MIN_ANONYMOUS_ANSWERS or any(0 < each < MIN_ANONYMOUS_ANSWERS for each in people):
        return {"untold": "few"}
    ways = Counter((before.get(name, NOBODY), after.get(name, NOBODY)) for name in before.keys() | after.keys())
    moves = sorted(([one, other, number] for (one, other), number in ways.items()), key=_flow_order)
    return {"both": len(both), "came": len(came), "went": len(went), "flows": moves}


def _flow_order(flow: Sequence[Any]) -> tuple[tuple[bool, str], ...]:
    """Options by their number, then several, then nobody."""
    return tuple((isinstance(each, str), "" if each == SEVERAL else f"{each:>3}") for each in flow[:2])


def compared(round_: Round, question: Question, earlier: Round | None, moved: Mapping[str, Any]) -> Round:
    """Adds the comparison to the second of two rounds."""
    if round_.result.get("too_few"):
        return round_
    comparison = {
        "round": earlier.number if earlier else 0,
        "earlier": _summary(earlier, question),
        "close": closeness(round_, question),
    }
    return replace(round_, result={**round_.result, "moved": {**comparison, **moved}})


def _summary(round_: Round | None, question: Question) -> dict[str, Any]:
    if round_ is None or round_.result.get("too_few"):
        return {}
    return {
        "count": round_.count,
        "winners": round_.result["winners"],
        "firsts": round_.result["rounds"][0]["tally"],
        "close": closeness(round_, question),
    }


def closeness(round_: Round, question: Question) -> dict[str, Any]:
    """How many ballots would have had to differ for another option to win."""
    ballots = Ballots.of(counting.names_of(question), [entry.value for entry in round_.entries])
    found = measure_closeness(ballots, count(ballots, "irv"))
    return {"ballots": found.ballots, "exact": found.exact}


# --- storage ---


def linked_round(state: State) -> int:
    """The round whose first choices are stored for comparison with the next one; 0 if there is none."""
    if state.phase == Phase.QUESTION:
        return state.before
    waits = state.phase == Phase.RESULTS and state.twice and not state.before and state.counts(state.round)
    return state.round if waits else 0


def find(game_id: str, round_: int) -> Before | None:
    item = table().get(keys.game_before(game_id, round_))
    return Before(item["salt"], item["firsts"]) if item else None


def linking(game: Game, round_: int, before: Before) -> list[Write]:
    data = {"salt": before.salt, "firsts": dict(before.firsts)}
    return [Put(repository.item_at(keys.game_before(game.id, round_), game, data), when=Missing())]


def unlinking(game: Game, round_: int) -> list[Write]:
    """Deletes the link between anyone's two answers, and purges it from the store's files as well."""
    return [Delete(keys.game_before(game.id, round_)), purge_mark()] if round_ else []
