"""What a question set is, who may do what with it, and how it changes: pure decisions on frozen values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from typing import Any

from django.utils.translation import gettext_lazy as _

from accounts.rules import Permission, Role, has
from foundation.acts.refusals import NotAllowed, NotNow, NotThere, Refusal
from foundation.store.keys import fold
from foundation.store.limits import check_value

from .question import MAX_QUESTIONS, SET_TYPES, Question, Type

MAX_CATEGORIES = 20
MAX_SET_BYTES = 800_000  # of all questions of a set, so that one Query reads it
MAX_SET_NAME_CHARS, MAX_DESCRIPTION_CHARS = 200, 2_000  # of a set; and of its description and its instructions


class NoRoom(Refusal):
    pass


class ChangedElsewhere(Refusal):
    """It was changed since the page was opened."""


NOT_YOURS = _("This question set belongs to someone else. You can use it or make your own copy.")
NOT_THERE = _("This question set no longer exists.")
STILL_FILLING = _("Questions are still being added to this set. Please try again in a moment.")
QUESTION_GONE = _("This question is no longer in the set.")
TOO_MANY = _("A set has at most %(most)d questions; with these it would have %(count)d.")
TOO_LONG = _("A set can hold at most %(most)d KB of text; with these it would have %(size)d.")
TOO_MANY_CATEGORIES = _("A set has at most %(most)d categories; with these it would have %(count)d.")
CHANGED_ELSEWHERE = _(
    "This was changed in another window or by someone else since you opened it. What you "
    "typed is still here. Save again to overwrite the saved version."
)


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """What lists show of a set."""

    id: str
    name: str
    created_at: str
    created_by: str  # empty, if they have left and the site has no owner
    changed_at: str
    description: str = ""
    custom_instructions: str = ""
    is_active: bool = True
    shared: bool = False
    version: int = 1
    categories: tuple[str, ...] = ()
    total_questions: int = 0
    suiting: Mapping[str, int] = field(default_factory=dict)  # how many questions, for each type of session
    last_number: int = 0  # of a question, so that none is given twice
    last_category: int = 0

    def suits(self, type_: Type) -> int:
        """How many of its questions suit such a session."""
        return self.suiting.get(str(type_), 0)

    @property
    def is_offered(self) -> bool:
        """Whether others may use it."""
        return self.shared and self.is_active


@dataclass(frozen=True, slots=True)
class Category:
    """Created with its first question, deleted with its last."""

    number: int
    name: str  # of those without a category: none
    order: int
    description: str = ""


@dataclass(frozen=True, slots=True)
class PlacedQuestion:
    """A question at its position in a set."""

    number: int
    category: int
    order: int
    created_at: str
    question: Question

    @property
    def id(self) -> str:
        return f"{self.category:02d}-{self.number:04d}"


@dataclass(frozen=True, slots=True)
class FullSet:
    """A set with its categories and questions, in order."""

    set: QuestionSet
    categories: tuple[Category, ...] = ()
    placed: tuple[PlacedQuestion, ...] = ()
    waiting: int = 0  # questions that are on their way in

    @property
    def questions(self) -> tuple[Question, ...]:
        return tuple(each.question for each in self.placed)

    def find(self, number: int) -> PlacedQuestion:
        found = next((each for each in self.placed if each.number == number), None)
        if found is None:
            raise NotThere(QUESTION_GONE)
        return found

    def category(self, number: int) -> Category:
        found = next((each for each in self.categories if each.number == number), None)
        if found is None:
            raise NotThere(_("This category is no longer in the set."))
        return found

    def within(self, category: int) -> list[PlacedQuestion]:
        return [each for each in self.placed if each.category == category]


EMPTY = FullSet(QuestionSet("", name="", created_at="", created_by="", changed_at=""))


# --- who may ---


def owns(name: str, set_: QuestionSet) -> bool:
    return bool(set_.created_by) and fold(set_.created_by) == fold(name)


def may_see(name: str, role: Role, set_: QuestionSet) -> bool:
    """Its owner; everyone who may create things, while it is offered; administrators, if it is shared."""
    return owns(name, set_) or set_.is_offered or (set_.shared and moderates(role))


def moderates(role: Role) -> bool:
    return has(role, Permission.MANAGE_USERS)


def check_owns(name: str, set_: QuestionSet) -> None:
    if not owns(name, set_):
        raise NotAllowed(NOT_YOURS)


def check_may_withdraw(name: str, role: Role, set_: QuestionSet) -> None:
    """Who may delete a set or stop sharing it."""
    if owns(name, set_):
        return
    if not moderates(role):
        raise NotAllowed(NOT_YOURS)
    if not set_.shared:
        raise NotAllowed(_("Administrators can only remove question sets that are shared."))


# --- changes: each returns the changed set ---


def with_fields(full: FullSet, **fields: Any) -> FullSet:
    return replace(full, set=replace(full.set, **fields))


def added(
    full: FullSet, questions: Iterable[Question], at: str, described: Iterable[Mapping[str, str]] = ()
) -> FullSet:
    """Adds questions at the end of their categories, creating missing ones with their descriptions."""
    fields = {each["name"]: each["description"] for each in described}
    for question in questions:
        full, category = _with_category(full, question.category, fields.get(question.category, ""))
        number = full.set.last_number + 1
        new = PlacedQuestion(number, category.number, _next_order(full.within(category.number)), at, question)
        named = replace(new, question=replace(question, category=category.name))
        full = replace(full, set=replace(full.set, last_number=number), placed=(*full.placed, named))
    return _normalised(full)


def in_order(questions: Iterable[Question]) -> tuple[Question, ...]:
    """As a set would have them: by category."""
    return added(EMPTY, questions, "").questions


def changed(full: FullSet, number: int, question: Question) -> FullSet:
    """In place, or at the end of another category."""
    before = full.find(number)
    full, category = _with_category(full, question.category)
    after = replace(before, question=replace(question, category=category.name), category=category.number)
    if category.number != before.category:
        after = replace(after, order=_next_order(full.within(category.number)))
    return _normalised(replace(full, placed=tuple(after if each is before else each for each in full.placed)))


def without(full: FullSet, *numbers: int) -> FullSet:
    gone = [full.find(number) for number in numbers]
    return _normalised(replace(full, placed=tuple(each for each in full.placed if each not in gone)))


def moved(full: FullSet, number: int, *, up: bool) -> FullSet:
    """Swaps with the neighbour in the same category, if there is one."""
    one = full.find(number)
    orders = _swapped_orders(full.within(one.category), one, up=up)
    return _normalised(replace(full, placed=tuple(_with_order(each, orders) for each in full.placed)))


def category_changed(full: FullSet, number: int, name: str, description: str) -> FullSet:
    before = full.category(number)
    if any(fold(each.name) == fold(name) for each in full.categories if each is not before):
        raise NotNow(_("This set already has a category called %(name)s.") % {"name": name})
    after = replace(before, name=name, description=description)
    categories = tuple(after if each is before else each for each in full.categories)
    placed = tuple(
        replace(each, question=replace(each.question, category=name)) if each.category == number else each
        for each in full.placed
    )
    return _normalised(replace(full, categories=categories, placed=placed))


def category_moved(full: FullSet, number: int, *, up: bool) -> FullSet:
    orders = _swapped_orders(full.categories, full.category(number), up=up)
    return _normalised(replace(full, categories=tuple(_with_order(each, orders) for each in full.categories)))


def _swapped_orders(siblings: Sequence[Any], one: Any, *, up: bool) -> dict[int, int]:
    """The new orders of it and of its neighbour, by number; none at the end of the list."""
    at = siblings.index(one) + (-1 if up else 1)
    if not 0 <= at < len(siblings):
        return {}
    return {one.number: siblings[at].order, siblings[at].number: one.order}


def _with_order(each: Any, orders: Mapping[int, int]) -> Any:
    return replace(each, order=orders[each.number]) if each.number in orders else each


def _with_category(full: FullSet, name: str, description: str = "") -> tuple[FullSet, Category]:
    found = next((each for each in full.categories if fold(each.name) == fold(name)), None)
    if found is not None:
        return full, found
    number = full.set.last_category + 1
    new = Category(number, name, _next_order(full.categories), description)
    set_ = replace(full.set, last_category=number)
    return replace(full, set=set_, categories=(*full.categories, new)), new


def _next_order(siblings: Iterable[Any]) -> int:
    return max((each.order for each in siblings), default=0) + 1


def _normalised(full: FullSet) -> FullSet:
    """Sorted, without empty categories, with updated counts."""
    used = {each.category for each in full.placed}
    categories = tuple(sorted((each for each in full.categories if each.number in used), key=lambda each: each.order))
    places = {each.number: place for place, each in enumerate(categories)}
    placed = tuple(sorted(full.placed, key=lambda each: (places[each.category], each.order)))
    counted = replace(
        full.set,
        categories=tuple(each.name for each in categories),
        total_questions=len(placed),
        suiting=count_suiting(each.question for each in placed),
    )
    return replace(full, set=counted, categories=categories, placed=placed)


def count_suiting(questions: Iterable[Question]) -> dict[str, int]:
    these = list(questions)
    return {str(type_): sum(each.suits(type_) for each in these) for type_ in SET_TYPES}


# --- how much fits ---


def check_room(full: FullSet, new: Sequence[Question]) -> None:
    """Refuse questions that would make the set too large."""
    count = full.set.total_questions + full.waiting + len(new)
    if count > MAX_QUESTIONS:
        raise NoRoom(TOO_MANY % {"most": MAX_QUESTIONS, "count": count})
    names = {fold(each.name) for each in full.categories} | {fold(each.category) for each in new}
    if len(names) > MAX_CATEGORIES:
        raise NoRoom(TOO_MANY_CATEGORIES % {"most": MAX_CATEGORIES, "count": len(names)})
    size = sum(map(stored_bytes, (*full.questions, *new)))
    if size > MAX_SET_BYTES:
        raise NoRoom(TOO_LONG % {"most": MAX_SET_BYTES // 1000, "size": -(-size // 1000)})


@lru_cache(maxsize=1024)
def stored_bytes(question: Question) -> int:
    return check_value(question.as_item())


# --- two at once, and twice the same ---


def fingerprint(*fields: Any) -> str:
    """Lets a form detect that what it was opened with has changed."""
    return sha256(json.dumps(fields, ensure_ascii=False).encode()).hexdigest()[:16]


def question_fingerprint(question: Question) -> str:
    return fingerprint(question.as_item())


def set_fingerprint(set_: QuestionSet) -> str:
    return fingerprint(set_.name, set_.description, set_.custom_instructions)


def category_fingerprint(category: Category) -> str:
    return fingerprint(category.name, category.description)


def comparison_key(question: Question) -> tuple[str, ...]:
    """Equal for duplicates, whatever their category and time limit."""
    fields = (question.title, question.detail, *question.options)
    return (str(question.kind), *(fold(word) for word in fields))
