"""Sending and upvoting questions; both record no events."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from foundation.acts.storage import table, try_write

from . import rules, store
from .rules import Q, Question, author_id, question_id
from .store import Board


def send(
    board: Board,
    person: str,
    own: Sequence[Q],
    check: Callable[[Sequence[Q]], None],
    new: Callable[[str], Q],
) -> Q:
    """Send a validated question within the limits that `check` knows; idempotent for the same question.

    `own` are the person's earlier questions, read after the request came in. Two sent at once compete for the same id,
    and the second retries. `new` makes the question from its id.
    """
    question = new(question_id(board.scope, person, len(own)))
    before = next((each for each in own if each.is_the_same(question)), None)
    if before is not None:
        return before
    check(own)
    if not try_write(*store.sending(board, question)):
        items = table().get_many(store.own_keys(board, person))
        return send(board, person, store.own_questions(type(question), board, person, items), check, new)
    store.count_question(board)
    return question


def upvote(board: Board, person: str, asked: Question | None, *, on: bool, may_be_own: bool = True) -> bool:
    """Upvote a visible question of another person, or take it back; idempotent. Return whether anything changed."""
    who = author_id(board.scope, person)
    rules.check_upvotable(asked, who if may_be_own else "")
    assert asked is not None  # checked above
    writes = store.upvoting if on else store.taking_back
    return try_write(*writes(board, who, asked.id))
