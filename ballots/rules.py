"""Who may vote in an election now, with refusals in sentences; ballots as values, and comparing them. All pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from django.utils.translation import gettext_lazy as _

from elections.rules import Election, State
from foundation.acts.refusals import NotNow, Refusal
from foundation.pages import times
from foundation.store.table import Item


class Over(NotNow):
    """Voting has closed."""


class NotOnTheRoll(Refusal):
    pass


class HasNotVoted(Refusal):
    """There is no ballot to change or to withdraw."""


class HasVoted(Refusal):
    """They have voted, and cannot replace that ballot, or not like this."""


class NotConfirmed(Refusal):
    """Here voters confirm first that they have read how to protect their device."""


class NotTheirs(Refusal):
    """What the form would cast was cast before, and by somebody else."""


NOT_ON_THE_ROLL = _("You are not on the electoral roll for this election.")
CLOSED = _("This election is closed. Ballots can no longer be cast, changed or withdrawn.")
NOT_OPEN = _("This election is not open for voting.")
FINAL = _("You have voted, and your vote counts. In this election votes are final.")
ONLY_WITH_WORDS = _(
    "You have voted. Nobody can tell which ballot is yours, not even this site: only with the words on your receipt "
    "can it be changed or withdrawn."
)
CAST_OTHERWISE = _(
    "You have voted, and your vote counts. You did not vote with this link but in another way: with an earlier link, "
    "signed in or on paper. So this link does not lead to your ballot."
)
NO_SUCH_BALLOT = _(
    "These words do not open a ballot here. Is this the election you voted in? After the close, ballots can no longer "
    "be opened."
)
NOT_THEIRS = _(
    "This form has the secret or the number of a form that somebody else has sent, so your vote was not cast. Please "
    "check your ballot and cast it again: it gets a new secret."
)
NOT_CONFIRMED = _("Please confirm first that you have read how to protect your device.")
NOTHING_CAST = _("You have not voted in this election.")


@dataclass(frozen=True, slots=True)
class Ballot:
    """A ballot; only in a public election does it record when it was cast."""

    rankings: str
    confirmation: str
    when_cast: str | None = None
    weight: int = 1  # how many times it counts


Ballots = Mapping[int, Ballot]  # what a voter says to each question, by its number


def check_voting(election: Election, now: str) -> None:
    """Refuse votes before the opening and after the close; the closing moment itself is too late."""
    state = election.state(now)
    if state == State.CLOSED:
        raise Over(CLOSED)
    if state == State.DRAFT:
        raise NotNow(NOT_OPEN)
    if not election.takes_votes(now):
        assert election.begins is not None  # there is no other reason to be early
        when = times.moment_with_zone(election.begins, election.time_zone)
        raise NotNow(_("This election is not open yet. Voting begins: %(when)s.") % {"when": when})


def not_on_the_roll(election: Election) -> str:
    """Why a member who may vote here has no vote in this election."""
    if not election.questions_for(()):
        return for_others(election)
    if election.electorate != "everyone" or election.opened_at is None:
        return NOT_ON_THE_ROLL
    values = {"when": times.moment_with_zone(times.from_text(election.opened_at), election.time_zone)}
    return _("Only people who could vote here when this election opened can take part: %(when)s.") % values


def for_others(election: Election) -> str:
    """Why somebody who is in none of the voter groups that may vote has no vote."""
    return _("This election is for: %(groups)s.") % {"groups": ", ".join(election.voting_groups)}


# --- comparing published ballots ---


class PublishedBallot(NamedTuple):
    """A ballot as published; a secret one names no voter."""

    code: str
    ranking: str
    weight: str = ""  # how many times it counts, if not once
    voter: str = ""

    @classmethod
    def of(cls, item: Item) -> PublishedBallot:
        return cls(item["confirmation"], item["rankings"], str(item.get("weight", "")), item.get("voter_name", ""))


class Mismatch(Exception):
    """The first difference from what was sealed."""


def compare(sealed: Iterable[PublishedBallot], stored: Iterable[PublishedBallot], where: str) -> None:
    """Both must be sorted by code; raises `Mismatch` for the first ballot that differs or is out of order."""
    for right, there in zip_longest(sealed, stored):
        if right == there:
            continue
        if right is not None and there is not None and right.code == there.code:
            raise Mismatch(f"the ballot {right.code} {where} is not what was sealed.")
        if there is None or (right is not None and right.code < there.code):
            raise Mismatch(f"the ballot {right.code} was sealed, but is not {where}.")
        raise Mismatch(f"the ballot {there.code} is {where}, but was not sealed.")


def compare_remaining(sealed: Iterable[PublishedBallot], stored: Iterable[PublishedBallot], where: str) -> None:
    """As `compare`, but some may be missing: each that is stored must be one that was sealed, unchanged."""
    known = iter(sealed)
    for there in stored:
        right = next((each for each in known if each.code >= there.code), None)
        if right is None or right.code != there.code:
            raise Mismatch(f"the ballot {there.code} is {where}, but was not sealed.")
        if right != there:
            raise Mismatch(f"the ballot {right.code} {where} is not what was sealed.")
