"""Progress of an election besides votes: mails sent, failed and under way, sealing, what parts add."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from elections.rules import Election, State
from foundation.acts import key_mark
from foundation.acts.caches import Cacheable, get_cached
from foundation.acts.hooks import Hooks
from foundation.acts.storage import table
from foundation.mail import outbox
from foundation.mail.emails import Mail
from foundation.store import keys
from foundation.store.table import Item, Key

from .mailing import ANNOUNCED, COUNTED_STATES, INVITED, MAILING, REMINDED, subject_of

LABELS = {INVITED: gettext_lazy("Invitations"), REMINDED: gettext_lazy("Reminders"), ANNOUNCED: gettext_lazy("Results")}
READ_WITH = Hooks[[str], Key]("what parts show with it, by the name of its election: read in the same round trip")


@dataclass(frozen=True, slots=True)
class MailCounts:
    """How many mails of one kind are in each state."""

    label: str
    queued: int
    sent: int
    failed: int
    nowhere: int  # people on the roll without an account, and so without an address
    beyond: int = 0  # voters beyond these: two of one address get one mail, and one voter may have got two

    @property
    def all(self) -> int:
        return self.queued + self.sent + self.failed + self.nowhere

    @property
    def voters(self) -> int:
        """How many on the roll were to be mailed so far."""
        return self.all + self.beyond


def counts_of(item: Item, kind: str, label: str = "") -> MailCounts:
    return MailCounts(label, *(item.get(f"{kind}_{state}", 0) for state in COUNTED_STATES))


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
    is_reminding: bool = False
    is_sealed: bool = False
    sealing: Sealing | None = None  # while that takes its time
    is_key_replaced: bool = False  # so that sent links and printed letters no longer work
    beside: Mapping[Key, Item] = field(default_factory=dict)  # what parts show with it, as READ_WITH asks for

    @property
    def invited(self) -> MailCounts | None:
        return self.counts.get(INVITED)

    @property
    def reminded(self) -> MailCounts | None:
        return self.counts.get(REMINDED)

    @property
    def mails(self) -> list[MailCounts]:
        """Of each kind of which there are any."""
        return [counts for counts in self.counts.values() if counts.all]

    @property
    def failed(self) -> int:
        return sum(counts.failed for counts in self.mails)

    @property
    def is_mailing(self) -> bool:
        return self.is_inviting or self.is_reminding or any(counts.queued for counts in self.mails)

    def uninvited(self, election: Election) -> int:
        """From the counts alone: people removed after their invitation still count as invited."""
        mailed = election.voter_count - election.by_letter
        return max(0, mailed - self.invited.voters) if self.invited else 0


def progress(election: Election) -> Progress:
    """In one read, however long the roll is. Of a draft there is only what parts show with it."""
    beside = [key(election.name) for key in READ_WITH]
    if election.stored_state == State.DRAFT:
        return Progress(beside=table().get_many(beside) if beside else {})
    counted = keys.mail_counts(election.name, election.created_at)
    inviting, reminding = (MAILING.key(subject_of(election.name, kind)) for kind in (INVITED, REMINDED))
    result, mark = keys.result(election.name), keys.sealing(election.name)
    by_key = [keys.KEY_MARK] if election.vote_by_link or election.by_letter else []
    marks = [mark] if election.stored_state == State.CLOSED else by_key
    found = table().get_many([counted, inviting, reminding, result, *beside, *marks])
    counts = found.get(counted, {})
    mails = {kind: counts_of(counts, kind, label) for kind, label in LABELS.items()}
    sealed = Sealing.from_mark(found.get(mark))
    is_key_replaced = key_mark.is_replaced(found.get(keys.KEY_MARK))
    own = {key: found[key] for key in beside if key in found}
    is_inviting, is_reminding, is_sealed = (place in found for place in (inviting, reminding, result))
    return Progress(mails, is_inviting, is_reminding, is_sealed, sealed, is_key_replaced, own)


def sealing(election_name: str) -> Sealing | None:
    """How far it was at most a second ago, for a page that waits for it."""
    mark = keys.sealing(election_name)
    return Sealing.from_mark(get_cached(Cacheable([mark])).get(mark))


# --- one by one ---


@dataclass(frozen=True, slots=True)
class Failure:
    """A mail that did not go out."""

    voter: str
    kind: str
    reason: str
    detail: str

    @property
    def label(self) -> str:
        return LABELS.get(self.kind) or _("Message")


def failures(election: Election, *, limit: int, cursor: str | None = None) -> tuple[list[Failure], str | None]:
    page = table().page(keys.failed_mails(election.name), limit=limit, cursor=cursor)
    found = [Failure(each["about"]["voter"], each["kind"], each["reason"], each["detail"]) for each in page.items]
    return found, page.cursor


def invited_voters(voters: Sequence[Item]) -> list[tuple[Item, Mail | None]]:
    """Entries of the roll, each with the mail that invited them."""
    numbers = {item[INVITED] for item in voters if INVITED in item}
    found = table().get_many(map(keys.mail, numbers)) if numbers else {}
    mails = {number: outbox.mail_of(found[place]) for number in numbers if (place := keys.mail(number)) in found}
    return [(item, mails.get(item.get(INVITED))) for item in voters]
