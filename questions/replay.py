"""Replaying events of question sets: for each, the writes of the original action."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from store.replay import Act, DoesNotFit, Happened, Step
from store.schema import EventType, fields_of

from . import repository, rules
from .question import Question, question_of
from .rules import FullSet, QuestionSet

T = TypeVar("T")
EDITABLE = ("name", "description", "custom_instructions", "is_active", "shared", "created_by")


def changed(change: Callable[[FullSet, dict[str, Any]], FullSet]) -> Act:
    """Replays a change that depends on the set and the event's data."""

    def acted(event: Happened) -> Iterator[Step]:
        full, data = _found(repository.find_full(event.data["set_id"])), event.data
        yield repository.change(full, rules.with_fields(change(full, data), changed_at=data["at"]))

    return acted


def _found(found: T | None) -> T:
    if found is None:
        raise DoesNotFit("is about a question set that is not there.")
    return found


def made(event: Happened) -> Iterator[Step]:
    data = event.data
    fields = {name: data[name] for name in ("name", "created_at", "created_by", "description", "custom_instructions")}
    new = FullSet(QuestionSet(id=data["set_id"], changed_at=data["created_at"], **fields))
    yield repository.creation(_with_questions(new, data, data["created_at"]))


def _with_questions(full: FullSet, data: dict[str, Any], at: str) -> FullSet:
    return rules.added(full, map(question_of, data["questions"]), at, data.get("described", ()))


def _with_fields(full: FullSet, data: dict[str, Any]) -> FullSet:
    return rules.with_fields(full, **{name: data[name] for name in EDITABLE if name in data})


def deleted(event: Happened) -> Iterator[Step]:
    set_ = _found(repository.find_set(event.data["set_id"]))
    yield repository.deletion(set_)
    repository.DELETING.advance(set_.id)


added = changed(lambda full, data: _with_questions(full, data, data["at"]))
question_changed = changed(lambda full, data: rules.changed(full, data["number"], question_of(data["question"])))
question_moved = changed(lambda full, data: rules.moved(full, data["number"], up=data["up"]))
question_removed = changed(lambda full, data: rules.without(full, data["number"]))
questions_removed = changed(lambda full, data: rules.without(full, *data["numbers"]))
category_changed = changed(
    lambda full, data: rules.category_changed(full, data["number"], data["name"], data["description"])
)
category_moved = changed(lambda full, data: rules.category_moved(full, data["number"], up=data["up"]))

QUESTION = fields_of(Question)
EVENTS = (
    EventType("QuestionSetMade", made, "set_id name description custom_instructions created_at created_by:person "
              "questions:list copied_from described:list", inside=QUESTION),
    EventType("QuestionSetChanged", changed(_with_fields), "set_id name description custom_instructions is_active:bool "
              "shared:bool created_by:person at"),
    EventType("QuestionsAdded", added, "set_id questions:list described:list at",
              inside=f"{QUESTION} name description"),
    EventType("QuestionChanged", question_changed, "set_id number:int question:map at", inside=QUESTION),
    EventType("QuestionMoved", question_moved, "set_id number:int up:bool at"),
    EventType("QuestionRemoved", question_removed, "set_id number:int at"),
    EventType("QuestionsRemoved", questions_removed, "set_id numbers:list at"),
    EventType("QuestionCategoryChanged", category_changed, "set_id number:int name description at"),
    EventType("QuestionCategoryMoved", category_moved, "set_id number:int up:bool at"),
    EventType("QuestionSetDeleted", deleted, "set_id at"),
)  # fmt: skip
