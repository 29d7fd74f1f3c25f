"""Permission tables: who may do what to a kind of thing, and in which states."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from .refusals import NotAllowed, NotNow

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
