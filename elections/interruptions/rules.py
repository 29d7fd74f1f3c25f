"""What may be put on record as an interruption, and what it changes."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from django.utils.translation import gettext_lazy as _

from acts.refusals import Refusal
from elections.interruption import Interruption
from elections.rules import Election

MAX_INTERRUPTIONS = 20  # of an election: every page reads them
MAX_TEXT_CHARS = 400


class NotRecorded(Refusal):
    """Why an interruption cannot be put on record as it was entered."""


def check_entry(election: Election, entry: Interruption, now: str) -> None:
    """It happened while people could vote, is over, and is not yet on record."""
    if len(election.interruptions) >= MAX_INTERRUPTIONS:
        raise NotRecorded(_("At most %(most)d entries can be recorded.") % {"most": MAX_INTERRUPTIONS})
    if entry.ended > now:
        raise NotRecorded(_("It cannot end in the future. Record it when it is over."))
    if entry.began >= entry.ended:
        raise NotRecorded(_("It must end after it began."))
    if entry.began < _minute(max(filter(None, (election.opened_at, election.no_voting_before)), default="")):
        raise NotRecorded(_("It began before people could vote."))
    if any(end and entry.began >= end for end in (election.closed_at, election.no_voting_after)):
        raise NotRecorded(_("It began after voting had ended."))
    if any(each.says_the_same(entry) for each in election.interruptions):
        raise NotRecorded(_("This is already on record."))
    if entry.corrects and entry.corrects > len(election.interruptions):
        raise NotRecorded(_("There is no entry of that number to correct."))


def _minute(moment: str) -> str:
    """The minute it was in: times are entered to the minute."""
    return datetime.fromisoformat(moment).strftime("%Y-%m-%dT%H:%M") if moment else ""


def with_interruption(election: Election, entry: Interruption) -> Election:
    after = replace(election, interruptions=(*election.interruptions, entry))
    if not entry.new_end:
        return after
    return replace(after, no_voting_after=entry.new_end, end_moved_at=entry.recorded_at)
