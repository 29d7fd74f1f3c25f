"""Minutes as text, for the page and for print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.utils.translation import gettext as _

from foundation.pages.sorting import natural_sort_key
from parts.assembly.resolutions import ABSTAIN, NO, YES, Outcome, weights_of
from parts.assembly.speakers import Speech
from parts.assembly.wording import (
    KIND_LABELS,
    Version,
    headline,
    next_step,
    numbers,
    versions,
    vote_text,
    voter_text,
    why,
)
from parts.live.rounds import Round, options_of
from parts.questions.question import Question
from results.pictures.drawing import number

from .records import Minutes, Point

VOTED = (YES, NO, ABSTAIN, "")  # in this order, where there is no other


@dataclass(frozen=True, slots=True)
class PointView:
    """An agenda item as the minutes show it."""

    point: Point
    kind: str
    outcome: str
    is_carried: bool
    lines: tuple[str, ...]
    options: tuple[str, ...]
    versions: list[Version]
    laps: list[list[str]]  # votes of each option in each round of a ranking; empty once it is out
    present: tuple[str, ...]  # names
    votes: tuple[tuple[str, tuple[str, ...]], ...]  # in an open vote: each answer, and who gave it
    speeches: tuple[tuple[str, str], ...]  # who, and for how long
    opened: datetime | None
    closed: datetime | None


def point_view(minutes: Minutes, point: Point) -> PointView:
    round_, question = point.round, point.question
    result: Mapping[str, Any] = round_.result if round_ else {}
    counts = round_ is not None and point.counts
    return PointView(
        point=point,
        kind=str(KIND_LABELS[question.kind]),
        outcome=_outcome(point),
        is_carried=counts and result.get("outcome") in (Outcome.CARRIED, Outcome.ELECTED),
        lines=tuple(_lines(point, round_)) if round_ and counts else (),
        options=options_of(round_, question) if round_ else (),
        versions=versions(question, round_) if round_ and counts else [],
        laps=[[number(each) if each else "" for each in lap["tally"]] for lap in result.get("rounds", ())],
        present=_names(minutes, result.get("present", ()), weights_of(round_)) if round_ else (),
        votes=tuple(_by_name(minutes, question, round_)) if round_ and counts else (),
        speeches=tuple((minutes.name_of(each.player), _length(each)) for each in point.speeches),
        opened=_moment(result.get("opened")),
        closed=_moment(result.get("closed")),
    )


def _names(minutes: Minutes, players: Iterable[str], weights: Mapping[str, int]) -> tuple[str, ...]:
    named = ((minutes.name_of(player), weights.get(player, 1)) for player in players)
    return tuple(voter_text(*each) for each in sorted(named, key=lambda each: natural_sort_key(each[0])))


def _moment(milliseconds: int | None) -> datetime | None:
    return datetime.fromtimestamp(milliseconds / 1000, UTC) if milliseconds else None


def _outcome(point: Point) -> str:
    if not point.counts:
        return _("Withdrawn: does not count")
    if point.round is None:
        return _("Not closed")
    return headline(point.question, point.round)


def _lines(point: Point, round_: Round) -> Iterator[str]:
    """The kind of vote, its numbers, the majority needed and who was present; what has decided it, or can."""
    result, question = round_.result, point.question
    if result["outcome"] not in (Outcome.TALKED, Outcome.TOO_FEW):
        yield _("Secret vote.") if result["secret"] else _("Open vote.")
        if told := numbers(question, result):
            yield told
        places = [place for _option, place in result.get("places", ())]
        if result.get("lots") and len(set(places)) < len(places):
            yield _("Options that share a place are tied: only drawing lots could separate them.")
    yield from why(question, round_)
    if point.run_off:
        yield _("A run-off followed: item %(number)s.") % {"number": point.run_off}
    elif step := next_step(round_):
        yield step


def _by_name(minutes: Minutes, question: Question, round_: Round) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Who voted how in an open vote, most frequent first unless there is a fixed order."""
    if round_.result["secret"]:
        return
    voters, weights = dict[str, list[str]](), weights_of(round_)
    for entry in round_.entries:
        voters.setdefault(entry.said, []).append(entry.player)
    for vote in sorted(voters, key=lambda vote: (vote in VOTED and VOTED.index(vote) + 1, -len(voters[vote]), vote)):
        yield vote_text(vote, question, options_of(round_, question)), _names(minutes, voters[vote], weights)


def _length(speech: Speech) -> str:
    """Empty if the end was not recorded."""
    minutes, seconds = divmod(max(0, speech.ended - speech.began) // 1000, 60)
    return _("%(minutes)d:%(seconds)02d min") % {"minutes": minutes, "seconds": seconds} if speech.ended else ""
