"""Closing what people vote in: first nobody gets in any more, then the log says so.

In that order every vote that was in time has a lower number in the log than the close. From the first step on the thing
says who is closing it; if the second does not happen, whoever comes by next takes it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from store.log import Event
from store.table import Refused, Write

from .refusals import OVERTAKEN, Overtaken
from .site import log, table


class Closable(Protocol):
    @property
    def closing(self) -> str | None: ...


T = TypeVar("T", bound=Closable)


@dataclass(frozen=True, slots=True)
class Closing(Generic[T]):
    """How one kind of thing closes: each step answers the thing as it is afterwards, and what is written."""

    shutting: Callable[[T, str], tuple[T, list[Write]]]
    saying: Callable[[T], tuple[T, Event, list[Write]]]

    def shut(self, thing: T, who: str) -> T:
        """Nobody gets in any more."""
        after, writes = self.shutting(thing, who)
        try:
            table().write(*writes)
        except Refused:
            raise Overtaken(OVERTAKEN) from None
        return after

    def say(self, shut: T) -> tuple[T, bool]:
        """The thing once the log has told its close; and whether we told it, or somebody who came by meanwhile."""
        after, event, writes = self.saying(shut)
        try:
            log().record(event, *writes)
        except Refused:
            return after, False
        return after, True

    def close(self, thing: T, who: str) -> tuple[T, bool]:
        """Both steps, or the second if the first was taken."""
        return self.say(thing if thing.closing else self.shut(thing, who))
