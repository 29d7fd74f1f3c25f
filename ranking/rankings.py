"""Rankings as typed into the rank boxes of a ballot, as stored, and by name: pure decisions with refusals in
sentences."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from acts.refusals import Refusal
from photos.rules import Photo
from tally.ballots import groups_of, ranking_of, ratings_of

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
    """What a ballot's boxes show, by candidate number: ranks, or the values of a ballot with values."""
    if "@" in rankings:
        return ratings_of(rankings)
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


# --- rank boxes ---

RANK_PREFIX = "rank-"  # what the name of a rank box starts with
CHOICE = "choice"  # after the prefix: radio buttons, of which the chosen one has a candidate's number as its value


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
    """What was sent, by candidate number. A radio button marks its candidate with a 1, as a box does."""
    sent = {name.removeprefix(RANK_PREFIX): list(typed) for name, typed in post.lists() if name.startswith(RANK_PREFIX)}
    return sent | {number: ["1"] for number in sent.pop(CHOICE, []) if number}


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
        return gettext("Options you leave out rank below all the others.")
    if options:
        return gettext("Your vote counts neither for nor against options you leave out.")
    if unranked == "below":
        return gettext("Candidates you leave out rank below all the others.")
    return gettext("Your ballot counts neither for nor against candidates you leave out.")
