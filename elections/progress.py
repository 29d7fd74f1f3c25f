"""How far an election has got, besides its votes: what was mailed, what is being mailed, whether it is sealed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from acts.site import table
from store import keys

from . import invitations
from .invitations import INVITED, REMINDED, Counts
from .rules import Election, State


@dataclass(frozen=True, slots=True)
class Progress:
    counts: Mapping[str, Counts] = field(default_factory=dict)  # of mails, by their kind
    is_inviting: bool = False  # invitations were asked for and are still being queued
    is_sealed: bool = False

    @property
    def invited(self) -> Counts | None:
        return self.counts.get(INVITED)

    @property
    def reminded(self) -> Counts | None:
        return self.counts.get(REMINDED)

    @property
    def mails(self) -> list[Counts]:
        return list(self.counts.values())

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
    kept = found.get(counted, {})
    mails = {kind: invitations.counts_of(kept, kind, label) for kind, label in invitations.LABELS.items()}
    return Progress(mails, inviting in found, result in found)
