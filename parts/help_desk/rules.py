"""Requests to the organisers of an election: what they are, their limits, and who may send and answer them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext_lazy as _

from accounts.models import User
from elections.rolls import is_by_number
from elections.rules import Election, State
from foundation.acts.rate_limits import SECONDS_PER_DAY, SECONDS_PER_HOUR, Limit
from foundation.acts.refusals import NotAllowed, NotNow

MAX_TEXT_CHARS = 2_000  # of a request, and of each answer
MAX_REASON_CHARS = 200  # of why somebody was added to the roll, which stays in the log
MAX_REPLIES = 20  # to one request
MAX_WAITING = 10_000  # requests in one inbox
MAX_WAITING_OF_STRANGERS = 2_000  # of these, so that a flood leaves room for people who are known
DAYS_AFTER_CLOSE = 30  # for which people may still ask
RETENTION_DAYS = 90  # after the close, until all requests of an election are deleted
HOURS_BETWEEN_NOTICES = 1  # to the organisers

PER_SENDER = Limit("help-sender", 10, SECONDS_PER_HOUR)
PER_NETWORK = Limit("help-network", 100, SECONDS_PER_DAY)  # people who are not known: a twentieth of their room

WAITING, ANSWERED = "waiting", "answered"
REPLIED, LINK, LETTER, CORRECTED, ADDED = "replied", "link", "letter", "corrected", "added"
DISMISSED, REFUSED = "dismissed", "refused"  # the latter by earlier versions
OUTCOMES = {
    REPLIED: _("answered"),
    LINK: _("new link sent"),
    LETTER: _("letter replaced"),
    CORRECTED: _("address corrected"),
    ADDED: _("put on the roll"),
    DISMISSED: _("closed without an answer"),
    REFUSED: _("refused"),
}
# The sentence that is mailed along.
SENTENCES = {
    REPLIED: "",
    LINK: _("A new invitation is on its way to the address on the roll. Earlier voting links no longer work."),
    LETTER: _("You will get a new letter by post. The earlier one no longer works."),
    CORRECTED: _("Your address on the roll was corrected, and an invitation is on its way to the new one."),
    ADDED: _("You are now on the roll. Your invitation comes in a separate email."),
    DISMISSED: "",
    REFUSED: _("You were not put on the roll."),
}

INBOX_FULL = _(
    "So many requests are waiting that this one cannot be taken. If you have an account or a voting link, sign in or "
    "open the link, and ask again from there: a place is reserved for people who are known."
)
OVERTAKEN = _("Someone else has answered this request in the meantime. Check what it says now.")
NOT_CONFIRMED = _(
    "Only organisers confirmed by an admin can write in their own words to people who are not known here. The buttons "
    "that send a standard text work without that."
)
MANY_REPLIES = _("This request has been answered %(most)d times. Please write to the person directly.")


class InboxFull(NotNow):
    """No more requests of this kind fit."""


class Overtaken(NotNow):
    """Another organiser was faster."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Who sends a request: an account, the holder of a voting link, or somebody who typed a name and an address."""

    name: str  # as organisers see it
    address: str = ""  # to answer to
    account: str = ""  # the account's name,
    account_made: str = ""  # and when it was made
    voter: str = ""  # on the roll, by the link

    @property
    def is_known(self) -> bool:
        return bool(self.account or self.voter)

    @property
    def names(self) -> list[str]:
        """Under which they may be on the roll."""
        return [self.voter, self.account, self.address]

    @property
    def has_code(self) -> bool:
        """Whether they were let in by the code of a letter."""
        return is_by_number(self.voter)

    @property
    def listed_by(self) -> str:
        """By which their requests are found. A member number may be somebody else's in another election."""
        return self.account or (self.address if self.has_code else self.voter) or self.address


@dataclass(frozen=True, slots=True)
class Reply:
    """What an organiser did or wrote."""

    act: str  # of OUTCOMES
    by: str
    at: str
    text: str = ""
    reason: str = ""  # why somebody was added

    @property
    def label(self) -> str:
        return OUTCOMES[self.act]

    @property
    def sentence(self) -> str:
        return SENTENCES[self.act]

    @property
    def when(self) -> datetime:
        return datetime.fromisoformat(self.at)


@dataclass(frozen=True, slots=True)
class HelpRequest:
    """A request and its answers."""

    id: str
    election_name: str
    asker: Asker
    text: str
    asked_at: str
    language: str = "en"
    state: str = WAITING
    replies: tuple[Reply, ...] = ()
    version: int = 1

    @property
    def sent(self) -> datetime:
        return datetime.fromisoformat(self.asked_at)

    @property
    def outcome(self) -> str:
        """What came of it, as of the last answer."""
        return self.replies[-1].label if self.replies else ""


def takes_requests(election: Election, now: str) -> bool:
    """Whether people may ask: from the opening until some time after the close."""
    state = election.state(now)
    if state != State.CLOSED:
        return state != State.DRAFT
    return election.ended is None or datetime.fromisoformat(now) < election.ended + timedelta(days=DAYS_AFTER_CLOSE)


def check_reply(actor: User, request: HelpRequest, text: str) -> None:
    """Words of one's own to an address that somebody typed are for organisers whom an admin has confirmed: others could
    send mails to anybody by writing requests themselves."""
    if len(request.replies) >= MAX_REPLIES:
        raise NotNow(MANY_REPLIES % {"most": MAX_REPLIES})
    if text and not may_write_to(actor, request.asker):
        raise NotAllowed(NOT_CONFIRMED)


def may_write_to(actor: User, asker: Asker) -> bool:
    return asker.is_known or actor.can_write_to_many
