"""Polls in the table: reading them, and the writes that keep all items of a poll consistent."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from functools import lru_cache, partial
from itertools import chain
from typing import Any

from django.utils.translation import gettext_lazy as _

from foundation.acts import storage
from foundation.acts.background import TaskType
from foundation.acts.caches import ParseCache
from foundation.acts.gates import (
    MAX_GATES_PER_TRANSACTION,
    Gates,
    as_of,
    count_votes,
    is_not_later,
    new_shards,
    read_sharded,
)
from foundation.acts.storage import next_version, now_text, table, unchanged
from foundation.pages import markdown
from foundation.ranking.candidates import Candidate
from foundation.store import keys, sharded_reads
from foundation.store.splitting import split_counts
from foundation.store.table import Check, Delete, Equals, Exists, Item, Key, Less, Missing, Put, Span, Update, Write
from foundation.tally.ballots import Ballots

from .rules import MAX_VOTES, Poll

DELETING = TaskType("delete poll", _("Deleting a poll"))

GATES_PER_SHARD = 8  # how many gates each shard of a poll has
SHARDS = 8  # of every poll that is made in a distant store
STORED_AS = {
    "created_at": "createdAt",
    "expires_at": "expiresAt",
    "gone_at": "goneAt",
    "closed_at": "closedAt",
    "hidden_at": "hiddenAt",
}
UNSTORED = {"kind": "ranked", "most": 0}  # what is stored only where it is something else
LISTED = ("id", "title", "created_at", "expires_at", "closed_at", "hidden_at", "time_zone")  # what lists show


@dataclass(frozen=True, slots=True)
class Listed:
    """A poll in a list."""

    id: str
    title: str
    created_at: str
    expires_at: str | None
    closed_at: str | None
    hidden_at: str | None
    time_zone: str

    def is_open(self, now: str) -> bool:
        return self.closed_at is None and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True, slots=True)
class PollVoterContext:
    """Everything that a decision about someone's vote needs, read at once."""

    poll: Poll
    vote_id: str
    vote: Item | None
    gate: Item | None
    number: int  # of the gate
    repeated: bool  # whether the form was carried out before

    @property
    def revision(self) -> int:
        """How often they have voted, so that a page notices when it is out of date."""
        return self.vote["acts"] if self.vote else 0

    @property
    def is_full(self) -> bool:
        return (
            self.vote is None and self.gate is not None and self.gate.get("voted", 0) >= max_votes_per_gate(self.poll)
        )


# --- where gates and votes lie ---


def new_poll_shards() -> int:
    return new_shards(SHARDS)


def gates_of(poll: Poll) -> Gates:
    return gates_in(poll.shards)


@lru_cache
def gates_in(count: int) -> Gates:
    return Gates(GATES_PER_SHARD * count, partial(keys.poll_gate, shards=count) if count > 1 else keys.poll_gate)


def max_votes_per_gate(poll: Poll) -> int:
    return MAX_VOTES // gates_of(poll).count


# --- finding ---


def _read(own: Key, where: Callable[[int], Iterable[Key]]) -> tuple[int, dict[Key, Item]]:
    """The poll and the keys that `where` returns for its number of shards; and that number."""
    (count,), found = read_sharded([own], where, new_poll_shards())
    return count, found


def find(poll_id: str) -> Poll | None:
    item = table().get(keys.poll(poll_id))
    return poll_of(item) if item else None


def find_with_vote(poll_id: str, vote_id: str | None) -> tuple[Poll, Item | None] | None:
    """A poll and someone's vote in it, in one round trip."""
    at, voters = keys.poll(poll_id), [vote_id] if vote_id else []
    count, found = _read(at, lambda count: [keys.vote(poll_id, each, count) for each in voters])
    own = [found.get(keys.vote(poll_id, each, count)) for each in voters]
    return (poll_of(found[at]), own[0] if own else None) if at in found else None


def has_voted(poll: Poll, vote_id: str) -> bool:
    return table().get(keys.vote(poll.id, vote_id, poll.shards)) is not None


def id_of_code(code: str) -> str | None:
    """None if it is the code of a live session."""
    item = table().get(keys.short_code(code))
    return item.get("poll") if item else None


def random_gate() -> int:
    """A gate for `context`, which takes it modulo the number of gates."""
    return random.randrange(GATES_PER_SHARD * SHARDS)  # noqa: S311 - only to spread the load


def voter_context(poll_id: str, vote_id: str, gate: int, form: str) -> PollVoterContext | None:
    """Read the poll, the vote, a gate and the idempotency key in one round trip."""
    at, mark = keys.poll(poll_id), keys.once(form)

    def where(count: int) -> tuple[Key, Key, Key]:
        gates = gates_in(count)
        return keys.vote(poll_id, vote_id, count), gates.key(poll_id, gate % gates.count), mark

    count, found = _read(at, where)
    if at not in found:
        return None
    (own, through, _mark), number = where(count), gate % gates_in(count).count
    return PollVoterContext(poll_of(found[at]), vote_id, found.get(own), found.get(through), number, mark in found)


def list_page(span: Span, *, limit: int, cursor: str | None = None) -> tuple[list[Listed], str | None]:
    """Newest first."""
    page = table().page(span, limit=limit, cursor=cursor, backwards=True)
    names = [STORED_AS.get(name, name) for name in LISTED]
    rows: Iterator[Iterator[Any]] = (map(item.get, names) for item in page.items)
    return [Listed(*row) for row in rows], page.cursor


def with_gates(poll_id: str) -> tuple[Poll, int, Item | None] | None:
    """The poll, its number of votes and its sealed result, in one round trip."""
    at, sealed = keys.poll(poll_id), keys.poll_result(poll_id)
    _many, found = _read(at, lambda count: [sealed, *gates_in(count).keys(poll_id)])
    if at not in found:
        return None
    poll, head = poll_of(found.pop(at)), found.pop(sealed, None)
    return poll, count_votes(found.values()), head


def count_open() -> int:
    """Those with an end that has not come."""
    return table().count(keys.polls_ending())


def each_vote(poll: Poll) -> Iterator[Item]:
    return sharded_reads.each(table(), keys.votes(poll.id, poll.shards))


def votes_since(poll: Poll, since: str) -> Iterator[Item]:
    """The index may lag behind."""
    return sharded_reads.each(table(), keys.votes_by_time(poll.id, since, poll.shards))


def read_ballots(poll: Poll) -> Ballots:
    """How often each ranking was given, read page by page."""
    names = [each.name for each in poll.candidates]
    pages = sharded_reads.values(table(), keys.votes(poll.id, poll.shards), "rankings")
    return Ballots.of(names, chain.from_iterable(pages))


# --- items ---


def _build_poll(item: Item) -> Poll:
    stored = {each.name: item[name] for each in fields(Poll) if (name := STORED_AS.get(each.name, each.name)) in item}
    candidates = tuple(Candidate(each["name"], number=each["number"]) for each in item["candidates"])
    return Poll(**stored | {"candidates": candidates, "html": markdown.stored_html(item, "description")})


poll_of = ParseCache(_build_poll)


def _stored_fields(poll: Poll) -> Item:
    names = [each.name for each in fields(poll) if each.name != "html"]
    stored = {STORED_AS.get(name, name): getattr(poll, name) for name in names}
    stored = {name: value for name, value in stored.items() if UNSTORED.get(name, ...) != value}
    return stored | {"candidates": [{"number": each.number, "name": each.name} for each in poll.candidates]}


def event_data(poll: Poll) -> Item:
    """Without the digest of the private key."""
    return {name: value for name, value in _stored_fields(poll).items() if name != "key"}


# --- writes; each returns parts of a transaction ---


def creation(poll: Poll, now: int) -> list[Write]:
    """Refused in part 0 if another poll has the code."""
    free = Missing() | Less("ttl", now)
    return [
        Put({**keys.short_code(poll.code).item, "poll": poll.id, "ttl": poll.ttl}, when=free),
        Put(_item(poll), when=Missing()),
        *opening_gates(poll),
        *_entries(poll),
    ]


def _item(poll: Poll) -> Item:
    fields = _stored_fields(poll) | markdown.html_attributes("description", poll.description)
    if ends := poll.closed_at or poll.expires_at:  # then the worker finds it
        fields |= {"GSI1PK": keys.polls_ending().pk, "GSI1SK": keys.id_by_date(ends, poll.id)}
    return {**keys.poll(poll.id).item, **fields, "ttl": poll.ttl}


def _entries(poll: Poll) -> list[Write]:
    """Its entries in lists."""
    at = keys.id_by_date(poll.created_at, poll.id)
    entries: list[Write] = []
    if poll.maker:
        entries.append(_entry(poll, keys.made_poll(poll.id), keys.made_by(poll.maker).pk, at))
    if poll.is_public:
        entries.append(_entry(poll, keys.listed_poll(poll.id), keys.PUBLIC_POLLS.pk, at))
    return entries


def _entry(poll: Poll, place: Key, list_: str, at: str) -> Put:
    listed = {STORED_AS.get(name, name): getattr(poll, name) for name in LISTED}
    return Put({**place.item, "GSI1PK": list_, "GSI1SK": at, **listed, "ttl": poll.ttl})


def opening_gates(poll: Poll) -> list[Write]:
    """Every vote passes a gate, which counts it."""
    return gates_of(poll).opening(poll.id, _as_of(poll), ttl=poll.ttl)


def closing_gates(poll: Poll) -> list[Write]:
    """For a poll that is marked as being closed."""
    return gates_of(poll).shutting(poll.id, _as_of(poll))


def _as_of(poll: Poll) -> str:
    return as_of(poll.created_at, poll.version)


def change(before: Poll, after: Poll) -> list[Write]:
    """Every item that shows the poll. Refused in part 0 if it has changed since it was read."""
    gone = [Delete(keys.listed_poll(before.id))] if before.is_public and not after.is_public else []
    gone += [Delete(keys.made_poll(before.id))] if before.maker and not after.maker else []
    return [storage.change(before, after, _item), *_entries(storage.next_version(before, after)), *gone]


def reopening(before: Poll, after: Poll) -> tuple[list[Write], list[Write]]:
    """Writes before, and with, the event that reopens a poll: a gate that opens early lets no vote through."""
    gates = opening_gates(next_version(before, after))
    unsealing = Delete(keys.poll_result(before.id))
    writes = [*change(before, after), unsealing, *gates[:MAX_GATES_PER_TRANSACTION]]
    return gates[MAX_GATES_PER_TRANSACTION:], writes


def deletion(poll: Poll) -> list[Write]:
    """Makes it vanish for everyone; the rest is deleted in the background (`services.delete_batch`)."""
    lists = [keys.made_poll(poll.id), keys.listed_poll(poll.id)]
    gone = map(Delete, [*lists, keys.short_code(poll.code), keys.poll_result(poll.id)])
    task = DELETING.begin(poll.id, due=now_text(), shards=poll.shards)
    return [Delete(keys.poll(poll.id), when=unchanged(poll)), *gone, task]


# --- votes ---


def casting(context: PollVoterContext, rankings: str, voted_at: str) -> list[Write]:
    """The gate and the vote. Refused if the poll was closed since `context` was read, or they voted elsewhere."""
    new = context.vote is None
    has_room = Missing("voted") | Less("voted", max_votes_per_gate(context.poll))
    when = [is_not_later(_as_of(context.poll)), *([has_room] if new else [])]
    passed = gates_of(context.poll).passing(context.poll.id, context.number, {"voted": int(new)}, *when)
    poll = context.poll
    by_time = keys.id_by_date(voted_at, context.vote_id)
    item = {
        **keys.vote(poll.id, context.vote_id, poll.shards).item,
        "GSI1PK": keys.vote_by_time(poll.id, context.vote_id, poll.shards),
        "GSI1SK": by_time,
        "id": context.vote_id,
        "pollId": poll.id,
        "rankings": rankings,
        "votedAt": voted_at,
        "acts": context.revision + 1,
        "ttl": poll.ttl,
    }
    return [passed, Put(item, when=Equals("acts", context.revision) if context.vote else Missing())]


# --- sealed results ---


def find_sealed(poll_id: str) -> Item | None:
    return table().get(keys.poll_result(poll_id))


def sealing(poll: Poll, report: bytes, votes: int, digest: str, sealed_at: str) -> Put:
    """Of several that seal at once, one wins."""
    fields = {"report": report, "votes": votes, "digest": digest, "sealedAt": sealed_at, "ttl": poll.ttl}
    return Put({**keys.poll_result(poll.id).item, **fields}, when=Missing())


def marking_sealed(poll: Poll) -> Update:
    """The worker need not look at it again. Refused if it was reopened."""
    return Update(keys.poll(poll.id), set={"version": poll.version}, remove=("GSI1PK", "GSI1SK"), when=unchanged(poll))


def write_counted(poll: Poll, ballots: Ballots) -> None:
    """How often each ranking was given, in as many items as needed; before the result that makes them count."""
    for number, batch in enumerate(split_counts(ballots.counts)):
        packed = zlib.compress(json.dumps(batch, separators=(",", ":")).encode())
        fields = {"counted": packed, "digest": ballots.digest, "ttl": poll.ttl}
        part = Put({**keys.poll_counted_part(poll.id, number).item, **fields})
        table().write(Check(keys.poll(poll.id), Exists()), part)


def read_counted(poll: Poll, digest: str) -> Ballots:
    """The sealed votes, without parts of an earlier seal."""
    counts: dict[str, Any] = {}
    for item in table().each(keys.poll_counted_parts(poll.id)):
        if item["digest"] == digest:
            counts |= json.loads(zlib.decompress(item["counted"]))
    return Ballots(tuple(sorted(each.name for each in poll.candidates)), counts)
