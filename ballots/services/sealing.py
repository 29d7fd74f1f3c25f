"""Sealing a closed election: its ballots are published, counted, and those of a secret one taken out of the box."""

from __future__ import annotations

import logging
from contextlib import suppress

from acts.queues import take_each
from acts.site import log, table
from acts.steps import Steps
from ballots import repository
from ballots.sealed import CannotSeal
from elections import repository as elections
from elections.rules import Election
from store import keys
from store.log import Event
from store.table import Check, Delete, Equals, Exists, Item, Refused, Update, Write

from .emptying import empty

A_SEALED_PART = 200_000  # bytes of ballots in one event; an item holds 400 KB
A_BALLOT = 60  # bytes that an item needs for a ballot besides its text


COUNTING = Steps[[Election], None]("once all ballots of a closed election are published")

_log = logging.getLogger("plenum.ballots")


def seal_what_is_closed(only: str | None = None) -> int:
    """Seal closed elections, and empty the ballot boxes of the secret ones. Any number may do it at once; each part
    enters the log once. Who waits for a page about one election leaves its box to the worker."""
    if only is None:
        return take_each(list(table().each(keys.SEALING)), lambda mark: _seal_or_say(mark["election_name"]))
    with suppress(CannotSeal):
        return _seal_or_say(only, also_empty=False)
    return 0


def _seal_or_say(name: str, *, also_empty: bool = True) -> bool:
    """Whether there is such an election. If it cannot be sealed, the operator is told why."""
    election = elections.find(name)
    try:
        if election is not None:
            _seal(election)
        if election is not None and also_empty:
            empty(election)
    except CannotSeal as error:
        _log.error("not sealed", extra={"words": str(error)})
        raise
    return election is not None


def _seal(election: Election) -> None:
    mark = table().get(keys.sealing(election.name))
    if mark is None or mark.get("removing"):
        return
    parts = sealed_parts(election)
    if not _publish(election, parts, mark["parts"]):
        return  # another worker is at it
    COUNTING.taken(election)
    if not election.secret_ballot:
        with suppress(Refused):  # then another worker has finished it
            table().write(Delete(keys.sealing(election.name), when=Equals("parts", len(parts))))


def _publish(election: Election, parts: list[list[str]], done: int) -> bool:
    """The parts that are not published yet; false if somebody else publishes them."""
    try:
        for number, lines in enumerate(parts[done:], done):
            _publish_part(election, number, len(parts), [repository.published(line) for line in lines])
    except Refused:
        return False
    return True


def _publish_part(election: Election, number: int, parts: int, ballots: list[Item]) -> None:
    """Publish some ballots. Those of a secret election enter the log here; those of a public one are in it already."""
    writes = publishing(election, number, ballots)
    if not election.secret_ballot:
        return table().write(*writes)
    said = {"election_name": election.name, "part": number + 1, "parts": parts, "ballots": ballots}
    still_there = Check(keys.election(election.name), Exists())
    log().record(Event("plenum", "BallotsSealed", said), *writes, still_there)
    return None


def publishing(election: Election, number: int, ballots: list[Item]) -> list[Write]:
    """Refused if another worker has published this part."""
    taken = Update(keys.sealing(election.name), set={"parts": number + 1}, when=Equals("parts", number))
    return [repository.publication(election, number, ballots), taken]


def sealed_parts(election: Election) -> list[list[str]]:
    """The ballots of a closed election, sorted by confirmation: an order that says nothing of when they came."""
    parts: list[list[str]] = [[]]
    size = 0
    for line in sorted(repository.lines(election)):
        if size > A_SEALED_PART:
            parts.append([])
            size = 0
        parts[-1].append(line)
        size += len(line.encode()) + A_BALLOT
    return parts
