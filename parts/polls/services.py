"""Actions of poll makers and voters: load, decide, record in one transaction."""

from __future__ import annotations

import hashlib
import secrets
import uuid
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.utils.translation import gettext_lazy as _

from accounts import repository as people
from accounts.handover import Handover, is_still_owner
from accounts.models import User
from accounts.rules import Permission
from accounts.services import role_unchanged
from elections.drafts import copying
from elections.kinds import settings_of_kind
from elections.rules import Election
from foundation.acts import rate_limits, storage
from foundation.acts.background import Batch, Task, finished, next_deletions
from foundation.acts.gates import Closing
from foundation.acts.hooks import Hooks
from foundation.acts.rate_limits import SECONDS_PER_DAY, SECONDS_PER_HOUR, Limit
from foundation.acts.refusals import LostRace, NotAllowed, NotNow, NotThere, TooMany
from foundation.acts.retry import MAX_RACES, retry_on_conflict, run_once, write_each
from foundation.acts.storage import SITE, next_version, now_text, table
from foundation.pages.times import from_text
from foundation.ranking.candidates import Candidate
from foundation.ranking.codes import SYMBOLS, normalise_code
from foundation.ranking.marks import Ranks
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.table import Check, Conflict, Delete, Missing, Write

from . import repository, rules
from .repository import DELETING, PollVoterContext
from .rules import Poll, PollAction, PollRelation

MADE = Limit("poll-maker", 20, SECONDS_PER_HOUR)
MADE_IN_A_DAY = Limit("poll-maker-day", 50, SECONDS_PER_DAY)
CODE_CHARS = 6
VOTER, ANONYMOUS_MAKER = "@voter", "@maker"  # any voter, any maker without an account: the log has no names
NOT_YOURS = _("You cannot manage this poll.")
NOT_NOW = _("That is not possible in the poll's current state.")


# --- making ---


def may_make(maker: User | AnonymousUser) -> bool:
    return settings.POLLS_BY_ANYBODY or (maker.is_authenticated and maker.can(Permission.USE_APPLICATION))


def count_making(maker: User | AnonymousUser, address: str) -> None:
    """Counts a new poll; refused if the account, or the address of an anonymous maker, has made too many."""
    name = maker.name if maker.is_authenticated else address
    rate_limits.count(MADE, name)
    rate_limits.count(MADE_IN_A_DAY, name)


def make(
    maker: User | AnonymousUser,
    candidates: Sequence[str],
    days: int,
    extra: Callable[[Poll], Iterable[Write]] = lambda poll: (),
    **chosen: Any,
) -> tuple[Poll, str]:
    """Create an open poll; returns it with the private key of an anonymous maker. `extra` adds writes to the
    transaction."""
    key = "" if maker.is_authenticated else secrets.token_urlsafe(24)
    for _attempt in range(MAX_RACES):
        poll = _new(maker, candidates, days, key_digest(key) if key else "", **chosen)
        writes = repository.creation(poll, int(from_text(poll.created_at).timestamp()))
        still = [people.is_same_account(maker)] if maker.is_authenticated else []
        event = Event(poll.maker or ANONYMOUS_MAKER, "PollCreated", repository.event_data(poll))
        try:
            storage.record(event, *writes, *still, *extra(poll))
        except LostRace as refused:
            if max(refused.parts) >= len(writes):  # its maker was removed meanwhile, or what goes with it cannot be
                raise
            continue  # the code is another poll's: draw again
        return poll, key
    raise Conflict("Every short code drawn for a poll was taken.")


def _new(maker: User | AnonymousUser, candidates: Sequence[str], days: int, key: str, **chosen: Any) -> Poll:
    created = now_text()
    return Poll(
        id=str(uuid.uuid4()),
        code=new_code(),
        candidates=tuple(Candidate(name, number=number) for number, name in enumerate(candidates)),
        created_at=created,
        gone_at=rules.gone_at(created, chosen["expires_at"], days),
        maker=maker.name if maker.is_authenticated else "",
        key=key,
        shards=repository.new_poll_shards(),
        **chosen,
    )


def new_code() -> str:
    """With a letter in it: codes of digits only belong to live sessions."""
    while (code := "".join(secrets.choice(SYMBOLS) for _ in range(CODE_CHARS))).isdecimal():
        pass
    return code


OTHER_CODES = Hooks[[str], str | None]("when a code is typed that may be another part's: the address it leads to")


def normalised_code(typed: str) -> str:
    return normalise_code(typed).replace(" ", "").replace("-", "")


def key_digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


# --- voting ---


def voter_context(poll_id: str, vote_id: str, form: str) -> PollVoterContext | None:
    return repository.voter_context(poll_id, vote_id, repository.random_gate(), idempotency_key(vote_id, form))


def idempotency_key(vote_id: str, form: str) -> str:
    """Includes the voter, so that no one can use up another's form."""
    return f"{vote_id} {form}"


def cast(poll_id: str, vote_id: str, ranks: Ranks, form: str, latest: PollVoterContext | None = None) -> int | None:
    """Cast or replace a vote. Returns how often they had voted before, or `None` for a form that was sent before. A
    context that was just read saves a read."""
    form_key = idempotency_key(vote_id, form)
    return run_once(form_key, lambda: _cast(poll_id, vote_id, ranks, form_key, latest), None)


def _cast(poll_id: str, vote_id: str, ranks: Ranks, form_key: str, latest: PollVoterContext | None) -> int | None:
    """Tries one gate after another: only some may be closed or full."""
    full, first = 0, repository.random_gate()
    for number in count():
        now = now_text()
        context, latest = latest or repository.voter_context(poll_id, vote_id, first + number, form_key), None
        if context is None:
            raise NotThere(rules.NOT_THERE)
        if context.repeated:
            return None
        rules.check_open(context.poll, now)
        rankings = rules.vote_from(ranks, context.poll)
        full += context.is_full
        with suppress(LostRace):  # shut, full, or they voted elsewhere meanwhile: look again and decide anew
            _record_vote(context, rankings, now, form_key)
            return context.revision
        if number + 1 == repository.gates_of(context.poll).count:
            break
    raise TooMany(rules.FULL) if full else LostRace()


def _record_vote(context: PollVoterContext, rankings: str, now: str, form_key: str) -> None:
    before = context.vote
    voted_at = max(now, before["votedAt"]) if before else now  # another machine's clock may be ahead
    event_data = {"poll_id": context.poll.id, "vote_id": context.vote_id, "rankings": rankings, "votedAt": voted_at}
    event = Event(VOTER, "PollVoteCast", event_data | {"changed": before is not None})
    storage.record(event, *repository.casting(context, rankings, voted_at), once=form_key)


# --- running a poll ---


def relation(poll: Poll, user: User | AnonymousUser, key: str) -> PollRelation:
    has_key = bool(poll.key) and secrets.compare_digest(key_digest(key), poll.key)
    name, role = (user.name, user.role) if user.is_authenticated else ("", None)
    return rules.relation(poll, name, role, has_key=has_key, by_anybody=settings.POLLS_BY_ANYBODY)


@dataclass(frozen=True, slots=True)
class Runner:
    """Someone who manages a poll: by account, private link, or as a moderator."""

    poll: Poll
    relation: PollRelation
    name: str  # as the log has it
    votes: int  # that were given by then
    organises: bool = False  # whether they may make an election of it

    @property
    def offered(self) -> set[PollAction]:
        return rules.offered(self.poll, self.relation, now_text(), organises=self.organises)

    def check(self, act: PollAction) -> None:
        if self.relation == PollRelation.NOBODY:
            raise NotAllowed(NOT_YOURS)
        if act not in self.offered:
            raise NotNow(NOT_NOW)


def find_runner(poll_id: str, user: User | AnonymousUser, key: str) -> Runner | None:
    """A person's relation to a poll, in one round trip; None if there is no such poll."""
    found = repository.with_gates(poll_id)
    if found is None:
        return None
    poll, votes, _sealed = found
    name = user.name if user.is_authenticated else ANONYMOUS_MAKER
    organises = user.is_authenticated and user.can(Permission.USE_APPLICATION)
    return Runner(poll, relation(poll, user, key), name, votes, organises)


def record(who: str, kind: str, poll: Poll, event_data: dict[str, Any], *writes: Write) -> None:
    storage.record(Event(who, kind, {"poll_id": poll.id, **event_data}), *writes)


# --- closing, and opening again ---


def _begin_closing(poll: Poll, who: str) -> tuple[Poll, list[Write]]:
    now = now_text()
    after = replace(poll, closed_at=min(now, poll.expires_at or now), closing=who)
    return next_version(poll, after), repository.change(poll, after)


def _record_closed(shut: Poll) -> tuple[Poll, Event, list[Write]]:
    after = replace(shut, closing=None)
    event = Event(str(shut.closing), "PollClosed", {"poll_id": shut.id, "closedAt": shut.closed_at})
    return next_version(shut, after), event, repository.change(shut, after)


CLOSING = Closing(_begin_closing, _record_closed, repository.closing_gates)


def with_end_recorded(poll: Poll) -> Poll:
    if poll.is_open(now_text()) or (poll.closed_at and not poll.closing):
        return poll
    return CLOSING.close(poll, SITE)[0]


def close(who: Runner) -> None:
    who.check(PollAction.CLOSE)
    CLOSING.try_finish(CLOSING.begin(who.poll, who.name))


def extend(who: Runner, end: str | None) -> None:
    who.check(PollAction.EXTEND)
    rules.check_end(who.poll, end, now_text())
    after = replace(who.poll, expires_at=end)
    writes = repository.change(who.poll, after)
    retry_on_conflict(lambda: record(who.name, "PollUpdated", who.poll, {"expiresAt": end}, *writes))


def reopen(who: Runner, end: str | None) -> None:
    """Votes can be cast and changed again; the sealed result is deleted."""
    who.check(PollAction.REOPEN)
    poll = with_end_recorded(who.poll)
    rules.check_end(poll, end, now_text())
    after = replace(poll, expires_at=end, closed_at=None)
    early, writes = repository.reopening(poll, after)
    write_each(early)
    record(who.name, "PollReopened", poll, {"expiresAt": end}, *writes)


# --- moderating ---


def hide(admin: User, poll: Poll) -> None:
    """From everyone but its maker and moderators."""
    if poll.hidden_at:
        raise NotNow(NOT_NOW)
    after = replace(poll, hidden_at=now_text())
    event_data = {"hiddenAt": after.hidden_at}
    record(admin.name, "PollHidden", poll, event_data, *repository.change(poll, after), role_unchanged(admin))


def show(admin: User, poll: Poll) -> None:
    if not poll.hidden_at:
        raise NotNow(NOT_NOW)
    changed = repository.change(poll, replace(poll, hidden_at=None))
    record(admin.name, "PollShown", poll, {}, *changed, role_unchanged(admin))


# --- listing, deleting, turning into an election ---


def list_publicly(who: Runner, *, listed: bool) -> None:
    who.check(PollAction.LIST if listed else PollAction.UNLIST)
    after = replace(who.poll, listed=listed)
    kind = "PollListed" if listed else "PollUnlisted"
    record(who.name, kind, who.poll, {}, *repository.change(who.poll, after))


def delete(who: Runner) -> None:
    """The log keeps its events; the worker deletes the rest."""
    who.check(PollAction.DELETE)
    record(who.name, "PollDeleted", who.poll, {}, *repository.deletion(who.poll))


@DELETING.step
def delete_batch(task: Task) -> Batch:
    """Gates first, so that no vote gets in after the votes are deleted."""
    poll_id, shards = task.subject, task.data["shards"]
    is_gone = Check(keys.poll(poll_id), Missing())
    if not task.progress:
        write_each(Delete(place) for place in repository.gates_in(shards).keys(poll_id))
    left = next_deletions(keys.all_of_poll(poll_id), *keys.all_in_poll_shards(poll_id, shards))
    return Batch([is_gone, *left], {"are_gates_gone": True}) if left else finished(is_gone)


def make_election(who: Runner, organiser: User, name: str) -> Election:
    """A draft with the same question, options and kind of ballot; the poll is unchanged, and votes are not copied."""
    who.check(PollAction.ELECT)
    poll = who.poll
    names = [each.name for each in poll.candidates]
    chosen: dict[str, Any] = {"description": poll.description, "time_zone": poll.time_zone, "of_options": True}
    if poll.kind != "ranked":
        chosen |= settings_of_kind({"kind": poll.kind, "fewest": poll.fewest, "most": poll.most})
    return copying.make(organiser, name, names, **chosen)


# --- when a person leaves ---


def _record_heir(poll: Poll, gone: str, heir: str | None) -> None:
    after = replace(poll, maker=heir or "")
    record(SITE, "PollUpdated", poll, {"maker": after.maker}, *repository.change(poll, after), *is_still_owner(heir))


pass_on = Handover(
    lambda name: [item["id"] for item in table().each(keys.made_by(name))],
    repository.find,
    lambda name, poll: keys.fold(name) == keys.fold(poll.maker),
    _record_heir,
).pass_on
