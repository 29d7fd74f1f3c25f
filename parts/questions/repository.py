"""Question sets in the table: reading them, and the writes that keep all items of a set consistent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace

from django.utils.translation import gettext_lazy as _

from foundation.acts.background import OVERWRITE, TaskType
from foundation.acts.storage import next_version, now_text, table, unchanged
from foundation.store import keys
from foundation.store.splitting import in_parts
from foundation.store.table import Delete, Item, Key, Missing, Put, Span, Write

from .question import Question, question_of
from .rules import Category, FullSet, PlacedQuestion, QuestionSet, stored_bytes

FILLING = TaskType("fill question set", _("Adding questions to a set"))
DELETING = TaskType("delete question set", _("Deleting a question set"))

MAX_SETS_OFFERED = 200  # sets that a form offers, of each kind
SET_FIELDS = tuple(QuestionSet.__dataclass_fields__)
SLICE_QUESTIONS = 50  # questions of one transaction, beside all categories and what is still to come

# --- finding ---


def find(set_id: str) -> tuple[QuestionSet, tuple[Question, ...]] | None:
    """A set and its questions in order, in one round trip."""
    full = find_full(set_id)
    return (full.set, full.questions) if full else None


def usable_by(name: str) -> list[QuestionSet]:
    """Someone's active sets and shared ones, most recently changed first."""
    own, _more = owned_by(name, limit=MAX_SETS_OFFERED)
    others, _more = shared(limit=MAX_SETS_OFFERED)
    known = {each.id for each in own}
    return [*(each for each in own if each.is_active), *(each for each in others if each.id not in known)]


def find_full(set_id: str) -> FullSet | None:
    """A set with everything in it, by one Query."""
    items = list(table().each(keys.all_of_set(set_id)))
    head = next((item for item in items if item["SK"] == keys.METADATA), None)
    if head is None:
        return None
    categories = [
        Category(item["number"], item["name"], item["order_index"], item.get("description", ""))
        for item in _items_of_kind(items, keys.set_categories)
    ]
    categories.sort(key=lambda each: each.order)
    names = {each.number: each.name for each in categories}
    places = {number: place for place, number in enumerate(names)}
    placed = list[PlacedQuestion]()
    for item in _items_of_kind(items, keys.set_questions):
        category = item["category_id"]
        question = replace(question_of(item), category=names[category])
        placed.append(PlacedQuestion(item["number"], category, item["order_in_category"], item["created_at"], question))
    placed.sort(key=lambda each: (places[each.category], each.order))
    waiting = sum(len(item["questions"]) for item in _items_of_kind(items, keys.set_fillings))
    return FullSet(set_of(head), tuple(categories), tuple(placed), waiting)


def _items_of_kind(items: Iterable[Item], kind: Callable[[str], Span]) -> Iterator[Item]:
    return (item for item in items if item["SK"].startswith(kind("").prefix))


def find_set(set_id: str) -> QuestionSet | None:
    item = table().get(keys.question_set(set_id))
    return set_of(item) if item else None


def owned_by(name: str, *, limit: int, cursor: str | None = None) -> tuple[list[QuestionSet], str | None]:
    return _listed(keys.sets_of(name), limit, cursor)


def shared(*, limit: int, cursor: str | None = None) -> tuple[list[QuestionSet], str | None]:
    return _listed(keys.SHARED_SETS, limit, cursor)


def each_owned_by(name: str) -> Iterator[QuestionSet]:
    return map(set_of, table().each(keys.sets_of(name)))


def _listed(span: Span, limit: int, cursor: str | None) -> tuple[list[QuestionSet], str | None]:
    page = table().page(span, limit=limit, cursor=cursor, backwards=True)
    return [set_of(item) for item in page.items], page.cursor


# --- items ---


def set_of(item: Item) -> QuestionSet:
    fields = {name: item[name] for name in SET_FIELDS if name in item}
    return QuestionSet(**fields | {"categories": tuple(item["categories"])})


def items_of(full: FullSet) -> dict[Key, Item]:
    """All items of a set. Questions without their category's name, which is stored only once."""
    set_ = full.set
    items = [_item(keys.question_set(set_.id), set_, keys.sets_of(set_.created_by) if set_.created_by else None)]
    if set_.is_offered:
        items.append(_item(keys.shared_set(set_.id), set_, keys.SHARED_SETS))
    for category in full.categories:
        fields = {"number": category.number, "name": category.name, "order_index": category.order}
        place = keys.set_category(set_.id, category.number).item
        items.append({**place, **fields, "description": category.description})
    for each in full.placed:
        fields = {"number": each.number, "category_id": each.category, "order_in_category": each.order}
        place = keys.set_question(set_.id, each.category, each.number).item
        question = {name: value for name, value in each.question.as_item().items() if name != "category"}
        items.append({**place, "created_at": each.created_at, **fields, **question})
    return {Key(item["PK"], item["SK"]): item for item in items}


def _item(place: Key, set_: QuestionSet, index: Span | None) -> Item:
    fields = asdict(set_) | {"categories": list(set_.categories), "suiting": dict(set_.suiting)}
    listed = {"GSI1PK": index.pk, "GSI1SK": keys.id_by_date(set_.changed_at, set_.id)} if index else {}
    return {**place.item, **listed, **fields}


# --- writes; each returns parts of a transaction ---


def creation(full: FullSet) -> list[Write]:
    own, *others = items_of(full).values()
    return [Put(own, when=Missing()), *map(Put, others)]


def change(before: FullSet, after: FullSet) -> list[Write]:
    """Every item that differs. Refused in part 0 if the set has changed since it was read."""
    was = items_of(before)
    will = items_of(replace(after, set=next_version(before.set, after.set)))
    own = keys.question_set(before.set.id)
    puts = [Put(item) for place, item in will.items() if place != own and was.get(place) != item]
    gone = [Delete(place) for place in was if place not in will]
    return [Put(will[own], when=unchanged(before.set)), *puts, *gone]


def deletion(set_: QuestionSet) -> list[Write]:
    """Makes it unfindable; the worker deletes its questions."""
    own, shared = keys.question_set(set_.id), keys.shared_set(set_.id)
    return [Delete(own, when=unchanged(set_)), Delete(shared), DELETING.begin(set_.id, due=now_text())]


# --- questions on their way in ---


def slices(questions: Sequence[Question]) -> list[list[Question]]:
    """As many as fit a transaction and its event."""
    return list(in_parts(questions, stored_bytes, max_count=SLICE_QUESTIONS))


def filling(set_id: str, later: Sequence[Sequence[Question]], described: Sequence[Item], at: str) -> list[Write]:
    """Stores questions for later transactions, and the task that adds them, which may already be running."""
    waiting: list[Write] = []
    for number, questions in enumerate(later, 1):
        fields = {"id": set_id, "questions": [each.as_item() for each in questions], "described": list(described)}
        waiting.append(Put({**keys.set_filling(set_id, at, number).item, **fields}))
    return [*waiting, FILLING.begin(set_id, when=OVERWRITE)] if waiting else []
