"""Who may vote in an election now, and what a ballot says: pure decisions, refusals in sentences."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext_lazy as _

from accounts.rules import Refusal
from elections import times
from elections.repository import Candidate
from elections.rules import Election, State
from tally.ballots import groups_of, ranking_of


class NotNow(Refusal):
    """The election takes no votes: not yet, or no longer."""


class NotThere(Refusal):
    """There is no such election, or none that anybody may know of."""


class NotOnTheRoll(Refusal):
    pass


class HasNotVoted(Refusal):
    """There is no ballot to change or to withdraw."""


class Unlinked(Refusal):
    """They have voted, but nobody can tell any more which ballot is theirs."""


class BadRanking(Refusal):
    """What was sent is not a ranking of these candidates; the words say why."""


NOT_ON_THE_ROLL = _("You are not on the roll of this election.")
CLOSED = _("This election is closed. Ballots can no longer be cast, changed or withdrawn.")
NOT_OPEN = _("This election is not open.")
UNLINKED = _(
    "You have voted, and your ballot counts. Since then this site was restored from a backup, and backups do not keep "
    "what ties secret ballots to their voters: nobody can tell any more which ballot is yours, so it can neither be "
    "shown nor changed nor withdrawn. If you have questions, ask the organisers of the election."
)
NOTHING_CAST = _("There is no ballot of yours in this election.")


Ranks = Mapping[str, Sequence[str]]  # what rank boxes say: candidate number -> what was typed


@dataclass(frozen=True, slots=True)
class Ballot:
    """A ballot as it is stored; only that of a public election says when it was cast."""

    rankings: str
    confirmation: str
    when_cast: str | None = None


def check_voting(election: Election, now: str) -> None:
    """Refuse in words whoever comes before the beginning or after the end; the closing moment itself is too late."""
    state = election.state(now)
    if state == State.CLOSED:
        raise NotNow(CLOSED)
    if state == State.DRAFT:
        raise NotNow(NOT_OPEN)
    if not election.takes_votes(now):
        raise NotNow(_("This election is not open yet. Voting begins: %(when)s.") % {"when": _beginning(election)})


def _beginning(election: Election) -> str:
    assert election.begins is not None  # there is no other reason to be early
    return _when(election.begins, election)


def _when(moment: datetime, election: Election) -> str:
    local = moment.astimezone(times.zone(election.time_zone))
    return f"{times.moment_text(local)}, {times.zone_label(election.time_zone)}"


def not_on_the_roll(election: Election) -> str:
    """Why somebody who may vote here has no vote in this election."""
    if election.electorate != "everyone" or election.opened_at is None:
        return NOT_ON_THE_ROLL
    words = {"when": _when(times.from_text(election.opened_at), election)}
    return _("This election is for everybody who could vote here when it opened: %(when)s.") % words


def ranking_from(ranks: Ranks, candidates: Sequence[Candidate]) -> str:
    """The ranking that rank boxes say. One box says several things only if it was forged.

    Equal numbers are equal ranks, an empty box leaves the candidate out, and gaps do not matter.
    """
    names = {str(each.number): each.name for each in candidates}
    groups: dict[int, list[int]] = {}
    for number, typed in ranks.items():
        if number not in names:
            raise BadRanking(_("The ballot names a candidate who does not stand in this election."))
        if (rank := _rank(typed, names[number])) is not None:
            groups.setdefault(rank, []).append(int(number))
    return ranking_of(groups[rank] for rank in sorted(groups))


def _rank(typed: Sequence[str], name: str) -> int | None:
    different = {text.strip() for text in typed}
    if len(different) > 1:
        raise BadRanking(_("%(name)s is ranked twice.") % {"name": name})
    text = different.pop() if different else ""
    if not text:
        return None
    if not (text.isascii() and text.isdigit()) or len(text) > 9 or int(text) < 1:
        raise BadRanking(_("The rank of %(name)s must be a whole number: 1, 2, 3 …") % {"name": name})
    return int(text)


def ranks_of(rankings: str) -> dict[int, int]:
    """The rank of every candidate a ranking ranks, by number: what its rank boxes show."""
    return {number: rank for rank, group in enumerate(groups_of(rankings), 1) for number in group}


def named(rankings: str, candidates: Sequence[Candidate]) -> list[list[str]]:
    """A ranking in names, best first."""
    names = {each.number: each.name for each in candidates}
    return [[names[number] for number in group] for group in groups_of(rankings)]


def left_out(rankings: str, candidates: Sequence[Candidate]) -> list[str]:
    ranked = ranks_of(rankings)
    return [each.name for each in candidates if each.number not in ranked]


def shuffled(candidates: Collection[Candidate], listing: bytes) -> list[Candidate]:
    """In an order that is random from voter to voter and steady for one, so that being first helps nobody."""

    def place(candidate: Candidate) -> bytes:
        return hashlib.sha256(listing + b"\n" + candidate.name.encode()).digest()

    return sorted(candidates, key=place)
