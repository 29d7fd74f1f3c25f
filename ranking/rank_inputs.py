"""Rank inputs of a ballot form: how pages show them, and what was typed into them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _

from photos.rules import Photo

from .candidates import Candidate

RANK_PREFIX = "rank-"  # what the name of a rank box starts with


@dataclass(frozen=True, slots=True)
class Choice:
    """A candidate as shown on the ballot; the rank is what was typed, valid or not."""

    number: int
    name: str
    statement: str
    link: str
    rank: str
    photo: Photo | None = None


def submitted_ranks(post: MultiValueDict) -> dict[str, list[str]]:
    return {name.removeprefix(RANK_PREFIX): list(typed) for name, typed in post.lists() if name.startswith(RANK_PREFIX)}


def typed_ranks(post: MultiValueDict) -> dict[int, str]:
    """What was typed into the rank inputs, valid or not, by candidate number."""
    short = {
        number: values for number, values in submitted_ranks(post).items() if number.isdecimal() and len(number) < 10
    }
    return {int(number): values[-1] for number, values in short.items()}


def choices_of(candidates: Sequence[Candidate], ranks: Mapping[int, Any]) -> list[Choice]:
    return [_choice(each, ranks) for each in candidates]


def _choice(candidate: Candidate, ranks: Mapping[int, Any]) -> Choice:
    rank = str(ranks.get(candidate.number, ""))
    return Choice(candidate.number, candidate.name, candidate.statement_html, candidate.link, rank, candidate.photo)


def unranked_sentence(unranked: str, *, options: bool = False) -> str:
    """What leaving a candidate unranked means, by the rule of the election or poll."""
    if options and unranked == "below":
        return _("Options you leave out rank below all the others.")
    if options:
        return _("Your vote counts neither for nor against options you leave out.")
    if unranked == "below":
        return _("Candidates you leave out rank below all the others.")
    return _("Your ballot counts neither for nor against candidates you leave out.")
