"""What a question set is, who may do what with it, and how it changes: frozen values and pure decisions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from typing import Any

from django.utils.translation import gettext_lazy as _

from accounts.rules import Permission, Role, has
from acts.refusals import NotAllowed, NotNow, NotThere, Refusal
from store.keys import fold
from store.limits import check_value

from .question import MAX_QUESTIONS, OF_SETS, Question, Type

MAX_CATEGORIES = 20
MAX_SET_BYTES = 800_000  # of all questions of a set, so that one Query reads it
MAX_SET_NAME_CHARS, MAX_DESCRIPTION_CHARS = 200, 2_000  # of a set; and of its description and its instructions


class NoRoom(Refusal):
    """The set would become too long."""


class Elsewhere(Refusal):
    """It was changed since the page was opened on which somebody changes it."""


NOT_YOURS = _("This question set is somebody else's. You may use it, and make a copy that is yours.")
NOT_THERE = _("There is no such question set any more.")
NO_QUESTION = _("This question is no longer in the set.")
NO_CATEGORY = _("This category is no longer in the set.")
TOO_MANY = _("A set has at most %(most)d questions; with these it would have %(count)d.")
TOO_LONG = _("The texts of a set have at most %(most)d KB together; with these they would have %(size)d.")
TOO_MANY_CATEGORIES = _("A set has at most %(most)d categories; with these it would have %(count)d.")
SAME_CATEGORY = _("Another category of this set is called so already: %(name)s.")
ONLY_SHARED = _("Only sets that are shared with everybody can be taken away by those who look after the site.")
ELSEWHERE = _(
    "This was changed elsewhere since you opened it, in another window or by somebody else. Your words are still here. "
    "Save again to put them in the place of what is saved now."
)


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """What lists show of a set; its questions lie beside it."""

    id: str
    name: str
    created_at: str
    created_by: str  # nobody, if they have left and the site has no owner
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
        """How many of its questions can be asked in such a session."""
        return self.suiting.get(str(type_), 0)

    @property
    def is_offered(self) -> bool:
        """Whether others may use it."""
        return self.shared and self.is_active


@dataclass(frozen=True, slots=True)
class Category:
    """Comes with its first question and goes with its last."""

    number: int
    name: str  # of those without a category: none
    order: int
    description: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    """A question where it stands in a set."""

    number: int
    category: int
    order: int
    created_at: str
    question: Question

    @property
    def id(self) -> str:
        return f"{self.category:02d}-{self.number:04d}"


@dataclass(frozen=True, slots=True)
class Whole:
    """A set with its categories and questions, both in their order."""

    set: QuestionSet
    categories: tuple[Category, ...] = ()
    placed: tuple[Placed, ...] = ()
    waiting: int = 0  # questions that are on their way in

    @property
    def questions(self) -> tuple[Question, ...]:
        return tuple(each.question for each in self.placed)

    def find(self, number: int) -> Placed:
        found = next((each for each in self.placed if each.number == number), None)
        if found is None:
            raise NotThere(NO_QUESTION)
        return found

    def category(self, number: int) -> Category:
        found = next((each for each in self.categories if each.number == number), None)
        if found is None:
            raise NotThere(NO_CATEGORY)
        return found

    def within(self, category: int) -> list[Placed]:
        return [each for each in self.placed if each.category == category]


# --- who may ---


def owns(name: str, set_: QuestionSet) -> bool:
    return bool(set_.created_by) and fold(set_.created_by) == fold(name)


def sees(name: str, role: Role, set_: QuestionSet) -> bool:
    """Its owner; everybody who may make something here, while it is offered; and of shared ones also whoever looks
    after the site."""
    return owns(name, set_) or set_.is_offered or (set_.shared and looks_after(role))


def looks_after(role: Role) -> bool:
    return has(role, Permission.MANAGE_USERS)


def check_owns(name: str, set_: QuestionSet) -> None:
    if not owns(name, set_):
        raise NotAllowed(NOT_YOURS)


def check_takes_away(name: str, role: Role, set_: QuestionSet) -> None:
    """Who may delete a set, or take it off the list of shared ones."""
    if owns(name, set_):
        return
    if not looks_after(role):
        raise NotAllowed(NOT_YOURS)
    if not set_.shared:
        raise NotAllowed(ONLY_SHARED)


# --- how it changes: each answers the set as it is afterwards ---


def renamed(whole: Whole, **words: Any) -> Whole:
    """With other words of its own, another owner, or another state."""
    return replace(whole, set=replace(whole.set, **words))


def added(whole: Whole, questions: Iterable[Question], at: str, described: Iterable[Mapping[str, str]] = ()) -> Whole:
    """At the end of their categories, which are made where they are missing, as they are described."""
    words = {each["name"]: each["description"] for each in described}
    for question in questions:
        whole, category = _with_category(whole, question.category, words.get(question.category, ""))
        number = whole.set.last_number + 1
        new = Placed(number, category.number, _next_order(whole.within(category.number)), at, question)
        named = replace(new, question=replace(question, category=category.name))
        whole = replace(whole, set=replace(whole.set, last_number=number), placed=(*whole.placed, named))
    return _settled(whole)


def changed(whole: Whole, number: int, question: Question) -> Whole:
    """In its place; in another category at the end."""
    before = whole.find(number)
    whole, category = _with_category(whole, question.category)
    after = replace(before, question=replace(question, category=category.name), category=category.number)
    if category.number != before.category:
        after = replace(after, order=_next_order(whole.within(category.number)))
    return _settled(replace(whole, placed=tuple(after if each is before else each for each in whole.placed)))


def without(whole: Whole, number: int) -> Whole:
    gone = whole.find(number)
    return _settled(replace(whole, placed=tuple(each for each in whole.placed if each is not gone)))


def moved(whole: Whole, number: int, *, up: bool) -> Whole:
    """Change places with the one above or below in the same category; whoever is at the end stays."""
    one = whole.find(number)
    other = _beside(whole.within(one.category), one, up=up)
    if other is None:
        return whole
    orders = {one.number: other.order, other.number: one.order}
    return _settled(replace(whole, placed=tuple(_ordered(each, orders) for each in whole.placed)))


def category_changed(whole: Whole, number: int, name: str, description: str) -> Whole:
    before = whole.category(number)
    if any(fold(each.name) == fold(name) for each in whole.categories if each is not before):
        raise NotNow(SAME_CATEGORY % {"name": name})
    after = replace(before, name=name, description=description)
    placed = (replace(each, question=replace(each.question, category=name)) for each in whole.within(number))
    by_number = {each.number: each for each in placed}
    return _settled(
        replace(
            whole,
            categories=tuple(after if each is before else each for each in whole.categories),
            placed=tuple(by_number.get(each.number, each) for each in whole.placed),
        )
    )


def category_moved(whole: Whole, number: int, *, up: bool) -> Whole:
    one = whole.category(number)
    other = _beside(whole.categories, one, up=up)
    if other is None:
        return whole
    orders = {one.number: other.order, other.number: one.order}
    return _settled(replace(whole, categories=tuple(_ordered(each, orders) for each in whole.categories)))


def _ordered(each: Any, orders: Mapping[int, int]) -> Any:
    return replace(each, order=orders[each.number]) if each.number in orders else each


def _beside(those: Sequence[Any], one: Any, *, up: bool) -> Any:
    at = those.index(one) + (-1 if up else 1)
    return those[at] if 0 <= at < len(those) else None


def _with_category(whole: Whole, name: str, description: str = "") -> tuple[Whole, Category]:
    found = next((each for each in whole.categories if fold(each.name) == fold(name)), None)
    if found is not None:
        return whole, found
    number = whole.set.last_category + 1
    new = Category(number, name, _next_order(whole.categories), description)
    set_ = replace(whole.set, last_category=number)
    return replace(whole, set=set_, categories=(*whole.categories, new)), new


def _next_order(those: Iterable[Any]) -> int:
    return max((each.order for each in those), default=0) + 1


def _settled(whole: Whole) -> Whole:
    """In order, without categories that nothing is in, and with what is counted of it."""
    used = {each.category for each in whole.placed}
    categories = tuple(sorted((each for each in whole.categories if each.number in used), key=lambda each: each.order))
    places = {each.number: place for place, each in enumerate(categories)}
    placed = tuple(sorted(whole.placed, key=lambda each: (places[each.category], each.order)))
    counted = replace(
        whole.set,
        categories=tuple(each.name for each in categories),
        total_questions=len(placed),
        suiting=suiting_of(each.question for each in placed),
    )
    return replace(whole, set=counted, categories=categories, placed=placed)


def suiting_of(questions: Iterable[Question]) -> dict[str, int]:
    these = list(questions)
    return {str(type_): sum(each.suits(type_) for each in these) for type_ in OF_SETS}


# --- how much fits ---


def check_room(whole: Whole, new: Sequence[Question]) -> None:
    """Refuse questions that would make the set longer than it may be."""
    count = whole.set.total_questions + whole.waiting + len(new)
    if count > MAX_QUESTIONS:
        raise NoRoom(TOO_MANY % {"most": MAX_QUESTIONS, "count": count})
    names = {fold(each.name) for each in whole.categories} | {fold(each.category) for each in new}
    if len(names) > MAX_CATEGORIES:
        raise NoRoom(TOO_MANY_CATEGORIES % {"most": MAX_CATEGORIES, "count": len(names)})
    size = sum(map(weight, (*whole.questions, *new)))
    if size > MAX_SET_BYTES:
        raise NoRoom(TOO_LONG % {"most": MAX_SET_BYTES // 1000, "size": -(-size // 1000)})


@lru_cache(maxsize=1024)
def weight(question: Question) -> int:
    """How many bytes it takes in the store."""
    return check_value(question.as_item())


# --- two at once, and twice the same ---


def edition(*words: Any) -> str:
    """Of words as they are: a form that has seen others knows that it was overtaken."""
    return sha256(json.dumps(words, ensure_ascii=False).encode()).hexdigest()[:16]


def edition_of_question(question: Question) -> str:
    return edition(question.as_item())


def edition_of_set(set_: QuestionSet) -> str:
    return edition(set_.name, set_.description, set_.custom_instructions)


def edition_of_category(category: Category) -> str:
    return edition(category.name, category.description)


def likeness(question: Question) -> tuple[str, ...]:
    """By which two questions are the same, whatever their category and time."""
    words = (question.title, question.detail, *question.options)
    return (str(question.kind), *(fold(word) for word in words))
