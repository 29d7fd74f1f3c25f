"""Emptying the box of a secret election.

Under their pseudonyms its ballots would be found again by whoever has the salt of an early copy and the site's secret.
So they go once they are published; the mark of the sealing says that they are about to.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from contextlib import closing

from acts.site import table
from ballots import repository
from ballots.comparing import Cast, Flaw, Sorted, compare, compare_what_is_left
from ballots.sealed import CannotSeal
from elections import places
from elections import repository as elections
from elections.rules import Election, State
from store import keys, spans
from store.table import Check, Delete, Exists, Item, Missing, Put, Refused, Update

A_HANDFUL = 50  # elections looked at in one go for ballots that an earlier version has left

_log = logging.getLogger("plenum.ballots")


def empty(election: Election) -> None:
    place = keys.sealing(election.name)
    found = table().get_many([place, keys.result(election.name)])
    if not election.secret_ballot or len(found) < 2:
        return  # it is not sealed yet, or all is done
    try:
        _let_go(election, found[place])
        for handful in repository.emptying(election):
            table().write(*handful)
        table().write(Delete(place, when=repository.IS_EMPTIED))
    except Refused:
        return  # another worker was at it, and has finished it


def _let_go(election: Election, mark: Item) -> None:
    """See that everything is published, and only then say that the ballots may go."""
    if mark.get("removing"):
        return _check_published(election, compare_what_is_left)
    place = keys.sealing(election.name)
    try:
        _check_published(election, compare)
    except CannotSeal:
        if table().get(place) == mark:
            raise
        return None  # another worker has begun to empty it meanwhile
    is_sealed = Check(keys.result(election.name), Exists())
    table().write(Update(place, set={"removing": True}, when=Exists()), is_sealed)
    return None


def _check_published(election: Election, compare: Callable[[Iterable[Cast], Iterable[Cast], str], None]) -> None:
    """Read the published ballots back before anything goes that they were made from."""
    with closing(Sorted()) as box:
        repository.read_box(election, box)
        try:
            compare(map(Cast.of, repository.every_published(election.name)), box, "in the ballot box")
        except Flaw as flaw:
            raise CannotSeal(f"Election “{election.name}”: {flaw} The box is left as it is.") from None


def are_old_boxes_full() -> bool:
    """Whether there are closed elections of which nobody has looked yet whether an earlier version has sealed them."""
    is_done = (table().get(keys.emptied()) or {}).get("done")
    return not is_done and bool(table().page(elections.list_of(State.CLOSED), limit=1).items)


def empty_old_boxes() -> int:
    """Find the ballots that an earlier version has left in the boxes of sealed elections, some elections at a time."""
    place = keys.emptied()
    before = table().get(place) or {}
    page = table().page(elections.list_of(State.CLOSED), limit=A_HANDFUL, cursor=before.get("cursor"))
    found = sum(_is_to_be_emptied(item["name"]) for item in page.items)
    after = {"cursor": page.cursor} if page.cursor else {"done": True}
    table().write(Put({"PK": place.pk, "SK": place.sk, **after}))
    return found


def _is_to_be_emptied(name: str) -> bool:
    """Whether its box is to be emptied by the mark that it gets."""
    election = elections.find(name)
    if election is None or not election.secret_ballot or not _is_left_full(election):
        return False
    try:
        _check_published(election, compare)
        mark = elections.to_be_sealed(election)
        table().write(Put(mark.item | {"removing": True}, when=Missing()))
    except CannotSeal as error:
        _log.error("not emptied", extra={"words": str(error)})
        return False
    except Refused:
        return False
    return True


def _is_left_full(election: Election) -> bool:
    name = election.name
    marks = table().get_many([keys.sealing(name), keys.result(name)])
    has_ballots = bool(spans.page(table(), places.box(election), limit=1).items)
    return list(marks) == [keys.result(name)] and has_ballots
