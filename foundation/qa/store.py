"""Repository of questions and upvotes, of a live session or an election."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Generic

from foundation.acts.storage import next_version, table, unchanged
from foundation.store.keys.declared import ENTITY_TYPE
from foundation.store.table import Check, Exists, Item, Key, Missing, Put, Update, Write

from .rules import MAX_QUESTIONS_PER_PERSON, Fate, Q, author_id, question_id

NOT_SUMS = ("PK", "SK", ENTITY_TYPE, "ttl")  # all other attributes of the items of upvotes are questions


@dataclass(frozen=True, slots=True)
class Board:
    """Where the questions of one session or election are stored."""

    scope: str  # the session or election, for keyed ids
    counter: Key  # its item has the number of questions sent
    asked: Callable[[str], Key]
    upvoted: Callable[[str], Key]  # questions upvoted by one person, by the person's keyed id
    upvotes: Callable[[str], Key]  # the totals that this person's upvotes are added to
    all_upvotes: tuple[Key, ...]
    attributes: Item = field(default_factory=dict)  # that every item has


# --- finding ---


def question_from_item(kind: type[Q], item: Mapping[str, Any]) -> Q:
    values = {each.name: item[each.name] for each in fields(kind) if each.name in item}
    return kind(**values | {"fate": Fate(item["fate"])})


def own_keys(board: Board, person: str) -> list[Key]:
    """Keys of all questions a person can have sent, so that they can be read in a batch."""
    return [board.asked(question_id(board.scope, person, number)) for number in range(MAX_QUESTIONS_PER_PERSON)]


def own_questions(kind: type[Q], board: Board, person: str, items: Mapping[Key, Item]) -> list[Q]:
    """A person's questions among items already read, oldest first."""
    return [question_from_item(kind, items[place]) for place in own_keys(board, person) if place in items]


@dataclass(frozen=True, slots=True)
class Viewer(Generic[Q]):
    """What is known of the person who looks at the questions."""

    own: list[Q]
    upvoted: frozenset[str]
    wanted: Q | None  # the question that their button refers to


def viewer_keys(board: Board, person: str, wanted: str) -> list[Key]:
    own = own_keys(board, person)
    return [board.upvoted(author_id(board.scope, person)), *([board.asked(wanted)] if wanted else []), *own]


def viewer(kind: type[Q], board: Board, person: str, wanted: str, items: Mapping[Key, Item]) -> Viewer[Q]:
    """From items already read."""
    found = items.get(board.asked(wanted)) if wanted else None
    return Viewer(
        own_questions(kind, board, person, items),
        upvoted(items.get(board.upvoted(author_id(board.scope, person)))),
        question_from_item(kind, found) if found else None,
    )


def read_upvotes(board: Board, items: Mapping[Key, Item] | None = None) -> dict[str, int]:
    """Upvotes by question; pass `items` if the counters were already read."""
    found = table().get_many(board.all_upvotes) if items is None else items
    sums = Counter[str]()
    for place in board.all_upvotes:
        sums.update(_questions_in(found.get(place)))
    return {question: number for question, number in sums.items() if number > 0}


def upvoted(item: Item | None) -> frozenset[str]:
    """Questions upvoted by a person, from their item."""
    return frozenset(_questions_in(item))


def _questions_in(item: Item | None) -> dict[str, int]:
    return {name: value for name, value in (item or {}).items() if name not in NOT_SUMS}


# --- writes ---


def question_item(board: Board, question: Q) -> Item:
    values = {each.name: getattr(question, each.name) for each in fields(question)}
    return {**board.asked(question.id).item, **values, "fate": str(question.fate), **question.index, **board.attributes}


def sending(board: Board, asked: Q) -> list[Write]:
    """Refused if the same person sent another question at the same time."""
    return [Put(question_item(board, asked), when=Missing())]


def moderating(board: Board, before: Q, after: Q) -> list[Write]:
    """Refused if it was moderated since it was read."""
    return [Put(question_item(board, next_version(before, after)), when=unchanged(before))]


def checking_unchanged(board: Board, asked: Q) -> Check:
    return Check(board.asked(asked.id), unchanged(asked))


def count_question(board: Board) -> None:
    """Count a new question; a separate write, so that concurrent senders do not contend."""
    table().increment(board.counter, "sent", setting=board.attributes)


def upvoting(board: Board, who: str, question: str) -> list[Write]:
    """Refused in part 0 if the person has already upvoted it."""
    return [
        Update(board.upvoted(who), set={question: 1, **board.attributes}, when=Missing(question)),
        Update(board.upvotes(who), set=board.attributes, add={question: 1}),
    ]


def taking_back(board: Board, who: str, question: str) -> list[Write]:
    """Refused in part 0 if the person has not upvoted it."""
    return [
        Update(board.upvoted(who), remove=(question,), when=Exists(question)),
        Update(board.upvotes(who), set=board.attributes, add={question: -1}),
    ]
