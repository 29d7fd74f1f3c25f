"""Importing a long list of voters in steps, so that it may be watched, interrupted and taken up again.

The list is stored first, in slices that fit one transaction each. A step puts one slice on the roll, removes it, and
moves the import's place, all at once: so nobody is added twice and nobody is skipped, whoever reloads, opens a second
tab or dies. An import is known by the digest of its list: the same list sent again goes on where it was. One that
nobody watches any more is taken to its end by a worker, in the name of whoever started it.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from operator import itemgetter

from django.utils.translation import gettext_lazy as _

from accounts import repository as people
from accounts.models import User
from acts.queues import take_each
from acts.refusals import LostRace, Refusal
from acts.site import now_text, table
from store import keys
from store.table import Delete, Equals, Exists, Item, Key, Less, Missing, Put, Refused, Update, Write

from . import repository, services, spreading
from .rules import Action, Election, WrongState, check_listing
from .skipping import NOTHING_SKIPPED, Skipped, on_the_roll, summary, voters_added

A_SLICE = 90  # voters of one transaction
A_WRITE = 40  # slices of one transaction: 90 long names are 72 KB, and it takes 4 MB
INDEX = ("GSI1PK", "GSI1SK")  # by which a worker finds an import that is under way
SECONDS_KEPT = 7 * 24 * 3600
SECONDS_ALONE = 30  # after which nobody seems to watch an import any more
LOOKED_AT = 20  # imports of one election
SECONDS_A_TURN = 20  # that a worker takes for one of them before the next has its turn


@dataclass(frozen=True, slots=True)
class Import:
    """A list on its way to the roll."""

    election_name: str
    digest: str
    voters: int
    slices: int
    done: int
    added: int
    unknown: int = 0  # of the names, those that nobody had any more when their turn came
    skipped: str = ""  # what the list had that was not taken from it, as `Skipped` writes it

    @property
    def sentence(self) -> str:
        """What came of it, of those on the list and of those left out of it."""
        skipped = Skipped.from_text(self.skipped)
        there = skipped.there + self.seen - self.added - self.unknown
        return summary(voters_added(self.added), replace(skipped, there=there), on_the_roll, self.unknown)

    @property
    def is_finished(self) -> bool:
        return self.done == self.slices

    @property
    def seen(self) -> int:
        """How many voters of the list have had their turn."""
        return min(self.done * A_SLICE, self.voters)


def find(election_name: str, digest: str) -> Import | None:
    item = table().get(keys.voter_import(election_name, digest))
    return _import_of(item) if item else None


def under_way(election: Election) -> list[Import]:
    return lately(election)[0]


def lately(election: Election) -> tuple[list[Import], Import | None]:
    """Those that are under way; and the last, if it has come to its end, also if nobody watched."""
    found = sorted(table().page(keys.voter_imports(election.name), limit=LOOKED_AT).items, key=itemgetter("moved"))
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
    begin: Callable[[Put], None] = lambda mark: table().write(mark),
) -> Import:
    """Store the list. One that is under way already is left as it is.

    What was skipped on the way here is kept beside it, to be told in the end. `begin` writes the mark with which the
    list is on its way, and whatever goes with it.
    """
    services.check(actor, election, Action.ADD_VOTERS)
    check_listing(election, names)
    distinct = list({keys.fold(name): name for name in names}.values())
    spreading.make_room(actor, election, len(distinct))
    slices = [distinct[start : start + A_SLICE] for start in range(0, len(distinct), A_SLICE)]
    new = Import(
        election.name, _digest(election, distinct), len(distinct), len(slices), 0, 0, skipped=skipped.as_text()
    )
    if (there := find(election.name, new.digest)) is not None and not there.is_finished:
        return there
    rows = [_rows(new, number, names) for number, names in enumerate(slices)]
    for first in range(0, len(rows), A_WRITE):
        table().write(*rows[first : first + A_WRITE])
    return _begun(actor, new, begin)


def _digest(election: Election, names: Sequence[str]) -> str:
    return hashlib.sha256("\n".join((election.created_at, *names)).encode()).hexdigest()[:32]


def _rows(new: Import, number: int, names: list[str]) -> Put:
    place = keys.imported_rows(new.election_name, new.digest, number)
    return Put({"PK": place.pk, "SK": place.sk, "voters": names, "ttl": int(time.time()) + SECONDS_KEPT})


def _begun(actor: User, new: Import, begin: Callable[[Put], None]) -> Import:
    place, now = keys.voter_import(new.election_name, new.digest), int(time.time())
    fields = {name: getattr(new, name) for name in Import.__dataclass_fields__}
    index = {"GSI1PK": keys.IMPORTS.pk, "GSI1SK": keys.voter_import_by_date(now_text(), new.digest)}
    fields |= {**index, "asked_by": actor.name, "moved": now}
    is_free = Missing() | Equals("done", new.slices) | Less("ttl", now)
    try:
        begin(Put({"PK": place.pk, "SK": place.sk, **fields, "ttl": now + SECONDS_KEPT}, when=is_free))
    except Refused:
        if (there := find(new.election_name, new.digest)) is not None:
            return there  # the same list was sent twice, and the other goes on
        raise LostRace from None
    return new


# --- going on ---


def go_on(
    actor: User, election: Election, under_way: Import, seconds: float, clock: Callable[[], float] = time.monotonic
) -> Import:
    """Take it further for about so long, and at least one step; answers how far it has come."""
    end = clock() + seconds
    while not under_way.is_finished:
        under_way = _step(actor, repository.find(election.name) or election, under_way)
        if clock() >= end:
            break
    return under_way


def _step(actor: User, election: Election, under_way: Import) -> Import:
    if election.spread_from:
        spreading.finish(election.name, spreading.AT_ONCE)
        return under_way  # it goes on with the next step, or whenever the roll is where it belongs
    services.check(actor, election, Action.ADD_VOTERS)
    place = keys.imported_rows(election.name, under_way.digest, under_way.done)
    rows = table().get(place)
    try:
        if rows is not None:
            services.add_handful(actor, election, rows["voters"], lambda added: _moved_on(under_way, added))
    except (LostRace, Refused):
        pass  # another tab has taken this slice, or somebody changed the election: look again
    after = find(election.name, under_way.digest)
    if after is None or (rows is None and after == under_way):
        raise WrongState(_("This import has lain too long. Please start again with the file."))
    return after


def _moved_on(under_way: Import, added: services.Added) -> list[Write]:
    here = Equals("done", under_way.done)
    place = keys.voter_import(under_way.election_name, under_way.digest)
    rows = keys.imported_rows(under_way.election_name, under_way.digest, under_way.done)
    is_last = under_way.done + 1 == under_way.slices
    moved = Update(
        place,
        set={"moved": int(time.time())},
        add={"done": 1, "added": added.count, "unknown": added.unknown},
        remove=INDEX if is_last else (),
        when=here,
    )
    return [moved, Delete(rows, when=Exists())]


# --- taking up what nobody watches any more ---


def take_up_all(now: Callable[[], float] = time.time) -> int:
    """Go on with imports whose page was closed, or whose process died; answers how many there were."""
    return take_each(list(table().each(keys.IMPORTS)), lambda item: _take_up(item, now()))


def _take_up(item: Item, now: float) -> bool:
    """Whether the import could go on; one that is refused, because the election was closed, say, ends where it is."""
    if item["moved"] + SECONDS_ALONE > now:
        return False
    election, actor = repository.find(item["election_name"]), people.find(item["asked_by"])
    with suppress(Refusal):
        if election is not None and actor is not None:
            go_on(actor, election, _import_of(item), SECONDS_A_TURN)
            return True
    ended = Update(Key(item["PK"], item["SK"]), set={"moved": item["moved"]}, remove=INDEX, when=Exists())
    with suppress(Refused):  # it has gone with its election
        table().write(ended)
    return False
