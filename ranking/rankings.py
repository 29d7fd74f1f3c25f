"""Parses submitted ranks into a ranking, and shows rankings by name: pure decisions with refusals in sentences."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence

from django.utils.translation import gettext_lazy as _

from acts.refusals import Refusal
from tally.ballots import groups_of, ranking_of

from .candidates import Candidate


class BadRanking(Refusal):
    """The submitted ranks are not a ranking of these candidates."""


Ranks = Mapping[str, Sequence[str]]  # what rank boxes say: candidate number -> what was typed


def ranking_from(ranks: Ranks, candidates: Sequence[Candidate]) -> str:
    """The ranking that the rank inputs give. Only a forged form has several values for one input.

    Equal numbers are equal ranks, an empty input leaves the candidate out, and gaps do not matter.
    """
    names = {str(each.number): each.name for each in candidates}
    groups: dict[int, list[int]] = {}
    for number, typed in ranks.items():
        if number not in names:
            raise BadRanking(_("The ballot names somebody who is not a candidate in this election."))
        if (rank := _rank(typed, names[number])) is not None:
            groups.setdefault(rank, []).append(int(number))
    return ranking_of(groups[rank] for rank in sorted(groups))


def _rank(typed: Sequence[str], name: str) -> int | None:
    text = typed[0].strip() if typed else ""
    if len(typed) > 1 and any(other.strip() != text for other in typed):
        raise BadRanking(_("%(name)s is ranked twice.") % {"name": name})
    if not text:
        return None
    if not (text.isascii() and text.isdigit()) or len(text) > 9 or int(text) < 1:
        raise BadRanking(_("The rank of %(name)s must be a whole number: 1, 2, 3 …") % {"name": name})
    return int(text)


def ranks_of(rankings: str) -> dict[int, int]:
    """The rank of every candidate a ranking ranks, by number: what its rank boxes show."""
    return {number: rank for rank, group in enumerate(groups_of(rankings), 1) for number in group}


def ranked_names(rankings: str, candidates: Sequence[Candidate]) -> list[list[str]]:
    """A ranking in names, best first."""
    names = {each.number: each.name for each in candidates}
    return [[names[number] for number in group] for group in groups_of(rankings)]


def unranked_names(rankings: str, candidates: Sequence[Candidate]) -> list[str]:
    ranked = ranks_of(rankings)
    return [each.name for each in candidates if each.number not in ranked]


def shuffled(candidates: Collection[Candidate], listing: bytes) -> list[Candidate]:
    """In an order that is random per voter and stable for each, so that no candidate profits from being first."""

    def place(candidate: Candidate) -> bytes:
        return hashlib.sha256(listing + b"\n" + candidate.name.encode()).digest()

    return sorted(candidates, key=place)
