"""The rounds of a count as a race on a big screen; a count without rounds is a single one."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _

from foundation.ranking.marks import ANSWERS, answer_label
from foundation.tally.majorities import YES
from foundation.tally.methods import KIND_OF
from foundation.tally.result import Result, Round

from .bars import OF_ELECTIONS
from .drawing import in_order, number, share, voters
from .points import score
from .rounds import chosen, in_words

MAX_RUNNERS = 8  # that the last row of a hall can read
HEADROOM = Fraction(104, 100)  # so that the longest bar does not touch the edge

Context = dict[str, Any]


def laps(result: Result) -> list[Context]:
    """Context of `live/results/parts/race.html`; none where all candidates are compared in pairs."""
    every = _rounds(result) if voters(result) and len(result.candidates) > 1 else []
    names = (list(ANSWERS) if result.method == "majority" else in_order(result))[:MAX_RUNNERS]
    if result.method == "star":  # points, and then ballots
        return [_lap(result, each, names, _longest([each], names)) for each in every]
    return [_lap(result, each, names, _longest(every, names)) for each in every]


def _longest(every: list[Round], names: list[str]) -> Fraction:
    longest = max((Fraction(each.tally.get(name, 0)) for each in every for name in names), default=Fraction(0))
    return max([longest, *(Fraction(each.threshold or 0) for each in every)]) * HEADROOM


def _rounds(result: Result) -> list[Round]:
    if result.rounds:
        return chosen(result.rounds)
    if result.method in ("borda", "plurality") or KIND_OF[result.method] != "ranked":
        tally = {name: str(score(result, name).length) for name in result.candidates}
    elif result.pairwise and len(result.candidates) == 2:
        tally = {name: str(sum(votes)) for name, votes in zip(result.candidates, result.pairwise, strict=True)}
    else:
        return []
    needed = result.reasons["needed"] if result.method == "majority" else ""
    only = Round(1, tally, threshold=needed, exhausted="0", elected=result.winners)
    return _with_runoff(only, result) if result.reasons.get("runoff") else [only]


def _with_runoff(scores: Round, result: Result) -> list[Round]:
    """STAR: the points, and then the ballots that score one of the finalists higher."""
    votes = result.reasons["runoff"]
    return [replace(scores, elected=()), Round(2, votes, threshold="", exhausted="0", elected=result.winners)]


def _lap(result: Result, each: Round, names: list[str], whole: Fraction) -> Context:
    says = in_words(result, each) if each.threshold else [_title(result, each)] if result.method == "star" else []
    if len(names) < len(result.candidates):
        numbers = {"shown": len(names), "every": len(result.candidates)}
        says.insert(1, _("Showing the first %(shown)s of %(every)s.") % numbers)
    order = sorted(names, key=lambda name: (name not in each.tally, -Fraction(each.tally.get(name, 0))))
    bars = [{"option": names.index(name), **_runner(result, each, name, whole)} for name in order]
    needed = share(Fraction(each.threshold), whole) if each.threshold else ""
    return {"number": each.number, "says": says, "needed": needed, "bars": bars}


def _title(result: Result, each: Round) -> str:
    return _("Points") if each.number == 1 else _("Runoff: votes that score one of the two higher")


def _runner(result: Result, each: Round, name: str, whole: Fraction) -> Context:
    earlier = [before for before in result.rounds or () if before.number < each.number]
    moves = earlier[-1].transfers if earlier else ()
    votes = Fraction(each.tally.get(name, 0))
    gain = sum((Fraction(move.votes) for move in moves if move.destination == name), Fraction(0))
    is_elected, is_in = any(name in past.elected for past in (*earlier, each)), name in each.tally
    mark = "elected" if is_elected else "leaving" if name in each.eliminated else "" if is_in else "out"
    elected = _("carried") if result.method == "majority" else OF_ELECTIONS.elected
    word = elected if is_elected else OF_ELECTIONS.eliminated if mark else ""
    shown = {
        "number": number(votes, each.threshold or None) if is_in else "",
        "gain": f"+{number(gain)}" if gain else "",
    }
    if result.method == "majority" and name != YES:
        shown["needed"] = ""  # the line is for those who say yes
    drawn = {"length": share(votes, whole), "since": share(votes - gain, whole), "gained": share(gain, whole)}
    return {
        "label": answer_label(name, KIND_OF[result.method]),
        "mark": mark,
        "word": word,
        "own": False,
        "sign": None,
        **shown,
        **drawn,
    }
