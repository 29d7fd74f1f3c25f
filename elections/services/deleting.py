"""Deleting an election: first the election itself goes, and then, by the worker, what is left of it."""

from __future__ import annotations

from accounts.models import User
from acts.handfuls import sweep
from acts.queues import take_each
from acts.site import table
from elections import places, renaming, repository
from elections.books import repository as books
from elections.rules import Action, Election
from store import keys
from store.forgetting import to_forget
from store.table import Check, Delete, Missing, Refused, Write

from .acting import check, record

A_TURN = 500  # handfuls of a deleted election that a worker clears away before others have their turn,
AT_ONCE = 10  # and whoever wants its name


def delete(actor: User, election: Election) -> None:
    """The event log keeps its events; everything else goes: first the election itself, and then, by the worker and a
    handful at a time, what is left of it."""
    check(actor, election, Action.DELETE)
    record(actor, "ElectionDeleted", election, {"state": election.stored_state.value}, *deletion(election))


def deletion(election: Election) -> list[Write]:
    """With the gates, so that nobody votes in what is gone already, and with the salt, which ties ballots to voters;
    and out of the book it is bound into."""
    own = (keys.salt, keys.lots, keys.for_everyone, keys.sealing, keys.shared_result)
    return [
        Delete(keys.election(election.name), when=repository.unchanged(election)),
        *(Delete(place) for place in places.gates_of(election).keys(election.name)),
        *(Delete(key(election.name)) for key in own),
        Delete(keys.listed_election(election.name)),
        *(Delete(keys.manager(election.name, name)) for name in {election.owner_name, *election.managers}),
        repository.to_be_cleared(election),
        *books.leaving(election),
        *([to_forget()] if election.has_secrets else []),
    ]


def clear_away_all() -> int:
    """Clear away what deleted elections have left behind; answers of how many nothing is left."""
    return take_each(list(table().each(keys.DELETED)), lambda mark: clear_away(mark["name"], A_TURN))


def clear_away(name: str, most: int) -> bool:
    """Remove up to so many handfuls of what an election that is gone has left; whether nothing is left by then."""
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
    if mark is not None:
        forgetting = [to_forget()] if mark["was_secret"] else []
        table().write(*_is_gone(name), Delete(keys.deleted(name)), *forgetting)
    return True
