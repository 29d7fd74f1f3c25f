"""Emptying the box of a secret election.

Under their pseudonyms its ballots would be found again by whoever has the salt of an early copy and the site's secret.
So they go once they are published; the mark of the sealing says that they are about to.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from functools import partial

from acts.queues import retry_when_crowded
from acts.storage import table
from ballots import repository
from ballots.comparing import Mismatch, PublishedBallot, compare, compare_remaining
from ballots.external_sort import STEP_LINES, Sorter
from ballots.sealed import CannotSeal
from elections.rules import Election
from store import keys
from store.splitting import by_count
from store.table import Check, Delete, Exists, Item, Refused, Update


def empty(election: Election) -> Generator[float, None, None]:
    """The box is read once: what is compared with the published ballots is what goes, and nothing else."""
    place = keys.sealing(election.name)
    found = table().get_many([place, keys.result(election.name)])
    if not election.secret_ballot or len(found) < 2:
        return  # it is not sealed yet, or all is done
    try:
        with closing(repository.sorter()) as box, closing(repository.sorter()) as left:
            for some in by_count(repository.ballots_with_keys(election), STEP_LINES):
                box.add(ballot for ballot, _ in some)
                left.add(at for _, at in some)
                yield 0
            _allow_removal(election, found[place], box)
            for handful in repository.emptying(election, left):
                yield from retry_when_crowded(partial(table().write, *handful), _units(election, len(handful)))
        table().write(Delete(place, when=repository.may_be_removed(election)))
    except Refused:
        return  # another worker was at it, and has finished it


def _units(election: Election, ballots: int) -> float:
    """What it takes of each partition of the ballots: two for a ballot, because of the transaction. Only half of that
    counts, as nobody else writes there any more."""
    return ballots / election.shards


def _allow_removal(election: Election, mark: Item, box: Sorter) -> None:
    """See that everything is published, and only then say that the ballots may go."""
    if mark.get("removing"):
        return _check_published(election, box, compare_remaining)
    place = keys.sealing(election.name)
    try:
        _check_published(election, box, compare)
    except CannotSeal:
        if table().get(place) == mark:
            raise
        return None  # another worker has begun to empty it meanwhile
    is_sealed = Check(keys.result(election.name), Exists())
    table().write(Update(place, set={"removing": True}, when=repository.is_mark_for(election)), is_sealed)
    return None


def _check_published(
    election: Election,
    box: Sorter,
    compare: Callable[[Iterable[PublishedBallot], Iterable[PublishedBallot], str], None],
) -> None:
    """Read the published ballots back before anything goes that they were made from."""
    try:
        compare(
            map(PublishedBallot.of, repository.every_published(election.name)),
            repository.published_ballots_in(box),
            "in the ballot box",
        )
    except Mismatch as flaw:
        raise CannotSeal(f"Election “{election.name}”: {flaw} The box is left as it is.") from None
