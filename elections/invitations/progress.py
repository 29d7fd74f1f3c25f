"""Progress of an election besides votes: mails sent, mails under way, sealing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from acts.caches import Cacheable, get_cached
from acts.storage import table
from elections.rules import Election, State
from store import keys
from store.table import Item

from . import mailing
from .mailing import INVITED, REMINDED, MailCounts


@dataclass(frozen=True, slots=True)
class Sealing:
    """How many ballots of a closed election are published, from the progress mark of the sealing."""

    parts: int
    of: int
    sealed: int  # ballots in these parts
    ballots: int

    def __str__(self) -> str:
        values = {"part": self.parts, "parts": self.of}
        values |= {"sealed": number_format(self.sealed), "ballots": number_format(self.ballots)}
        return _("Sealing: part %(part)s of %(parts)s is done, %(sealed)s of %(ballots)s ballots.") % values

    @classmethod
    def from_mark(cls, mark: Item | None) -> Sealing | None:
        """None before the first part is done, as the total is unknown, and for a single part."""
        if mark is None or mark.get("of", 0) < 2:
            return None
        return cls(mark["parts"], mark["of"], mark["sealed"], mark["ballots"])


@dataclass(frozen=True, slots=True)
class Progress:
    counts: Mapping[str, MailCounts] = field(default_factory=dict)  # of mails, by their kind
    is_inviting: bool = False  # invitations were asked for and are still being queued
    is_sealed: bool = False
    sealing: Sealing | None = None  # while that takes its time

    @property
    def invited(self) -> MailCounts | None:
        return self.counts.get(INVITED)

    @property
    def reminded(self) -> MailCounts | None:
        return self.counts.get(REMINDED)

    @property
    def mails(self) -> list[MailCounts]:
        return list(self.counts.values())

    @property
    def failed(self) -> int:
        return sum(counts.failed for counts in self.mails)

    @property
    def sent(self) -> int:
        return sum(counts.sent for counts in self.mails)

    def uninvited(self, election: Election) -> int:
        """From the counts alone: people removed after their invitation still count as invited."""
        return max(0, election.voter_count - self.invited.voters) if self.invited else 0


def progress(election: Election) -> Progress:
    """In one read, however long the roll is. A draft has got nowhere yet."""
    if election.stored_state == State.DRAFT:
        return Progress()
    counted = keys.mail_counts(election.name, election.created_at)
    inviting = mailing.MAILING.key(mailing.subject_of(election.name, INVITED))
    result = keys.result(election.name)
    mark = keys.sealing(election.name)
    found = table().get_many([counted, inviting, result, *([mark] if election.stored_state == State.CLOSED else [])])
    counts = found.get(counted, {})
    mails = {kind: mailing.counts_of(counts, kind, label) for kind, label in mailing.LABELS.items()}
    return Progress(mails, inviting in found, result in found, Sealing.from_mark(found.get(mark)))


def sealing(election_name: str) -> Sealing | None:
    """How far it was at most a second ago, for a page that waits for it."""
    mark = keys.sealing(election_name)
    return Sealing.from_mark(get_cached(Cacheable([mark])).get(mark))
