"""A roll that follows a source: a file behind a web address, or a group or team at a sign-in provider.

What is listed there and missing on the roll is added. Who is no longer listed is removed while the election is a draft,
and never afterwards. A source that cannot be read, or that lists nobody, changes nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import takewhile
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from accounts import repository as people
from accounts.connectors import identities
from accounts.models import User
from elections import repository, rolls, voter_lists
from elections.actions import check, record
from elections.dashboard.concerns import Concern, ElectionSnapshot
from elections.roll import services
from elections.rules import Action, Election, State
from elections.voter_lists import VoterRow
from foundation.acts import outbound
from foundation.acts.queues import log_failure, process_each
from foundation.acts.refusals import NotAllowed, NotNow, Refusal
from foundation.acts.retry import retry_lost_race
from foundation.acts.storage import now_text, table, try_write
from foundation.mail import outbox
from foundation.pages import lists
from foundation.pages.lists import Verdict
from foundation.store import keys
from foundation.store.log import as_text
from foundation.store.table import Delete, Equals, Item, Put, Unavailable

FILE, GROUP = "file", "group"
HOUR = 2  # of the night, in the time zone of the election
SOURCES_PER_LOOK = 100
MAX_NAMED = 10  # rolls that are followed every night, where they are named
MAX_GROWTH, ALWAYS_ADDED = 10, 5  # at night the roll of an open election grows by a tenth at most, but always by five
FOLLOWED, NOT_FOLLOWED = "roll_followed", "roll_not_followed"  # kinds of mail
REASONS = {
    **outbound.REASONS,
    "status": gettext_noop("The address answers with an error."),
    "list": gettext_noop("There is no list of voters at the address."),
    "nobody": gettext_noop("The source lists nobody who could be on the roll."),
    "group": gettext_noop("The site no longer lets rolls follow this group."),
    "provider": gettext_noop("The sign-in provider does not say who is in the group."),
    "many": gettext_noop("The source lists less than half of the roll. Check it, then apply it yourself."),
    "more": gettext_noop("The source lists more than a tenth more voters. Check it, then apply it yourself."),
    "organiser": gettext_noop("The person who set this up may no longer change the roll."),
    "error": gettext_noop("Something went wrong on this site."),
}


class SourceError(Refusal):
    """A source that cannot be followed; `reason` is a key of REASONS."""

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return _(REASONS[self.reason])


def trouble(reason: str) -> str:
    """That a night has failed, and why, in a sentence; empty if none has."""
    sentence = _("The roll could not follow its source last night, and nobody was removed. %(reason)s")
    return sentence % {"reason": _(REASONS[reason])} if reason else ""


@dataclass(frozen=True, slots=True)
class Source:
    """What a roll follows. Web addresses may contain secrets: only those who run the election see them."""

    election_name: str
    kind: str
    place: str  # the web address, or provider and group
    set_by: str = ""  # whose account follows it every night, and which of that name
    account: str = ""
    due: str = ""  # the next night; empty if it is only followed by hand
    followed_at: str = ""
    failed: str = ""  # why it could not be followed last night


def find(election_name: str) -> Source | None:
    item = table().get(keys.roll_source(election_name))
    return Source(**{name: item[name] for name in Source.__dataclass_fields__ if name in item}) if item else None


def _item(source: Source) -> Item:
    index = {"GSI1PK": keys.ROLL_SOURCES.pk, "GSI1SK": source.due} if source.due else {}
    fields = {name: getattr(source, name) for name in Source.__dataclass_fields__}
    return {**keys.roll_source(source.election_name).item, **index, **fields}


# --- reading ---


def read(kind: str, place: str) -> list[VoterRow]:
    """What the source lists."""
    if kind == GROUP:
        return _read_group(place)
    if kind != FILE:
        raise KeyError(kind)
    response = outbound.request("GET", place, headers={"Accept": "text/csv, text/plain"}, max_bytes=lists.MAX_BYTES)
    if not response.is_success:
        raise SourceError("status")
    return voter_lists.read_voters(response.body)


def _read_group(place: str) -> list[VoterRow]:
    if (found := identities.followable().get(place)) is None:
        raise SourceError("group")
    provider, group = found
    try:
        names, unknown = identities.group_members(provider, group)
    except Refusal:
        raise SourceError("provider") from None
    reason = _("No account here is linked with this one at %(provider)s.") % {"provider": provider.label}
    rows = [VoterRow(line, name, name, Verdict.NEW) for line, name in enumerate(names, 1)]
    return [*rows, *(VoterRow(line, login, None, Verdict.INVALID, reason) for line, login in enumerate(unknown, 1))]


# --- comparing ---


@dataclass(frozen=True, slots=True)
class Difference:
    """What following a source does: each row with its verdict, and who is removed."""

    rows: Sequence[VoterRow]
    removed: Sequence[str]

    @property
    def added(self) -> list[str]:
        return [row.value for row in self.rows if row.verdict == Verdict.NEW and row.value]

    @property
    def changed(self) -> list[str]:
        """Who comes into other voter groups, or has another weight."""
        return [row.value for row in self.rows if row.verdict == Verdict.CHANGED and row.value]

    @property
    def unchanged(self) -> int:
        """How many of those listed are on the roll already."""
        return sum(row.verdict in (Verdict.THERE, Verdict.CHANGED) for row in self.rows)

    @property
    def digest(self) -> str:
        """By which an organiser applies what they have seen, and nothing else."""
        details = (f"{row.value} {row.weight} {voter_lists.as_groups(row.groups or ())}" for row in self.rows)
        return hashlib.sha256("\n".join((*self.added, "", *self.removed, *details)).encode()).hexdigest()


def difference(removable: Iterable[str], rows: Sequence[VoterRow]) -> Difference:
    """Of the people on the roll who may be removed, and the rows of a source compared with the roll."""
    if not any(row.verdict in (Verdict.NEW, Verdict.THERE, Verdict.CHANGED) for row in rows):
        raise SourceError("nobody")
    listed = {keys.fold(row.value) for row in rows if row.value}
    return Difference(rows, [name for name in removable if keys.fold(name) not in listed])


def compare(election: Election, rows: Sequence[VoterRow]) -> Difference:
    is_draft = election.state(now_text()) == State.DRAFT
    on_roll = [voter.name for voter in rolls.every_voter(election)] if is_draft else []
    return difference(on_roll, services.compare(election, rows))


# --- following ---


def follow(actor: User, election: Election, found: Difference) -> None:
    """Apply it. Who has voted is never removed, even if voting began a moment ago: then the write is refused."""
    check(actor, election, Action.ADD_VOTERS)
    if found.removed:
        services.remove_together(actor, election, found.removed)
    services.put_on_roll(actor, election, [*found.added, *found.changed], voter_lists.details_of(found.rows))


def choose(actor: User, election: Election, kind: str, place: str, *, nightly: bool) -> None:
    """From now on the roll follows this source: by hand, or also every night."""
    check(actor, election, Action.ADD_VOTERS)
    source = Source(election.name, kind, place, followed_at=now_text())
    if nightly:
        source = replace(source, set_by=actor.name, account=actor.created_at, due=_next_night(election))
    record(actor, "RollSourceSet", election, {"kind": kind, "nightly": nightly}, Put(_item(source)))


def drop(actor: User, election: Election) -> None:
    check(actor, election, Action.ADD_VOTERS)
    record(actor, "RollSourceDropped", election, {}, Delete(keys.roll_source(election.name)))


# --- every night ---


def failed_night(snapshot: ElectionSnapshot) -> Iterator[Concern]:
    """What the dashboard of an election says of it."""
    source = snapshot.progress.beside.get(keys.roll_source(snapshot.election.name), {})
    if (reason := source.get("failed", "")) and snapshot.state != State.CLOSED:
        page = snapshot.link("roll_source", _("Follow a source"), "ADD_VOTERS")
        yield Concern("source", trouble(reason), page)


def _next_night(election: Election) -> str:
    now = datetime.fromisoformat(now_text()).astimezone(ZoneInfo(election.time_zone))
    night = now.replace(hour=HOUR, minute=0, second=0, microsecond=0)
    return as_text(night if night > now else night + timedelta(days=1))


def followed_nightly() -> list[str]:
    """Which rolls are, in sentences."""
    found = table().page(keys.ROLL_SOURCES, limit=MAX_NAMED)
    sentence = _("The roll of “%(name)s” follows its source every night.")
    sentences = [sentence % {"name": item["election_name"]} for item in found.items]
    return [*sentences, _("Other rolls follow a source every night, too.")] if found.cursor else sentences


def next_due() -> float | None:
    """In how many seconds a roll follows its source, 0 for now."""
    first = table().page(keys.ROLL_SOURCES, limit=1).items
    if not first:
        return None
    now = datetime.fromisoformat(now_text())
    return max(0.0, (datetime.fromisoformat(first[0]["due"]) - now).total_seconds())


def follow_due(goes_on: Callable[[], bool] = lambda: True, now: Callable[[], str] = now_text) -> int:
    """Follow what is due; returns how many. One that is cut short is followed again, which adds nobody twice."""
    due = table().page(keys.roll_sources_due(now()), limit=SOURCES_PER_LOOK).items
    return process_each(takewhile(lambda _item: goes_on(), due), _follow_one)


def _follow_one(item: Item) -> int:
    """With mails about what an open roll gained or, once, that it failed."""
    source = find(item["election_name"])  # the index may lag
    if source is None or source.due != item["due"]:
        return 0
    election, mails = repository.find(source.election_name), list[Put]()
    after = replace(source, due="", set_by="", account="", failed="")
    if election is not None and election.state(now_text()) != State.CLOSED:
        after, found = _attempted(source, election)
        if after.failed and after.failed != source.failed:
            mails = _mails(election, NOT_FOLLOWED, reason=after.failed)
        elif found and (found.added or found.changed) and election.state(now_text()) != State.DRAFT:
            mails = _mails(election, FOLLOWED, added=str(len(found.added)), changed=str(len(found.changed)))
    try_write(Put(_item(after), when=Equals("due", source.due) & Equals("place", source.place)), *mails)
    return 1


def _mails(election: Election, kind: str, **about: str) -> list[Put]:
    organisers = table().get_many([keys.user(name) for name in (election.owner_name, *election.managers)]).values()
    addresses = [people.user_of(item).email for item in organisers]
    return [outbox.queued(kind, each, None, election_name=election.name, **about) for each in addresses]


def _attempted(source: Source, election: Election) -> tuple[Source, Difference | None]:
    """Due again, unless nobody may follow it any longer; and what was done."""
    stopped = replace(source, due="", set_by="", account="")
    again = replace(source, due=_next_night(election))
    try:
        found = _follow_as(source, election)
    except (NotAllowed, NotNow):
        return replace(stopped, failed="organiser"), None
    except (SourceError, outbound.OutboundError) as error:
        return replace(again, failed=error.reason), None
    except lists.NotAList:
        return replace(again, failed="list"), None
    except Unavailable:
        raise
    except Exception as error:  # it is tried again next night, not at once
        log_failure(error)
        return replace(again, failed="error"), None
    return replace(again, failed="", followed_at=now_text()), found


def _follow_as(source: Source, election: Election) -> Difference:
    """As the person who chose it, with what they may do tonight."""
    actor = people.find(source.set_by)
    if actor is None or actor.created_at != source.account:
        raise NotAllowed
    check(actor, election, Action.ADD_VOTERS)
    rows = read(source.kind, source.place)

    def act() -> Difference:
        current = repository.find(election.name) or election
        found = compare(current, rows)
        if len(found.removed) * 2 > current.voter_count:
            raise SourceError("many")
        growth = max(ALWAYS_ADDED, current.voter_count // MAX_GROWTH)
        if current.state(now_text()) != State.DRAFT and len(found.added) + len(found.changed) > growth:
            raise SourceError("more")
        follow(actor, current, found)
        return found

    return retry_lost_race(act)
