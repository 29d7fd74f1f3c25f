"""Keys of the event log, its checkpoints and its index; all in the table `log`.

Events lie under `EVENTS` in an embedded store, and in sixteen partitions by their numbers in a distant one. Whoever
reads or writes them goes through `store/log/layout.py`, which shows all of them under `EVENTS`.
"""

from __future__ import annotations

from ..table import LOG, Key, Span
from .parts import METADATA, part, sequence, sharded

EVENTS = "EVENTS"


def event(number: int, when: str, partitions: int = 1) -> Key:
    return Key(sharded(EVENTS, number % partitions, partitions), f"{sequence(number)}#{when}", LOG)


def events(first: int = 0, last: int | None = None) -> Span:
    """The events numbered `first` to `last`, both included, where all lie in one partition."""
    return _events(EVENTS, first, last)


def events_in(partitions: int, first: int = 0, last: int | None = None) -> list[Span]:
    """The same, of those of the partitions in which any of these numbers can lie."""
    most = partitions if last is None else min(partitions, last - first + 1)
    return [_events(sharded(EVENTS, (first + each) % partitions, partitions), first, last) for each in range(most)]


def _events(pk: str, first: int, last: int | None) -> Span:
    return Span(pk, first=sequence(first), last=None if last is None else f"{sequence(last)}#~", table=LOG)


def holds_events(pk: str) -> bool:
    """Whether this is a partition of events, however many there are."""
    return pk == EVENTS or pk.startswith(f"{EVENTS}#")


def event_number() -> Key:
    return Key("SEQUENCE", METADATA, LOG)


def void(number: int) -> Key:
    return Key(f"VOID#{sequence(number)}", METADATA, LOG)


def checkpoint(number: int) -> Key:
    return Key("CHECKPOINTS", sequence(number), LOG)


def checkpoints(first: int = 0, last: int | None = None) -> Span:
    return Span("CHECKPOINTS", first=sequence(first), last=None if last is None else sequence(last), table=LOG)


def public_checkpoint(number: int) -> Key:
    """A checkpoint as everybody may see it."""
    return Key("PUBLIC", sequence(number), LOG)


def public_checkpoints(first: int = 0) -> Span:
    return Span("PUBLIC", first=sequence(first), table=LOG)


def publishing() -> Key:
    """How far checkpoints are public, and how far they are to be."""
    return Key("PUBLISHING", METADATA, LOG)


LOG_INDEX = "BY#"  # how its partitions begin


def log_index(kind: str, name: str, first: int) -> Key:
    """Which events, of the block that begins with the number `first`, are found under a name of that kind."""
    return Key(f"{LOG_INDEX}{kind}#{part(name)}", sequence(first), LOG)


def log_index_blocks(kind: str, name: str, last: int) -> Span:
    """The blocks in which something is found under the name, up to the one that begins with the number `last`."""
    return Span(f"{LOG_INDEX}{kind}#{part(name)}", first=sequence(0), last=sequence(last), table=LOG)


def moments(first: int) -> Key:
    """When the events of one block happened: the rest of their keys."""
    return Key("MOMENTS", sequence(first), LOG)


def log_format() -> Key:
    """Which format the log is written in."""
    return Key("FORMAT", METADATA, LOG)
