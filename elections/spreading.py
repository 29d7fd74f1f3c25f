"""The roll of a draft that is to hold more than its partitions take: it is spread over more of them, whoever dies on
the way.

One recorded transaction says over how many, and leaves a mark behind unless the roll is empty. The entries are more
than fit one transaction, so they follow a handful at a time; the mark goes last. Whoever needed the room moves them,
and a worker takes up what was cut short. Until then the draft says from how many they come (`spread_from`), and nothing
is done to it that changes its roll, goes by it or takes it elsewhere. An election that is open stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice

from accounts.models import User
from acts.again import go_on, try_again
from acts.queues import take_each
from acts.refusals import OVERTAKEN, Overtaken
from acts.site import log, table
from store import keys, spans
from store.log import Event
from store.splitting import by_count
from store.table import Check, Delete, Equals, Exists, Item, Key, Put, Refused, Update, Write

from . import places, repository
from .rules import STILL_SPREADING, Election, State, WrongState

A_HANDFUL = 45  # entries of one transaction: each is made there and removed here
AT_ONCE = 50  # handfuls that whoever needs the room waits for,
A_TURN = 500  # and a worker, before others have their turn


def with_room(actor: User, election: Election, more: int) -> Election:
    """The election with room for so many more voters on its roll; refused in words while that is being made."""
    election = make_room(actor, election, more)
    if election.spread_from:
        raise WrongState(STILL_SPREADING)
    return election


def make_room(actor: User, election: Election, more: int) -> Election:
    """Begin to make it, where that is needed, and come as far as one can wait for."""
    if not _is_tight(election, more):
        return election
    return try_again(lambda: _make_room(actor, repository.find(election.name) or election, more))


def _is_tight(election: Election, more: int) -> bool:
    """Of a draft only: what is open stays where it is."""
    is_draft = election.stored_state == State.DRAFT
    return is_draft and bool(election.spread_from or places.wanted(election.voter_count + more) > election.shards)


def _make_room(actor: User, election: Election, more: int) -> Election:
    if not election.spread_from and _is_tight(election, more):
        election = spread(actor, election, places.wanted(election.voter_count + more))
    if not election.spread_from:
        return election
    finish(election.name, AT_ONCE)
    return repository.find(election.name) or election


def spread(actor: User, election: Election, shards: int) -> Election:
    event = Event(actor.name, "RollSpread", {"election_name": election.name, "shards": shards})
    try:
        log().record(event, *spreading(election, shards))
    except Refused:
        raise Overtaken(OVERTAKEN) from None
    left = election.shards if election.voter_count else 0
    return replace(election, shards=shards, spread_from=left, version=election.version + 1)


def spreading(election: Election, shards: int) -> list[Write]:
    """Refused if anybody changed the election since it was read. An empty roll leaves nothing to be moved."""
    own, when = keys.election(election.name), repository.unchanged(election)
    if not election.voter_count:
        return [Update(own, set={"shards": shards}, add={"version": 1}, when=when)]
    fields = {"shards": shards, "spread_from": election.shards}
    return [Update(own, set=fields, add={"version": 1}, when=when), _mark(election, shards)]


def _mark(election: Election, shards: int) -> Put:
    place = keys.spread(election.name)
    index = {"GSI1PK": keys.SPREAD.pk, "GSI1SK": keys.by_date(election.created_at, election.name)}
    words = {"election_name": election.name, "spread_from": election.shards, "shards": shards}
    return Put({"PK": place.pk, "SK": place.sk, **index, **words})


# --- what follows ---


def finish_all(most: int | None = A_TURN) -> int:
    """Take every roll that is being spread further; answers of how many nothing is left to be moved."""
    return take_each(list(table().each(keys.SPREAD)), lambda mark: finish(mark["election_name"], most))


def finish(name: str, most: int | None = None) -> bool:
    """Move what is left, in so many handfuls at most; whether all of it is where it belongs. Any number may do this at
    once."""
    return go_on(partial(_turn, name, most))


def _turn(name: str, most: int | None) -> bool | None:
    """Refused if others have moved what this turn would have moved."""
    mark = table().get(keys.spread(name))
    if mark is None or not _is_under_way(mark):
        return True
    left = by_count(_misplaced(mark), A_HANDFUL)
    overtaken = [some for some in islice(left, most) if not _written(_moved(some, mark))]
    if next(left, None) is not None:
        return False
    if overtaken or not _written(_end(mark)):
        raise Refused([0])
    return None


def _is_under_way(mark: Item) -> bool:
    """Not if the draft was deleted meanwhile: then its sweeper has the rest."""
    item = table().get(keys.election(mark["election_name"]))
    return item is not None and item.get("spread_from") == mark["spread_from"]


def _misplaced(mark: Item) -> Iterator[Item]:
    """Entries that are not where they belong; some may have stayed where they were."""
    name, before, shards = mark["election_name"], mark["spread_from"], mark["shards"]
    for item in spans.each(table(), keys.voters(name, shards=before)):
        if item["PK"] != keys.voter(name, item["voter_name"], shards).pk:
            yield item


def _moved(entries: list[Item], mark: Item) -> list[Write]:
    name, shards = mark["election_name"], mark["shards"]
    writes: list[Write] = [Check(keys.election(name), Equals("spread_from", mark["spread_from"]))]
    for item in entries:
        there = {**item, "PK": keys.voter(name, item["voter_name"], shards).pk}
        writes += [Put(there), Delete(Key(item["PK"], item["SK"]), when=Exists())]
    return writes


def _end(mark: Item) -> list[Write]:
    here = Equals("spread_from", mark["spread_from"])
    return [
        Delete(keys.spread(mark["election_name"]), when=Exists()),
        Update(keys.election(mark["election_name"]), remove=("spread_from",), when=here),
    ]


def _written(writes: list[Write]) -> bool:
    """Not if somebody else was at the same: then whoever asks looks again."""
    try:
        table().write(*writes)
    except Refused:
        return False
    return True
