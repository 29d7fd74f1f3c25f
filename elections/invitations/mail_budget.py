"""The budget of a mailing: mails reserved when it was requested, then what is left for today.

Voters added since and automatic reminders use what is left for today; when that is used up, it waits for tomorrow.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from accounts import mail_quota
from accounts.mail_quota import MailQuota
from foundation.store.table import Item, Write


class BudgetExhausted(Exception):
    """The organiser has used up today's mails."""


@dataclass(frozen=True, slots=True)
class MailBudget:
    """The budget of one mailing."""

    asked_by: str
    day: str  # on which it was filled
    reserved: int | None  # none: without a limit
    today: MailQuota | None  # looked at only where what is reserved might not be enough
    more: int = 0  # than was reserved, to be taken from today

    @property
    def room(self) -> int | None:
        """How many it may queue now; none: any number."""
        if self.reserved is None or (self.today is not None and self.today.left is None):
            return None
        return self.reserved + ((self.today.left or 0) if self.today else 0)

    def without(self, mails: int) -> MailBudget:
        if self.reserved is None:
            return self
        if self.room is not None and mails > self.room:
            raise BudgetExhausted
        own = min(mails, self.reserved)
        return replace(self, reserved=self.reserved - own, more=mails - own)

    def taking(self) -> list[Write]:
        """Refused if others have used up the budget in the meantime."""
        return self.today.reserving(self.more) if self.today else []

    def giving_back(self) -> list[Write]:
        """What is left when the mailing has ended."""
        return mail_quota.returning(self.asked_by, self.day, self.reserved or 0)

    def stored(self) -> Item:
        return {} if self.reserved is None else {"reserved": self.reserved}


def budget_of(mailing: Item, handful: int) -> MailBudget:
    """A mailing without a limit reserves nothing."""
    asked_by, reserved = mailing["asked_by"], mailing.get("reserved")
    is_enough = reserved is None or reserved >= handful
    return MailBudget(
        asked_by, mailing.get("day", ""), reserved, None if is_enough else mail_quota.quota_today_of(asked_by)
    )
