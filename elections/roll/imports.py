"""Resumable import of a long list of voters.

The list is stored in slices that fit one transaction. Each step adds a slice to the roll, deletes it and advances the
import, atomically: no one is added twice or skipped. The digest of the list identifies the import; a worker finishes
one whose page was closed.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from operator import itemgetter

from django.utils.translation import gettext_lazy as _

from accounts import repository as people
from accounts.models import User
from elections import actions, repository, rolls
from elections.rolls import IMPORTING
from elections.rules import Action, Election, WrongState, check_listing
from elections.voter_lists import Details
from foundation.acts.background import Batch, Task, finished, wait
from foundation.acts.refusals import LostRace, Refusal
from foundation.acts.storage import table, write
from foundation.store import keys
from foundation.store.splitting import by_count
from foundation.store.table import Delete, Equals, Exists, Item, Less, Missing, Put, Update, Write

from .list_summary import GROUPED, NOTHING_SKIPPED, VOTERS, Skipped, summary
from .services import NO_DETAILS, Addition, DetailsByName, add_batch, check_weights, is_grouped

SLICE_VOTERS = 90  # voters of one transaction
TRANSACTION_SLICES = 15  # slices of one transaction: 90 long addresses and names are 255 KB, and it takes 4 MB
RETENTION_SECONDS = 7 * 24 * 3600
MAX_RECENT_IMPORTS = 20  # imports of one election
RENAMING_WAIT_SECONDS = 1


@dataclass(frozen=True, slots=True)
class Import:
    """A list on its way to the roll."""

    election_name: str
    digest: str
    voters: int
    slices: int
    done: int
    added: int
    unknown: int = 0  # names that no longer existed when their turn came
    skipped: str = ""  # what the list had that was not taken from it, as `Skipped` writes it
    grouped: bool = False  # whether those who were on the roll got into the voter groups of the list

    @property
    def sentence(self) -> str:
        """What came of it, of those on the list and of those left out of it."""
        skipped = Skipped.from_text(self.skipped)
        there = skipped.there + self.processed - self.added - self.unknown
        sentence = summary(self.added, replace(skipped, there=there), VOTERS, self.unknown)
        return f"{sentence} {GROUPED}" if self.grouped else sentence

    @property
    def is_finished(self) -> bool:
        return self.done == self.slices

    @property
    def processed(self) -> int:
        """How many voters of the list have had their turn."""
        return min(self.done * SLICE_VOTERS, self.voters)


def find(election_name: str, digest: str) -> Import | None:
    item = table().get(keys.voter_import(election_name, digest))
    return _import_of(item) if item else None


def recent_imports(election: Election) -> tuple[list[Import], Import | None]:
    """Those in progress; and the latest, if it is finished."""
    found = sorted(
        table().page(keys.voter_imports(election.name), limit=MAX_RECENT_IMPORTS).items, key=itemgetter("moved")
    )
    all_ = [_import_of(item) for item in found]
    return [each for each in all_ if not each.is_finished], all_[-1] if all_ and all_[-1].is_finished else None


def _import_of(item: Item) -> Import:
    return Import(**{name: item[name] for name in Import.__dataclass_fields__ if name in item})


# --- starting ---


def start(
    actor: User,
    election: Election,
    names: Sequence[str],
    skipped: Skipped = NOTHING_SKIPPED,
    begin: Callable[[Sequence[Write]], None] = lambda writes: write(*writes),
    known: DetailsByName = NO_DETAILS,
) -> Import:
    """Store the list, unless it is already being imported. `begin` writes the task and whatever goes with it."""
    actions.check(actor, election, Action.ADD_VOTERS)
    check_listing(election, names)
    check_weights(election, known.values())
    distinct = list({keys.fold(name): name for name in names}.values())
    lines = (f"{name} {_details(each)}" for name, each in known.items())
    digest = hashlib.sha256("\n".join((election.created_at, *distinct, *lines)).encode()).hexdigest()[:32]
    slices, until = list(by_count(distinct, SLICE_VOTERS)), int(time.time()) + RETENTION_SECONDS
    grouped = is_grouped(election, known)
    new = Import(election.name, digest, len(distinct), len(slices), 0, 0, skipped=skipped.as_text(), grouped=grouped)
    if (there := find(election.name, digest)) is not None and not there.is_finished:
        return there
    for some in by_count(enumerate(slices), TRANSACTION_SLICES):
        writes = []
        for number, voters in some:
            place = keys.imported_rows(election.name, digest, number)
            details = {name: _details(known[name]) for name in voters if name in known}
            writes.append(Put({**place.item, "voters": voters, "details": details, "ttl": until}))
        table().write(*writes)
    return _begin(actor, new, begin)


def _details(each: Details) -> Item:
    groups = None if each.groups is None else list(each.groups)
    return asdict(each) | {"groups": groups, "postal": list(each.postal)}


def _details_of(rows: Item) -> DetailsByName:
    return {
        name: Details(**each | {"groups": groups if groups is None else tuple(groups), "postal": tuple(postal)})
        for name, each in rows["details"].items()
        for groups, postal in [(each["groups"], each.get("postal", ()))]
    }


def _begin(actor: User, new: Import, begin: Callable[[Sequence[Write]], None]) -> Import:
    place, now = keys.voter_import(new.election_name, new.digest), int(time.time())
    fields = asdict(new) | {"asked_by": actor.name, "moved": now, "ttl": now + RETENTION_SECONDS}
    task = rolls.import_task(new.election_name, new.digest, actor.name)
    is_free = Missing() | Equals("done", new.slices) | Less("ttl", now)
    try:
        begin([Put({"PK": place.pk, "SK": place.sk, **fields}, when=is_free), task])
    except LostRace:
        if (there := find(new.election_name, new.digest)) is not None:
            return there  # the same list was sent twice; the other import continues
        raise
    return new


# --- going on ---


def resume(
    actor: User, election: Election, under_way: Import, seconds: float, clock: Callable[[], float] = time.monotonic
) -> Import:
    """Continue for about this long, at least one step; returns its progress."""
    actions.check(actor, election, Action.ADD_VOTERS)
    subject, end = rolls.import_subject(election.name, under_way.digest), clock() + seconds
    while not IMPORTING.advance(subject, batches=1) and clock() < end:
        pass
    has_ended = IMPORTING.find(subject) is None  # asked first: another tab may end it before the next line
    after = find(election.name, under_way.digest)
    if after is None or (has_ended and not after.is_finished):
        raise WrongState(_("This import has expired. Please start again with the file."))
    return after


# --- in the background ---


@IMPORTING.step
def import_batch(task: Task) -> Batch:
    """One slice. An import that is refused, for example because the election was closed, stops there."""
    name, digest, asked_by = (task.data[each] for each in ("election_name", "digest", "asked_by"))
    places = keys.election(name), keys.user(asked_by), keys.voter_import(name, digest)
    found = [item for item in map(table().get_many(places).get, places) if item]
    if len(found) < len(places):
        return finished()
    election, actor, under_way = repository.election_of(found[0]), people.user_of(found[1]), _import_of(found[2])
    if election.renamed_from:
        return wait(RENAMING_WAIT_SECONDS)  # its slices follow the election to its new name
    place = keys.imported_rows(name, digest, under_way.done)
    rows = table().get(place)
    if rows is None:
        return finished()  # all of them are on the roll, or they have lain too long

    def advancing(added: int, unknown: int) -> list[Write]:
        moved, counted = {"moved": int(time.time())}, {"done": 1, "added": added, "unknown": unknown}
        return [
            Update(places[2], set=moved, add=counted, when=Equals("done", under_way.done)),
            Delete(place, when=Exists()),
        ]

    try:
        actions.check(actor, election, Action.ADD_VOTERS)
        add_batch(actor, election, rows["voters"], Addition(_details_of(rows), more_writes=advancing))
    except LostRace:
        return Batch()  # another worker took this slice, or the election changed: retry
    except Refusal:
        return finished()
    return Batch(is_last=under_way.done + 1 == under_way.slices)
