"""How often links are mailed on request. Every limit delays or merges mails; none refuses anybody."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from foundation.acts.rate_limits import SECONDS_PER_DAY, SECONDS_PER_HOUR, TEN_MINUTES_IN_SECONDS, Limit

# Requests of one network beyond these come later, one after another: sooner than `PER_NETWORK` lets their mails go.
PROMPT_PER_NETWORK = Limit("my-link-asked", 60, TEN_MINUTES_IN_SECONDS)
LATE_SECONDS = 0.25
# Between two mails to one address: short at first, for who has deleted one; long where somebody keeps asking.
PAUSES = (TEN_MINUTES_IN_SECONDS, SECONDS_PER_HOUR, 6 * SECONDS_PER_HOUR, SECONDS_PER_DAY)
# Only mails that are really sent count, so addresses that are made up delay nobody.
PER_NETWORK = Limit("my-link-network", 300, TEN_MINUTES_IN_SECONDS)
SITE_WIDE = Limit("my-link-site", 3000, TEN_MINUTES_IN_SECONDS)
NO_QUOTA_LEFT_SECONDS = 600  # before checking again whether the organiser's mails of the day have room


@dataclass(frozen=True, slots=True)
class Answered:
    """What one address was answered lately."""

    answers: int = 0  # one after another, without a long silence between them
    until: int = 0  # no further answer before then
    ttl: int = 0  # when it is forgotten
    turn: int = 0  # one more with each write
    listed: str = ""  # marks of what the last mail had links for

    def must_wait(self, now: int, open_: Collection[str]) -> bool:
        """Not for a link that no mail has had: nobody can keep it from somebody by asking for others before."""
        return now < self.until and set(open_) <= set(self.listed.split())


def after_answer(before: Answered, now: int, open_: Collection[str]) -> Answered:
    """Pauses grow as long as the address is asked for, however rarely, and are forgotten after a day of silence."""
    answers = before.answers + 1 if now < before.ttl else 1
    pause = PAUSES[min(answers, len(PAUSES)) - 1]
    return Answered(answers, now + pause, now + pause + SECONDS_PER_DAY, before.turn + 1, " ".join(open_))
