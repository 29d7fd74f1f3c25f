"""What an assembly resolves: a vote counted at its close, with who was there and what it took.

| kind | `value` | `result` besides what all have |
|---|---|---|
| topic, or an item closed without a vote | | `outcome` "talked" |
| motion | "yes", "no", "abstain" | `yes`, `no`, `abstain` |
| choice | "2" (an option), "abstain" | `chosen` how often each, `abstain`, `leaders`, `yes`, `no` of the leader |
| ranking | a ranking, "" abstains | as a poll's: `method`, `winners`, `places`, `rounds`, …, `abstain` |
| alternatives | the same | `winners`, `places`, `pairwise`, `best`; `yes`, `no`, `abstain`: the best or no change |

If some votes count several times, yes, no, abstentions and the like are votes; an open vote then also has `weights` (of
those present whose vote does: id and number), `voters`, `votes` that they cast, `present_votes` and `entitled_votes`. A
quorum is always of people.

All have `kind`, `secret`, `present` (ids of players), `present_count`, `entitled`, `quorum`, `quorate`, `majority`,
`opened` and `closed` (milliseconds), `outcome`; where a majority is asked, `needed` and `of`. An outcome is "carried",
"lost", "elected" (a person or an option was chosen), "tied", "invalid" (too few were there), "too few" (to keep it
secret) or "talked".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any

from foundation.tally.ballots import Ballots
from foundation.tally.majorities import majority_of
from foundation.tally.methods import count as counted
from parts.live import rounds
from parts.live.rounds import Entry, GivenAnswer, Round, may_be_shown, options_of
from parts.live.rules import Game, Phase, State
from parts.questions.question import Kind, Question

from . import attendance

YES, NO, ABSTAIN = "yes", "no", "abstain"


class Outcome(StrEnum):
    TALKED = "talked"
    CARRIED = "carried"
    LOST = "lost"
    ELECTED = "elected"
    TIED = "tied"
    INVALID = "invalid"  # too few were there
    TOO_FEW = "too few"  # voted, so that it would not stay secret


Counted = dict[str, Any]  # what a result holds of the votes alone
Votes = Counter[str]  # how many there are of each
NO_WEIGHTS: Mapping[str, int] = {}


def resolve_item(
    game: Game,
    state: State,
    question: Question,
    answers: Iterable[GivenAnswer],
    present: Sequence[str],
    now: int,
    weights: Mapping[str, int] = NO_WEIGHTS,
) -> Round:
    """Seals the current item: an open vote with who voted how, a secret one with receipts only. `weights`: how many
    times the vote of a player counts, if not once."""
    voted = state.phase == Phase.VOTING
    cast = [replace(each, value=_normalised_vote(question, each.value)) for each in answers] if voted else []
    common = _common_result(game, state, question, present, now)
    if not voted:
        return Round(state.round, state.question, 0, common | {"outcome": Outcome.TALKED.value})
    if question.secret and not may_be_shown(len(cast), sum(each.robot for each in cast)):
        return Round(state.round, state.question, len(cast), common | {"outcome": Outcome.TOO_FEW.value})
    votes: Votes = Counter()
    for each in cast:
        votes[each.value] += weights.get(each.player, 1)
    if game.own.extra_votes and not question.secret:
        common |= {
            "weights": [[player, weights[player]] for player in sorted(present) if player in weights],
            "present_votes": sum(weights.get(player, 1) for player in present),
            "entitled_votes": game.own.entitled + game.own.extra_votes,
            **{"voters": len(cast), "votes": votes.total()},
        }
    numbers = COUNTS[question.kind](question, votes, game)
    needed, outcome = _needed(question, numbers, common), Outcome.INVALID
    if common["quorate"]:  # without a quorum nothing is decided, whatever the votes
        outcome = _decided(question, numbers, needed, common)
    if question.secret:
        entries = rounds.anonymous_entries(cast)
    else:
        entries = tuple(Entry(each.player, each.value) for each in sorted(cast, key=lambda each: each.player))
    result = common | numbers | needed | {"outcome": outcome.value}
    return Round(state.round, state.question, len(cast), result, entries)


def _common_result(game: Game, state: State, question: Question, present: Sequence[str], now: int) -> dict[str, Any]:
    return {
        "kind": str(question.kind),
        "secret": question.secret,
        "majority": question.majority,
        "present": sorted(present),
        **attendance.quorum_data(game, len(present)),
        "opened": state.clock.began,
        "closed": now,
    }


def _normalised_vote(question: Question, vote: Any) -> str:
    """An invalid vote counts as an abstention; no browser sends one."""
    if question.kind == Kind.MOTION:
        return vote if vote in (YES, NO) else ABSTAIN
    if question.kind == Kind.CHOICE:
        return vote if vote in map(str, range(len(question.options))) else ABSTAIN
    return rounds.ranking_of(vote, question)


# --- the numbers ---


def _choice(question: Question, votes: Votes, game: Game) -> Counted:
    chosen = [votes[str(place)] for place in range(len(question.options))]
    most = max(chosen)
    leaders = [place for place, count in enumerate(chosen) if count == most] if most else []
    against = sum(chosen) - most
    return {"chosen": chosen, ABSTAIN: votes[ABSTAIN], "leaders": leaders, YES: most, NO: against}


def _ranking(question: Question, votes: Votes, game: Game) -> Counted:
    """By instant runoff. Lots decide nothing here: options that stay level are tied."""
    if not any(votes):
        return {"winners": [], "places": [], "rounds": [], "lots": [], "between": False, ABSTAIN: votes.total()}
    return rounds.race(question, votes, "irv", game.id) | {ABSTAIN: votes[""]}


def _alternatives(question: Question, votes: Votes, game: Game) -> Counted:
    """By Schulze; then the best version against the last one, which is no change."""
    names = rounds.names_of(question)
    result = counted(Ballots(names, votes).normal, "schulze")
    at = [result.candidates.index(name) for name in names]
    assert result.pairwise is not None  # as Schulze counts by pairs
    pairwise = [[result.pairwise[i][j] for j in at] for i in at]
    winners = sorted(names.index(name) for name in result.winners) if any(votes) else []
    places = [[names.index(name), place] for name, place in result.places]
    last = len(names) - 1
    best = min((place, option) for option, place in places if option != last)[1]
    yes, no = pairwise[best][last], pairwise[last][best]
    common = {"method": result.method, "winners": winners, "places": places, "pairwise": pairwise, "best": best}
    return common | {YES: yes, NO: no, ABSTAIN: votes.total() - yes - no}


COUNTS: Mapping[Kind, Callable[[Question, Votes, Game], Counted]] = {
    Kind.MOTION: lambda question, votes, game: {each: votes[each] for each in (YES, NO, ABSTAIN)},
    Kind.CHOICE: _choice,
    Kind.RANKING: _ranking,
    Kind.ALTERNATIVES: _alternatives,
}


def weights_of(round_: Round) -> dict[str, int]:
    """How many times the vote of a player counted, if not once."""
    return dict(round_.result.get("weights", ()))


# --- a vote that decided nothing, and what follows ---


def run_off_options(round_: Round) -> list[int]:
    """Those that are tied or, where no option of a choice has its majority, the two with the most votes.

    Empty if the vote was decisive, or a run-off would be the same vote again.
    """
    result = round_.result
    if result.get("outcome") == Outcome.TIED:
        return sorted(result.get("leaders", result.get("winners", ())))
    chosen = result.get("chosen", ()) if result.get("outcome") == Outcome.LOST else ()
    second = max([1, *sorted(chosen)[-2:-1]])
    leading = [place for place, votes in enumerate(chosen) if votes >= second]
    return leading if 1 < len(leading) < len(chosen) else []


def run_off_question(question: Question, round_: Round, title: str) -> Question | None:
    """A vote between these options, or None. “No change” stays, because the majority is counted against it."""
    options, level = options_of(round_, question), run_off_options(round_)
    if not level:
        return None
    remaining = [options[place] for place in level]
    if question.kind == Kind.ALTERNATIVES:
        remaining.append(options[-1])
    kind = Kind.RANKING if question.kind == Kind.IDEAS else question.kind
    options, is_secret = tuple(remaining), question.secret or question.kind == Kind.IDEAS
    return replace(question, title=title, kind=kind, options=options, secret=is_secret, run_off=round_.number)


# --- what it means ---


def _needed(question: Question, numbers: Counted, common: Mapping[str, Any]) -> dict[str, int]:
    if question.kind == Kind.RANKING or (question.kind == Kind.CHOICE and not question.majority):
        return {}
    majority = majority_of(question.majority)
    of = majority.base(numbers[YES], numbers[NO], *_bases(common))
    return {"needed": majority.needed(of), "of": of}


def _decided(question: Question, numbers: Counted, needed: Mapping[str, int], common: Mapping[str, Any]) -> Outcome:
    passed = numbers.get(YES, 0) >= needed.get("needed", 1)
    if question.kind == Kind.MOTION:
        return Outcome.CARRIED if passed else Outcome.LOST
    leaders = numbers["leaders" if question.kind == Kind.CHOICE else "winners"]
    if not leaders:
        return Outcome.LOST
    if question.kind == Kind.ALTERNATIVES:
        is_carried = any(_carries(question, numbers, each, common) for each in leaders)
        decided = Outcome.TIED if len(leaders) > 1 else Outcome.CARRIED
        return decided if is_carried and len(question.options) - 1 not in leaders else Outcome.LOST
    if len(leaders) > 1:
        return Outcome.TIED
    return Outcome.ELECTED if passed or question.kind == Kind.RANKING else Outcome.LOST


def _carries(question: Question, numbers: Counted, version: int, common: Mapping[str, Any]) -> bool:
    """Whether a version has its majority over no change."""
    yes, no = numbers["pairwise"][version][-1], numbers["pairwise"][-1][version]
    return majority_of(question.majority).carries(yes, no, *_bases(common))


def _bases(common: Mapping[str, Any]) -> tuple[int, int]:
    """The votes of those present, and of all who are entitled."""
    return common.get("present_votes", common["present_count"]), common.get("entitled_votes", common["entitled"])
