"""What events about multi-question ballots do, for replay: the same writes as the act itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from elections import repository as elections
from elections.rules import Election
from foundation.store import keys
from foundation.store.replay import DoesNotFit, Effect, LoggedEvent, Transactions
from foundation.store.table import Write

from . import repository
from .rules import MultiBallot


def multi_ballot_of(event: LoggedEvent) -> MultiBallot:
    if (ballot := repository.find(event.data["book_id"])) is None:
        raise DoesNotFit("is about a multi-question ballot that does not exist.")
    return ballot


def question_of(name: str) -> Election:
    if (election := elections.find(name)) is None:
        raise DoesNotFit(f"binds the election {name}, and none of that name exists at that time.")
    return election


def made(event: LoggedEvent) -> Transactions:
    data = event.data
    names = tuple(data["questions"])
    ballot = MultiBallot(data["book_id"], data["name"], names[0], names, data["created_at"])
    yield repository.creation(ballot, map(question_of, names))


def changed(event: LoggedEvent) -> Transactions:
    ballot, data = multi_ballot_of(event), event.data
    after = replace(
        ballot, name=data.get("name", ballot.name), questions=tuple(data.get("questions", ballot.questions))
    )
    if after == ballot:
        raise DoesNotFit("changes nothing.")
    yield [repository.change(ballot, after), *_bound(ballot, after)]


def _bound(before: MultiBallot, after: MultiBallot) -> Iterator[Write]:
    yield from repository.binding(map(question_of, _only(after, before)), after.id)
    yield from repository.binding(map(question_of, _only(before, after)), "")


def _only(one: MultiBallot, other: MultiBallot) -> list[str]:
    there = {keys.fold(name) for name in other.questions}
    return [name for name in one.questions if keys.fold(name) not in there]


def taken_apart(event: LoggedEvent) -> Transactions:
    ballot = multi_ballot_of(event)
    yield [repository.deletion(ballot), *repository.binding(map(question_of, ballot.questions), "")]


EFFECTS: dict[str, Effect] = {
    "BookMade": made,
    "BookChanged": changed,
    "BookTakenApart": taken_apart,
}
