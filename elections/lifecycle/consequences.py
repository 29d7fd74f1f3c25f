"""What closing or deleting an election means, in numbers and sentences, shown before the button."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from elections.invitations.progress import Progress
from elections.rules import Election, State
from foundation.pages.times import seconds_left, split_seconds


@dataclass(frozen=True, slots=True)
class Figure:
    label: str
    number: str


@dataclass(frozen=True, slots=True)
class Consequences:
    figures: tuple[Figure, ...]
    sentences: tuple[str, ...]
    is_calm: bool = False  # nothing is lost by it


# --- closing ---


def closing(election: Election, voted: int, now: str) -> Consequences:
    """How many have not voted, and how much time they still had: the less is lost, the calmer."""
    waiting = max(0, election.electors - voted) if election.electorate == "listed" else None
    left = _seconds_left(election, now)
    figures = [Figure(_("have voted"), str(voted))]
    if waiting is not None:
        figures.append(Figure(_("have not voted"), str(waiting)))
    if left is None:
        end = _("No end is planned: it ends when you close it.")
    elif left == 0:
        end = _("The planned end has passed.")
    else:
        end = _("There are %(time)s left until the planned end.") % {"time": _time_text(left)}
    sentences = [f"{_turnout_text(election, voted, waiting)} {end}"]
    if not voted:
        sentences.append(_("Nobody has voted, so there will be nothing to count."))
    sentences.append(_("After that nobody can vote, and nothing can be changed."))
    return Consequences((*figures, *time_left(election, now)), tuple(sentences), is_calm=waiting == 0 or left == 0)


def _seconds_left(election: Election, now: str) -> int | None:
    return seconds_left(election.ends, datetime.fromisoformat(now)) if election.ends else None


def time_left(election: Election, now: str) -> list[Figure]:
    """How long until the planned end, if there is any time."""
    left = _seconds_left(election, now)
    return [Figure(_("left until the planned end"), _time_text(left))] if left else []


def _turnout_text(election: Election, voted: int, waiting: int | None) -> str:
    if waiting == 0:
        return _("Everyone has voted.")
    if waiting is None:
        return ngettext("%(voted)d has voted.", "%(voted)d have voted.", voted) % {"voted": voted}
    values = {"waiting": waiting, "voters": election.electors}
    text = ngettext("%(waiting)d of %(voters)d has not voted.", "%(waiting)d of %(voters)d have not voted.", waiting)
    return text % values


def _time_text(seconds: int) -> str:
    return " ".join(map(str, split_seconds(seconds)))


# --- deleting ---


def deleting(
    election: Election, candidates: int, voted: int, mails: int, progress: Progress, address: str
) -> Consequences:
    """`mails` is how many went out; `address` is that of the published result, if there is one."""
    figures = [Figure(_("Candidates"), str(candidates))]
    if election.electorate == "listed" or election.voter_count:
        figures.append(Figure(_("Voters"), str(election.voter_count)))
    if election.stored_state != State.DRAFT:
        figures += [Figure(_("Ballots"), str(voted)), Figure(_("Mails sent"), str(mails))]
    text = ngettext(
        "Its candidates, its roll and %(count)d ballot will be deleted for good. The event log keeps a "
        "record of what happened.",
        "Its candidates, its roll and %(count)d ballots will be deleted for good. The event log keeps a "
        "record of what happened.",
        voted,
    )
    sentences = [text % {"count": voted}]
    if address:
        sentences.append(
            _("The result is published at %(address)s; that page will be deleted, too.") % {"address": address}
        )
    elif progress.is_sealed:
        sentences.append(_("The sealed result will be deleted, too: nobody can look it up or check it any more."))
    if election.stored_state in (State.EDITABLE, State.OPEN):
        sentences.append(_("It is not closed yet, so there will be no result."))
    return Consequences(tuple(figures), tuple(sentences))
