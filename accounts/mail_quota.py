"""Daily mail quota: how many mails a person may send to others per UTC day, counted in an item that expires.

Mails are reserved in the transaction that queues them, so concurrent requests cannot exceed the limit together.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.utils.translation import gettext as _

from foundation.acts.refusals import Refusal
from foundation.acts.storage import now_text, table
from foundation.store import keys
from foundation.store.table import Condition, Item, Less, Missing, Update, Write

from . import repository, rules
from .models import User

RETENTION_PERIOD = timedelta(days=2)  # from the start of the day; earlier days are never read


class TooManyMails(Refusal):
    """More than the person may send today."""


@dataclass(frozen=True, slots=True)
class MailQuota:
    """One person's limit and use for one day."""

    name: str
    day: str
    most: int | None  # `None`: no limit
    used: int

    @property
    def left(self) -> int | None:
        return None if self.most is None else max(0, self.most - self.used)

    def holds(self, mails: int) -> bool:
        return self.left is None or mails <= self.left

    def check(self, mails: int) -> None:
        if not self.holds(mails):
            sentence = _(
                "That is more than your daily limit: %(left)d of %(most)d mails are left for today. "
                "Nothing was sent. Try again tomorrow, or ask an admin to raise your limit."
            )
            raise TooManyMails(sentence % {"left": self.left, "most": self.most})

    def reserving(self, mails: int) -> list[Write]:
        """Refused if concurrent reservations leave too little room."""
        if self.most is None or mails == 0:
            return []
        fits: Condition = Less("mails", self.most - mails + 1)
        return [_adding(self.name, self.day, mails, fits | Missing() if mails <= self.most else fits)]


def quota_today(person: User) -> MailQuota:
    """People without a limit are not counted."""
    most, day = daily_limit(person), day_of(now_text())
    item = table().get(keys.mails_of_day(person.name, day)) if most is not None else None
    return MailQuota(person.name, day, most, _used(item))


def quota_today_of(name: str) -> MailQuota:
    """Also works for a removed person: mailings they started continue, up to the site's default limit."""
    day = day_of(now_text())
    person, counted = keys.user(name), keys.mails_of_day(name, day)
    found = table().get_many([person, counted])
    most = daily_limit(repository.user_of(found[person])) if person in found else settings.MAILS_A_DAY
    return MailQuota(name, day, most, _used(found.get(counted)))


def daily_limit(person: User) -> int | None:
    return rules.mails_a_day(person.role, person.mails_a_day, settings.MAILS_A_DAY)


def returning(name: str, day: str, mails: int) -> list[Write]:
    """Give back unused reservations, if they are today's; earlier days no longer matter."""
    return [_adding(name, day, -mails)] if mails and day == day_of(now_text()) else []


def _adding(name: str, day: str, mails: int, when: Condition | None = None) -> Update:
    ends = datetime.fromisoformat(day).replace(tzinfo=UTC) + RETENTION_PERIOD
    counted = keys.mails_of_day(name, day)
    return Update(counted, set={"ttl": int(ends.timestamp())}, add={"mails": mails}, when=when)


def _used(item: Item | None) -> int:
    return int(item["mails"]) if item else 0


def day_of(moment: str) -> str:
    return moment[: len("2027-03-01")]
