"""Charts of an assembly's decisions: bars with the majority line, and who voted how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from foundation.pages.sorting import natural_sort_key
from parts.live.rounds import Round, options_of
from parts.live.seats import Seat
from parts.live.symbols import Bar, and_others, symbol
from parts.questions.question import Kind, Question
from results.pictures.drawing import share

from . import wording
from .resolutions import ABSTAIN, NO, YES, Outcome, weights_of

MAX_VOTERS_NAMED = 200  # of an open vote: a thousand phones get the same page


def resolution_context(round_: Round, question: Question, seats: Mapping[str, Seat]) -> dict[str, Any]:
    """A ranking's race is drawn like a poll's."""
    result, options = round_.result, options_of(round_, question)
    return {
        "says": wording.headline(question, round_),
        "is_good": result["outcome"] in (Outcome.CARRIED, Outcome.ELECTED),
        "next_step": wording.next_step(round_),
        "why": wording.why(question, round_),
        "numbers": wording.numbers(question, result),
        "was_voted": result["outcome"] != Outcome.TALKED,
        "is_secret": result["secret"],
        **(BARS[question.kind](result, options) if YES in result and question.kind in BARS else {}),
        "versions": wording.versions(question, round_),
        "voters": _voters(round_, question, options, seats),
        "unnamed": and_others(len(round_.entries) - MAX_VOTERS_NAMED) if not result["secret"] else "",
    }


# --- bars, all on one scale: those who could vote, or the base of the majority ---


def _motion(result: Mapping[str, Any], options: Sequence[str]) -> dict[str, Any]:
    scale = _scale(result)
    carried = {YES: "elected"} if result["outcome"] == Outcome.CARRIED else {}
    bars = [
        Bar(label, share(result[vote], scale), str(result[vote]), mark=carried.get(vote, ""))
        for vote, label in {YES: _("Yes"), NO: _("No"), ABSTAIN: _("Abstentions")}.items()
    ]
    return {"bars": bars, "line": share(result["needed"], scale)}


def _choice(result: Mapping[str, Any], options: Sequence[str]) -> dict[str, Any]:
    scale = _scale(result)
    bars = [_option(result, place, options[place], votes, scale) for place, votes in enumerate(result["chosen"])]
    bars.append(Bar(_("Abstentions"), share(result[ABSTAIN], scale), str(result[ABSTAIN])))
    return {"bars": bars, "line": share(result["needed"], scale) if "needed" in result else "", "on_all": True}


def _option(result: Mapping[str, Any], place: int, label: str, votes: int, scale: int) -> Bar:
    chosen = result["outcome"] == Outcome.ELECTED and place in result["leaders"]
    mark, word = ("elected", _("chosen")) if chosen else ("", "")
    return Bar(label, share(votes, scale), str(votes), symbol(place), mark, word, option=place)


def _scale(result: Mapping[str, Any]) -> int:
    return max(1, result.get("present_votes", result["present_count"]), result.get("of", 0), result.get("needed", 0))


BARS = {Kind.MOTION: _motion, Kind.CHOICE: _choice}


# --- who voted how ---


def _voters(
    round_: Round, question: Question, options: Sequence[str], seats: Mapping[str, Seat]
) -> list[tuple[str, str]]:
    """By name; empty for a secret vote."""
    if round_.result["secret"]:
        return []
    names, weights = {player: seat.name for player, seat in seats.items()}, weights_of(round_)
    votes = ((each.player, wording.vote_text(each.value, question, options)) for each in round_.entries)
    voters = ((names.get(player, player), weights.get(player, 1), vote) for player, vote in votes)
    listed = sorted(voters, key=lambda each: natural_sort_key(each[0]))[:MAX_VOTERS_NAMED]
    return [(wording.voter_text(name, weight), vote) for name, weight, vote in listed]
