"""Deleting an election: first the election itself goes, and then, by the worker, what is left of it."""

from __future__ import annotations

from contextlib import suppress

from accounts.models import User
from acts.again import try_again
from acts.following import get_through
from acts.queues import take_each
from acts.refusals import OVERTAKEN, Overtaken
from acts.site import log, table
from acts.sweeping import sweep
from elections import renaming, repository
from elections.books import repository as books
from elections.rules import Action, Election
from store import keys
from store.forgetting import to_forget
from store.log import Event
from store.table import Check, Conflict, Crowded, Delete, Equals, Item, Missing, Put, Refused, Write

from .acting import check, record
from .ending import CLOSING

A_TURN = 500  # batches of a deleted election that a worker clears away before others have their turn,
AT_ONCE = 10  # and whoever wants its name


def delete(actor: User, election: Election) -> None:
    """The event log keeps its events; everything else goes: first the election itself, and then, by the worker and a
    handful at a time, what is left of it.

    Of one that people vote in, the ballot box is shut before (acts/closing.py): so every ballot has a lower number in
    the log than the deletion. A mark says meanwhile what is to become of it, also if somebody is just closing it: then
    a worker deletes it, whatever becomes of us.
    """
    check(actor, election, Action.DELETE)
    if not election.allow_vote:
        record(actor, "ElectionDeleted", election, _said(election), *deletion(election))
        return
    mark = repository.to_be_deleted(election, actor.name)
    if election.closing:
        _mark(election, mark)
    else:
        CLOSING.begin(election, actor.name, mark)
    with suppress(Conflict, Crowded):  # it is asked for, and nobody is let in; a worker does what is missing
        try_again(lambda: _finish(election.name, election.created_at, actor.name))


def _mark(election: Election, mark: Put) -> None:
    """Refused if it was deleted since it was read, and another may have its name."""
    still_there = Check(keys.election(election.name), Equals("created_at", election.created_at))
    try:
        get_through(lambda: table().write(mark, still_there))
    except Refused:
        raise Overtaken(OVERTAKEN) from None


def _finish(name: str, created_at: str, by: str) -> None:
    """Any number may do this at once: it is deleted once."""
    election = repository.find(name)
    if election is None or election.created_at != created_at:
        return
    CLOSING.shut(election)
    data = {"election_name": election.name, **_said(election)}
    get_through(lambda: log().record(Event(by, "ElectionDeleted", data), *deletion(election)))


def _said(election: Election) -> dict[str, str]:
    return {"state": election.stored_state.value}


def deletion(election: Election) -> list[Write]:
    """With the salt, which ties ballots to voters; and out of the book it is bound into. Its gates are swept with the
    rest: nobody passes them."""
    own = (keys.lots, keys.for_everyone, keys.sealing, keys.shared_result)
    return [
        Delete(keys.election(election.name), when=repository.unchanged(election)),
        *(Delete(place) for place in keys.salts(election.name, election.shards)),
        *(Delete(key(election.name)) for key in own),
        Delete(keys.listed_election(election.name)),
        *(Delete(keys.manager(election.name, name)) for name in {election.owner_name, *election.managers}),
        repository.to_be_cleared(election),
        *books.leaving(election),
        *([to_forget()] if election.has_secrets else []),
    ]


def clear_away_all() -> int:
    """Delete what was to be deleted, and clear away what deleted elections have left behind; answers of how many
    nothing is left."""
    return take_each(list(table().each(keys.DELETED)), _take_up)


def _take_up(mark: Item) -> bool:
    if "by" in mark:
        try_again(lambda: _finish(mark["name"], mark["created_at"], mark["by"]))
    return clear_away(mark["name"], A_TURN)


def clear_away(name: str, most: int) -> bool:
    """Remove up to so many batches of what an election that is gone has left; whether nothing is left by then."""
    return not table().page(keys.all_of_election(name), limit=1).items or (swept(name, most) and _cleared(name))


def swept(name: str, most: int) -> bool:
    """Also if whoever deleted it died on the way. One that was renamed takes along what is its own first."""
    renaming.finish(name)
    marks = (keys.METADATA, keys.renamed(name).sk, keys.deleted(name).sk)
    shards = (table().get(keys.deleted(name)) or {}).get("shards", 1)
    try:
        left, spread = keys.all_of_election(name), keys.all_in_shards(name, shards)
        return sweep(left, marks, *_is_gone(name), most=most, elsewhere=repository.pictures_of, shards=spread)
    except Refused:
        return True  # there is an election of that name, and nothing in its place is left over


def _is_gone(name: str) -> tuple[Check, Check]:
    return Check(keys.election(name), Missing()), Check(keys.renamed(name), Missing())


def _cleared(name: str) -> bool:
    """The mark goes last; what is still in the store's own files is another's work."""
    mark = table().get(keys.deleted(name))
    if mark is not None and "by" not in mark:
        forgetting = [to_forget()] if mark["was_secret"] else []
        table().write(*_is_gone(name), Delete(keys.deleted(name)), *forgetting)
    return True
