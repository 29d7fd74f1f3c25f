"""How far an election has got, besides its votes: what was mailed, what is being mailed, whether it is sealed."""

from __future__ import annotations

from dataclasses import dataclass

from acts.site import table
from store import keys

from . import invitations
from .invitations import INVITED, Counts
from .rules import Election, State


@dataclass(frozen=True, slots=True)
class Progress:
    invited: Counts | None = None
    reminded: Counts | None = None
    is_inviting: bool = False  # invitations were asked for and are still being queued
    is_sealed: bool = False

    @property
    def mails(self) -> list[Counts]:
        return [counts for counts in (self.invited, self.reminded) if counts is not None]

    @property
    def failed(self) -> int:
        return sum(counts.failed for counts in self.mails)

    @property
    def sent(self) -> int:
        return sum(counts.sent for counts in self.mails)

    def uninvited(self, election: Election) -> int:
        return invitations.waiting(election, self.invited) if self.invited else 0


def progress(election: Election) -> Progress:
    """In one read, however long the roll is. A draft has got nowhere yet."""
    if election.stored_state == State.DRAFT:
        return Progress()
    counted = keys.mail_counts(election.name, election.created_at)
    inviting, result = keys.mailing(election.name, INVITED), keys.result(election.name)
    found = table().get_many([counted, inviting, result])
    mails = [invitations.counts_of(found.get(counted, {}), *each) for each in invitations.LABELS.items()]
    return Progress(mails[0], mails[1], inviting in found, result in found)
