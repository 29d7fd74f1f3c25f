"""A mail in the outbox: its kind, what it is about, and what has become of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from foundation.store.table import Key


class NothingToSay(Exception):
    """The mail can no longer be composed, because what it was about is gone."""


class Withdrawn(NothingToSay):
    """The sender or the recipient no longer wants a mail that is still waiting."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """Where a sender counts its mails: totals in one item, and one entry per failed mail."""

    counts: Key
    kind: str
    failure: Key

    def counted(self, state: str) -> str:
        return f"{self.kind}_{state}"


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail in the outbox."""

    number: str
    kind: str
    to: str
    about: dict[str, str]
    language: str
    state: str
    reason: str  # a key of outbox.REASONS, or empty
    detail: str  # the mail server's last reply
    tries: int
    queued_at: str
    ledger: Ledger | None = None
    not_before: int = 0
    again_at: str = ""  # when a retry was last requested
    note: str = ""  # a key of outbox.NOTES, or empty: what was reported after sending
    note_detail: str = ""

    @property
    def next_try(self) -> datetime:
        return datetime.fromtimestamp(self.not_before, UTC)

    def queued_for(self, now: float) -> float:
        """Seconds since it was queued."""
        return now - datetime.fromisoformat(self.queued_at).timestamp()

    def waited_for(self, now: float) -> float:
        """Seconds since it was queued or last requeued by a person."""
        return now - datetime.fromisoformat(self.again_at or self.queued_at).timestamp()
