"""Actions on question sets: load, decide, record in one transaction.

An action reads the full set by one Query and writes on condition that its version is unchanged, so every change
increases it by one. Questions that do not fit one transaction are stored next to the set and added in slices, in the
background.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Any

from accounts import repository as people
from accounts.handover import Handover, is_still_owner
from accounts.models import User
from foundation.acts.background import Batch, Task, finished, next_deletions
from foundation.acts.rate_limits import SECONDS_PER_HOUR, Limit, count
from foundation.acts.refusals import NotThere, TryLater
from foundation.acts.retry import retried
from foundation.acts.storage import SITE, log, now_text, record, table
from foundation.store import keys
from foundation.store.log import Event
from foundation.store.splitting import by_count
from foundation.store.table import Check, Delete, Item, Key, Missing, Write

from . import repository, rules
from .question import Question, question_of
from .repository import DELETING, FILLING
from .rules import FullSet, QuestionSet

MADE = Limit("question-sets", 60, SECONDS_PER_HOUR)
ID_BYTES = 11
Change = Callable[[FullSet, str], FullSet]  # what becomes of a set at a moment


# --- making ---


def count_making(user: User) -> None:
    count(MADE, user.name)


def make(
    user: User, name: str, description: str = "", custom_instructions: str = "", questions: Sequence[Question] = ()
) -> QuestionSet:
    """A new, private set."""
    new = QuestionSet(
        secrets.token_hex(ID_BYTES), name, now := now_text(), user.name, now, description, custom_instructions
    )
    rules.check_room(rules.EMPTY, questions)
    return _make(user, new, questions)


def copy(user: User, original: FullSet, name: str) -> QuestionSet:
    """An independent copy that belongs to the user."""
    now, old = now_text(), original.set
    new = QuestionSet(secrets.token_hex(ID_BYTES), name, now, user.name, now, old.description, old.custom_instructions)
    return _make(user, new, original.questions, _described(original), copied_from=old.id)


def _described(full: FullSet) -> list[Item]:
    """Its categories that have a description."""
    return [{"name": each.name, "description": each.description} for each in full.categories if each.description]


def _make(
    user: User,
    new: QuestionSet,
    questions: Sequence[Question] = (),
    described: Sequence[Item] = (),
    **event_data: str,
) -> QuestionSet:
    first, *later = repository.slices(questions) or [[]]
    made = rules.added(FullSet(new), first, new.created_at, described)
    names = ("name", "description", "custom_instructions", "created_at", "created_by")
    fields = {"set_id": new.id, **{name: getattr(new, name) for name in names}, **event_data}
    waiting = repository.filling(new.id, later, described, new.created_at)
    event = Event(user.name, "QuestionSetMade", fields | _questions_data(first, described))
    record(event, *repository.creation(made), *waiting, people.is_same_account(user))
    if later:
        FILLING.start(new.id)
    return made.set


def _questions_data(questions: Sequence[Question], described: Sequence[Item] = ()) -> dict[str, Any]:
    fields = {"described": list(described)} if described else {}
    return {"questions": [each.as_item() for each in questions], **fields}


# --- changing ---


def _change_as_owner(
    user: User, set_id: str, kind: str, event_data: dict[str, Any], change: Change, *more: Write
) -> FullSet:
    """A change that only the owner may make."""

    def decided(full: FullSet, at: str) -> FullSet:
        rules.check_owns(user.name, full.set)
        return change(full, at)

    return _change(user.name, set_id, kind, event_data, decided, *more)


@retried
def _change(who: str, set_id: str, kind: str, event_data: dict[str, Any], change: Change, *more: Write) -> FullSet:
    before, at = _load(set_id), now_text()
    after = change(before, at)
    if after == before:
        return before  # nothing to record
    after = rules.with_fields(after, changed_at=at)
    record(Event(who, kind, {"set_id": set_id, **event_data, "at": at}), *repository.change(before, after), *more)
    return rules.with_fields(after, version=before.set.version + 1)


def _load(set_id: str) -> FullSet:
    full = repository.find_full(set_id)
    if full is None:
        raise NotThere(rules.NOT_THERE)
    return full


def edit(user: User, set_id: str, fingerprint: str, **fields: str) -> FullSet:
    """Its name, description and instructions; refused if they have changed since the form was opened."""

    def change(full: FullSet, at: str) -> FullSet:
        _check_unchanged(fingerprint, rules.set_fingerprint(full.set))
        return rules.with_fields(full, **fields)

    return _change_as_owner(user, set_id, "QuestionSetChanged", fields, change)


def _check_unchanged(before: str, now: str) -> None:
    if before != now:
        raise rules.ChangedElsewhere(rules.CHANGED_ELSEWHERE)


def activate(user: User, set_id: str, *, on: bool) -> FullSet:
    """An archived set is not offered for new sessions."""
    return _change_as_owner(
        user, set_id, "QuestionSetChanged", {"is_active": on}, lambda full, at: rules.with_fields(full, is_active=on)
    )


def share(user: User, set_id: str, *, on: bool) -> FullSet:
    """With everyone who may host. Administrators may stop it, too."""

    def change(full: FullSet, at: str) -> FullSet:
        rules.check_owns(user.name, full.set) if on else rules.check_may_withdraw(user.name, user.role, full.set)
        return rules.with_fields(full, shared=on)

    return _change(user.name, set_id, "QuestionSetChanged", {"shared": on}, change)


# --- questions ---


def add(user: User, set_id: str, questions: Sequence[Question], described: Sequence[Item] = ()) -> FullSet:
    """At the end of their categories: all, or none if there is no room. New categories are described."""
    if not questions:
        return _load(set_id)
    first, *later = repository.slices(questions)

    def change(full: FullSet, at: str) -> FullSet:
        rules.check_room(full, questions)
        return rules.added(full, first, at, described)

    waiting = repository.filling(set_id, later, described, f"{now_text()} {secrets.token_hex(4)}")
    after = _change_as_owner(user, set_id, "QuestionsAdded", _questions_data(first, described), change, *waiting)
    if not later:
        return after
    FILLING.start(set_id)
    return _load(set_id)


def change_question(user: User, set_id: str, number: int, question: Question, fingerprint: str) -> FullSet:
    """Refused if it has changed since the form was opened."""

    def change(full: FullSet, at: str) -> FullSet:
        before = full.find(number).question
        _check_unchanged(fingerprint, rules.question_fingerprint(before))
        rules.check_room(rules.without(full, number), [question])
        return rules.changed(full, number, question)

    event_data = {"number": number, "question": question.as_item()}
    return _change_as_owner(user, set_id, "QuestionChanged", event_data, change)


def move_question(user: User, set_id: str, number: int, *, up: bool) -> FullSet:
    event_data = {"number": number, "up": up}
    return _change_as_owner(
        user, set_id, "QuestionMoved", event_data, lambda full, at: rules.moved(full, number, up=up)
    )


def remove_question(user: User, set_id: str, number: int, fingerprint: str) -> FullSet:
    def change(full: FullSet, at: str) -> FullSet:
        _check_unchanged(fingerprint, rules.question_fingerprint(full.find(number).question))
        return rules.without(full, number)

    return _change_as_owner(user, set_id, "QuestionRemoved", {"number": number}, change)


def change_category(user: User, set_id: str, number: int, name: str, description: str, fingerprint: str) -> FullSet:
    def change(full: FullSet, at: str) -> FullSet:
        _check_unchanged(fingerprint, rules.category_fingerprint(full.category(number)))
        return rules.category_changed(full, number, name, description)

    event_data = {"number": number, "name": name, "description": description}
    return _change_as_owner(user, set_id, "QuestionCategoryChanged", event_data, change)


def move_category(user: User, set_id: str, number: int, *, up: bool) -> FullSet:
    event_data = {"number": number, "up": up}
    return _change_as_owner(
        user, set_id, "QuestionCategoryMoved", event_data, lambda full, at: rules.category_moved(full, number, up=up)
    )


# --- replacing all of it ---


def replace(user: User, set_id: str, questions: Sequence[Question], **fields: str) -> None:
    """Its words and its questions; what is alike up to the first difference stays, and so do descriptions of
    categories. It takes several transactions, and may be asked for again if it was interrupted."""
    full = _load(set_id)
    rules.check_owns(user.name, full.set)
    if full.waiting:
        raise TryLater(rules.STILL_FILLING)
    rules.check_room(rules.EMPTY, questions)
    edit(user, set_id, rules.set_fingerprint(full.set), **fields)
    wanted = rules.in_order(questions)
    same = sum(1 for _pair in takewhile(lambda pair: pair[0] == pair[1], zip(full.questions, wanted, strict=False)))
    for numbers in by_count([each.number for each in full.placed[same:]], repository.SLICE_QUESTIONS):
        _remove_questions(user, set_id, numbers)
    add(user, set_id, wanted[same:], _described(full))


def _remove_questions(user: User, set_id: str, numbers: list[int]) -> None:
    data = {"numbers": numbers}
    _change_as_owner(user, set_id, "QuestionsRemoved", data, lambda full, at: rules.without(full, *numbers))


# --- more than fits one transaction ---


@FILLING.step
def fill_batch(task: Task) -> Batch:
    """Add the next slice."""
    waiting = table().page(keys.set_fillings(task.subject), limit=2).items  # the next slice, and perhaps one more
    before, at = repository.find_full(task.subject), now_text()
    if not waiting or before is None:
        return finished()  # what is left goes with the set
    item = waiting[0]
    questions, described = [question_of(each) for each in item["questions"]], item["described"]
    after = rules.with_fields(rules.added(before, questions, at, described), changed_at=at)
    event_data = {"set_id": task.subject, **_questions_data(questions, described), "at": at}
    event = Event(before.set.created_by or SITE, "QuestionsAdded", event_data)
    writes = [*repository.change(before, after), Delete(Key(item["PK"], item["SK"]))]
    return Batch(writes, event=event, is_last=len(waiting) == 1)


# --- deleting ---


@retried
def delete(user: User, set_id: str) -> None:
    """By its owner, or an administrator if it is shared. Existing sessions keep their questions."""
    set_ = _load(set_id).set
    rules.check_may_withdraw(user.name, user.role, set_)
    _record_deletion(user.name, set_)


def _record_deletion(who: str, set_: QuestionSet) -> None:
    log().record(Event(who, "QuestionSetDeleted", {"set_id": set_.id, "at": now_text()}), *repository.deletion(set_))


@DELETING.step
def delete_batch(task: Task) -> Batch:
    is_gone, left = Check(keys.question_set(task.subject), Missing()), next_deletions(keys.all_of_set(task.subject))
    return Batch([is_gone, *left]) if left else finished(is_gone)


# --- when a person leaves ---


def _pass_on_or_delete(full: FullSet, gone: str, heir: str | None) -> None:
    """Sets that others use pass to the site's owner; the rest are deleted."""
    if not full.set.is_offered:
        _record_deletion(SITE, full.set)
        return
    at = now_text()
    after = rules.with_fields(full, created_by=heir or "", changed_at=at)
    event = Event(SITE, "QuestionSetChanged", {"set_id": full.set.id, "created_by": after.set.created_by, "at": at})
    record(event, *repository.change(full, after), *is_still_owner(heir))


pass_on = Handover(
    lambda name: [each.id for each in repository.each_owned_by(name)],
    repository.find_full,
    lambda name, full: rules.owns(name, full.set),
    _pass_on_or_delete,
).pass_on
