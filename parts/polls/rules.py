"""What a poll is, when it takes votes, and who may do what: pure decisions."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum

from django.utils.translation import gettext_lazy as _

from accounts.rules import Permission, Role, has
from foundation.acts.refusals import NotNow, Rule, permitted
from foundation.pages import times
from foundation.pages.markdown import Html
from foundation.ranking.candidates import Candidate
from foundation.ranking.marks import BadRanking, Ranks, marks_from
from foundation.store import keys
from foundation.store.keys import fold
from foundation.store.log import as_text
from foundation.store.table import Key

MIN_CANDIDATES, MAX_CANDIDATES = 2, 50
MAX_DESCRIPTION_CHARS = 5_000
MAX_OPEN_DURATION = timedelta(days=366)  # an end later than that would keep a poll for ever
RETENTIONS = (30, 90, 365)  # days after its end that a maker may choose from
MAX_VOTES = 100_000  # in one poll, which fit the memory of a process; more need an election


KINDS = {  # of ballot, as makers choose them
    "ranked": _("Ranked: best first"),
    "choose": _("Choose: one or a few"),
    "approval": _("Approval: all that suit"),
    "score": _("Score: 0 to 5 each"),
}
NOT_THERE = _("This poll does not exist. It may have expired and been removed.")
CLOSED = _("This poll is closed. You can no longer vote or change your vote.")
SIGN_IN_FIRST = _("Only people with an account here can vote in this poll. Sign in first.")
FULL = _("This poll is full: it has reached the maximum number of votes.")
HIDDEN = _("The administrators of this site have hidden this poll.")


class PollAction(Enum):
    """What someone who manages a poll can do."""

    CLOSE = "close"
    REOPEN = "reopen"
    EXTEND = "extend"
    LIST = "list"
    UNLIST = "unlist"
    ELECT = "elect"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class Poll:
    """A stored poll. Times are UTC, as text."""

    id: str
    code: str
    title: str
    candidates: tuple[Candidate, ...]
    created_at: str
    gone_at: str  # when it disappears with all it has; fixed the day it was made, because every vote carries it
    maker: str = ""  # empty if it was made without an account
    key: str = ""  # the digest of the private link by which a maker without an account runs it
    description: str = ""
    time_zone: str = "UTC"
    expires_at: str | None = None
    sign_in: bool = False
    results_hidden: bool = False  # until one has voted, or it has ended
    listed: bool = False
    closed_at: str | None = None
    hidden_at: str | None = None  # since when moderators have hidden it
    closing: str | None = None  # who is closing it: votes are no longer accepted, but the event is not yet recorded
    version: int = 1
    shards: int = 1  # in how many partitions its gates and votes lie, from the day it was made
    kind: str = "ranked"  # of ballot
    most: int = 0  # options that a voter may choose
    html: Html | None = field(default=None, compare=False, repr=False)  # of the description, as stored beside it

    unranked = "below"
    fewest = 1  # no vote is blank
    method = ""  # a poll is counted by every method of its kind

    @property
    def place(self) -> Key:
        return keys.poll(self.id)

    def is_open(self, now: str) -> bool:
        """At its end it is closed, whether or not anything has run since."""
        return self.closed_at is None and (self.expires_at is None or now < self.expires_at)

    @property
    def is_public(self) -> bool:
        return self.listed and not self.hidden_at

    @property
    def ends(self) -> datetime | None:
        return times.from_text(self.expires_at) if self.expires_at else None

    @property
    def ended(self) -> datetime | None:
        """When it was closed, or else its end, which may lie ahead."""
        end = self.closed_at or self.expires_at
        return times.from_text(end) if end else None

    @property
    def ttl(self) -> int:
        return int(times.from_text(self.gone_at).timestamp())

    @property
    def seed(self) -> str:
        """For lots: known before the first vote."""
        return self.id


def gone_at(created_at: str, expires_at: str | None, days: int) -> str:
    """This many days after its end or, without an end, after its creation."""
    return as_text(times.from_text(expires_at or created_at) + timedelta(days=days))


# --- votes ---


BLANK = {
    "ranked": _("Rank at least one option."),
    "choose": _("Choose at least one option."),
    "approval": _("Tick at least one option."),
    "score": _("Give at least one option a score above 0."),
}


def vote_from(ranks: Ranks, poll: Poll) -> str:
    """The vote in the boxes: known options, each once, at least one."""
    if set(ranks) - {str(each.number) for each in poll.candidates}:
        raise BadRanking(_("Your vote contains an option that is not in this poll."))
    is_blank = not any(each.strip("0 ") for typed in ranks.values() for each in typed)
    if is_blank and poll.kind != "ranked":
        raise BadRanking(BLANK[poll.kind])
    if not (vote := marks_from(ranks, poll.candidates, poll)):
        raise BadRanking(BLANK[poll.kind])
    return vote


def check_open(poll: Poll, now: str) -> None:
    if poll.hidden_at:
        raise NotNow(HIDDEN)
    if not poll.is_open(now):
        raise NotNow(CLOSED)


# --- running a poll ---


class PollRelation(Enum):
    MAKER = "maker"
    MODERATOR = "moderator"  # ADMIN and above, of another person's poll
    NOBODY = "nobody"


MAKERS = frozenset({PollRelation.MAKER})
RUNNERS = MAKERS | {PollRelation.MODERATOR}
WHILE_OPEN, ONCE_CLOSED, ANY_STATE = frozenset({True}), frozenset({False}), frozenset({True, False})
RULES: dict[PollAction, Rule[PollRelation, bool]] = {
    PollAction.CLOSE: Rule(RUNNERS, WHILE_OPEN),
    PollAction.REOPEN: Rule(MAKERS, ONCE_CLOSED),
    PollAction.EXTEND: Rule(MAKERS, WHILE_OPEN),
    PollAction.LIST: Rule(MAKERS, ANY_STATE),
    PollAction.UNLIST: Rule(RUNNERS, ANY_STATE),
    PollAction.ELECT: Rule(MAKERS, ANY_STATE),
    PollAction.DELETE: Rule(RUNNERS, ANY_STATE),
}


def relation(poll: Poll, name: str, role: Role | None, *, has_key: bool, by_anybody: bool) -> PollRelation:
    """People who have lost the role to create polls no longer run their own, unless anyone may create them."""
    may_make = by_anybody or (role is not None and has(role, Permission.USE_APPLICATION))
    own = bool(name and poll.maker) and fold(name) == fold(poll.maker)
    if (own and may_make) or (has_key and not poll.maker):
        return PollRelation.MAKER
    moderates = role is not None and has(role, Permission.MANAGE_USERS)
    return PollRelation.MODERATOR if moderates else PollRelation.NOBODY


def offered(poll: Poll, who: PollRelation, now: str, *, organises: bool = False) -> set[PollAction]:
    """Exactly what would be accepted. An election is for someone who may organise one."""
    acts = permitted(RULES, who, poll.is_open(now)) - {PollAction.LIST if poll.listed else PollAction.UNLIST}
    return acts if organises else acts - {PollAction.ELECT}


def check_first_end(end: datetime, now: datetime) -> None:
    if end <= now:
        raise NotNow(_("This end has passed already."))
    if end > now + MAX_OPEN_DURATION:
        raise NotNow(_("Choose an end within a year."))


def check_end(poll: Poll, end: str | None, now: str) -> None:
    """An end must be in the future, before the poll is deleted, and not earlier than announced."""
    if end is not None and end <= now:
        raise NotNow(_("The new end has passed already."))
    if end is not None and end > poll.gone_at:
        when = times.moment_text(times.local_time(times.from_text(poll.gone_at), poll.time_zone))
        raise NotNow(_("This poll is only kept until %(when)s. Choose an earlier end.") % {"when": when})
    if poll.is_open(now) and poll.expires_at and end is not None and end < poll.expires_at:
        raise NotNow(_("While it is open, the end may only move later."))
