"""Replaying events of question sets: for each, the writes of the original action."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from store.replay import Act, DoesNotFit, Happened, Step
from store.schema import EventType, fields_of

from . import repository, rules
from .question import Question, question_of
from .rules import FullSet, QuestionSet

CHOSEN = ("name", "description", "custom_instructions", "is_active", "shared", "created_by")


def of_a_set(change: Callable[[Happened, FullSet], FullSet]) -> Act:
    def acted(event: Happened) -> Iterator[Step]:
        if (full := repository.find_full(event.data["set_id"])) is None:
            raise DoesNotFit("is about a question set that is not there.")
        yield repository.change(full, rules.with_fields(change(event, full), changed_at=event.data["at"]))

    return acted


def made(event: Happened) -> Iterator[Step]:
    said = event.data
    fields = {name: said[name] for name in ("name", "created_at", "created_by", "description", "custom_instructions")}
    new = FullSet(QuestionSet(id=said["set_id"], changed_at=said["created_at"], **fields))
    yield repository.creation(_with_questions(event, new, said["created_at"]))


@of_a_set
def changed(event: Happened, full: FullSet) -> FullSet:
    return rules.with_fields(full, **{name: event.data[name] for name in CHOSEN if name in event.data})


@of_a_set
def added(event: Happened, full: FullSet) -> FullSet:
    return _with_questions(event, full, event.data["at"])


def _with_questions(event: Happened, full: FullSet, at: str) -> FullSet:
    questions = map(question_of, event.data["questions"])
    return rules.added(full, questions, at, event.data.get("described", ()))


@of_a_set
def question_changed(event: Happened, full: FullSet) -> FullSet:
    return rules.changed(full, event.data["number"], question_of(event.data["question"]))


@of_a_set
def question_moved(event: Happened, full: FullSet) -> FullSet:
    return rules.moved(full, event.data["number"], up=event.data["up"])


@of_a_set
def question_removed(event: Happened, full: FullSet) -> FullSet:
    return rules.without(full, event.data["number"])


@of_a_set
def category_changed(event: Happened, full: FullSet) -> FullSet:
    said = event.data
    return rules.category_changed(full, said["number"], said["name"], said["description"])


@of_a_set
def category_moved(event: Happened, full: FullSet) -> FullSet:
    return rules.category_moved(full, event.data["number"], up=event.data["up"])


def deleted(event: Happened) -> Iterator[Step]:
    set_ = repository.find_set(event.data["set_id"])
    if set_ is None:
        raise DoesNotFit("is about a question set that is not there.")
    yield repository.deletion(set_)
    repository.DELETING.advance(set_.id)


ASKED = fields_of(Question)
EVENTS = (
    EventType("QuestionSetMade", made, "set_id name description custom_instructions created_at created_by:person "
              "questions:list copied_from described:list", inside=ASKED),
    EventType("QuestionSetChanged", changed, "set_id name description custom_instructions is_active:bool shared:bool "
              "created_by:person at"),
    EventType("QuestionsAdded", added, "set_id questions:list described:list at", inside=f"{ASKED} name description"),
    EventType("QuestionChanged", question_changed, "set_id number:int question:map at", inside=ASKED),
    EventType("QuestionMoved", question_moved, "set_id number:int up:bool at"),
    EventType("QuestionRemoved", question_removed, "set_id number:int at"),
    EventType("QuestionCategoryChanged", category_changed, "set_id number:int name description at"),
    EventType("QuestionCategoryMoved", category_moved, "set_id number:int up:bool at"),
    EventType("QuestionSetDeleted", deleted, "set_id at"),
)  # fmt: skip
