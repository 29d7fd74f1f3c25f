"""Refusals: errors for what a person may not do, whose class is for the program and whose message for the person; and
tables of who may do what, and in which states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.core.exceptions import PermissionDenied
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from foundation.store.table import Refused

LOST_RACE_MESSAGE = _("Someone else changed this at the same moment. Check what it says now and try again.")


class Refusal(Exception):
    """A request that is refused; its message says why."""


class NotAllowed(Refusal, PermissionDenied):
    """The person's role does not permit this; Django responds with 403."""


class LostRace(Refusal, Refused):
    """A concurrent change came first, and nothing was written. `parts` are the positions of the writes whose conditions
    did not hold, if known."""

    def __init__(self, message: str | Promise = LOST_RACE_MESSAGE, parts: Iterable[int] = ()):
        Exception.__init__(self, message)
        self.parts = tuple(parts)


class NotThere(Refusal):
    """It does not exist, or no longer."""


class NotNow(Refusal):
    """Not possible in its current state."""


class NameTaken(Refusal):
    """Something else has this name."""


class TooMany(Refusal):
    """A limit is exceeded; the message says which."""


class TryLater(Refusal):
    """Not ready yet, but soon."""


Action = TypeVar("Action")
Relation = TypeVar("Relation")
State = TypeVar("State")


@dataclass(frozen=True, slots=True)
class Rule(Generic[Relation, State]):
    who: frozenset[Relation]
    when: frozenset[State]


def permitted(rules: Mapping[Action, Rule[Relation, State]], who: Relation, state: State) -> set[Action]:
    return {action for action, rule in rules.items() if who in rule.who and state in rule.when}


@dataclass(frozen=True, slots=True)
class Permissions(Generic[Action, Relation, State]):
    """The table, and the refusals for what it does not permit."""

    rules: Mapping[Action, Rule[Relation, State]]
    not_yours: Callable[[Action], NotAllowed]
    not_now: Callable[[Action, State], NotNow]

    def check_who(self, who: Relation, action: Action) -> None:
        if who not in self.rules[action].who:
            raise self.not_yours(action)

    def check_when(self, state: State, action: Action) -> None:
        if state not in self.rules[action].when:
            raise self.not_now(action, state)

    def offered(self, who: Relation, state: State) -> set[Action]:
        """The actions a page offers: exactly those that will be accepted."""
        return permitted(self.rules, who, state)
