"""What makers of question sets do: load, decide, record in one transaction.

An act reads the whole set by one Query and writes on condition that its version is still the same, so that every change
increases it by one. More questions than fit one transaction are stored beside the set with the first of them, and come
in a slice at a time, as background work.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from typing import Any

from accounts import repository as people
from accounts.heirs import Estate, is_owner
from accounts.models import User
from acts.background import Batch, Task, finished, next_deletions
from acts.refusals import NotThere
from acts.retry import retry_lost_race
from acts.storage import SITE, log, now_text, record
from store import keys
from store.log import Event
from store.table import Check, Delete, Item, Key, Missing, Write

from . import repository, rules
from .question import Question, question_of
from .repository import DELETING, FILLING
from .rules import QuestionSet, Whole

Change = Callable[[Whole, str], Whole]  # what becomes of a set at a moment


# --- making ---


def make(user: User, name: str, description: str = "", custom_instructions: str = "") -> QuestionSet:
    """A new set without questions, for its maker alone."""
    return _make(
        user, QuestionSet(_new_id(), name, now := now_text(), user.name, now, description, custom_instructions)
    )


def copy(user: User, original: Whole, name: str) -> QuestionSet:
    """A set of one's own with the same questions; from then on the two know nothing of each other."""
    now, old = now_text(), original.set
    new = QuestionSet(_new_id(), name, now, user.name, now, old.description, old.custom_instructions)
    described = [
        {"name": each.name, "description": each.description} for each in original.categories if each.description
    ]
    return _make(user, new, original.questions, described, copied_from=old.id)


def _new_id() -> str:
    return secrets.token_hex(11)


def _make(
    user: User,
    new: QuestionSet,
    questions: Sequence[Question] = (),
    described: Sequence[Item] = (),
    **said: str,
) -> QuestionSet:
    first, *later = repository.slices(questions) or [[]]
    made = rules.added(Whole(new), first, new.created_at, described)
    words = {"set_id": new.id, **repository.told(new), **_told(first, described), **said}
    waiting = repository.filling(new.id, later, described, new.created_at)
    event = Event(user.name, "QuestionSetMade", words)
    log().record(event, *repository.creation(made), *waiting, people.is_still(user))
    if later:
        FILLING.start(new.id)
    return made.set


def _told(questions: Sequence[Question], described: Sequence[Item] = ()) -> dict[str, Any]:
    words = {"described": list(described)} if described else {}
    return {"questions": [each.as_item() for each in questions], **words}


# --- changing ---


def _change(user: User, set_id: str, kind: str, said: dict[str, Any], change: Change, *also: Write) -> Whole:
    """What only its owner does. Whoever loses the race looks again and decides anew."""

    def decided(whole: Whole, at: str) -> Whole:
        rules.check_owns(user.name, whole.set)
        return change(whole, at)

    return _act(user.name, set_id, kind, said, decided, *also)


def _act(who: str, set_id: str, kind: str, said: dict[str, Any], change: Change, *also: Write) -> Whole:
    return retry_lost_race(lambda: _acted(who, set_id, kind, said, change, *also))


def _acted(who: str, set_id: str, kind: str, said: dict[str, Any], change: Change, *also: Write) -> Whole:
    before, at = _there(set_id), now_text()
    after = change(before, at)
    if after == before:
        return before  # nothing to tell
    after = rules.renamed(after, changed_at=at)
    record(Event(who, kind, {"set_id": set_id, **said, "at": at}), *repository.change(before, after), *also)
    return rules.renamed(after, version=before.set.version + 1)


def _there(set_id: str) -> Whole:
    whole = repository.whole(set_id)
    if whole is None:
        raise NotThere(rules.NOT_THERE)
    return whole


def edit(user: User, set_id: str, seen: str, **words: str) -> Whole:
    """Its name, description and instructions; refused if they are no longer those that somebody has seen."""

    def change(whole: Whole, at: str) -> Whole:
        _check_seen(seen, rules.edition_of_set(whole.set))
        return rules.renamed(whole, **words)

    return _change(user, set_id, "QuestionSetChanged", words, change)


def _check_seen(seen: str, now: str) -> None:
    if seen != now:
        raise rules.Elsewhere(rules.ELSEWHERE)


def activate(user: User, set_id: str, *, on: bool) -> Whole:
    """A set that is not active is offered to nobody who makes a session; it stays as it is."""
    return _change(
        user, set_id, "QuestionSetChanged", {"is_active": on}, lambda whole, at: rules.renamed(whole, is_active=on)
    )


def share(user: User, set_id: str, *, on: bool) -> Whole:
    """With all who may make sessions here. Whoever looks after the site may take it off that list as well."""

    def change(whole: Whole, at: str) -> Whole:
        rules.check_owns(user.name, whole.set) if on else rules.check_takes_away(user.name, user.role, whole.set)
        return rules.renamed(whole, shared=on)

    return _act(user.name, set_id, "QuestionSetChanged", {"shared": on}, change)


# --- questions ---


def add(user: User, set_id: str, questions: Sequence[Question]) -> Whole:
    """At the end of their categories: all of them, or none if there is no room."""
    if not questions:
        return _there(set_id)
    first, *later = repository.slices(questions)

    def change(whole: Whole, at: str) -> Whole:
        rules.check_room(whole, questions)
        return rules.added(whole, first, at)

    waiting = repository.filling(set_id, later, (), f"{now_text()} {secrets.token_hex(4)}")
    after = _change(user, set_id, "QuestionsAdded", _told(first), change, *waiting)
    if not later:
        return after
    FILLING.start(set_id)
    return _there(set_id)


def change_question(user: User, set_id: str, number: int, question: Question, seen: str) -> Whole:
    """In the place of what was seen; refused if it is another by now."""

    def change(whole: Whole, at: str) -> Whole:
        before = whole.find(number).question
        _check_seen(seen, rules.edition_of_question(before))
        rules.check_room(rules.without(whole, number), [question])
        return rules.changed(whole, number, question)

    said = {"number": number, "question": question.as_item()}
    return _change(user, set_id, "QuestionChanged", said, change)


def move_question(user: User, set_id: str, number: int, *, up: bool) -> Whole:
    said = {"number": number, "up": up}
    return _change(user, set_id, "QuestionMoved", said, lambda whole, at: rules.moved(whole, number, up=up))


def remove_question(user: User, set_id: str, number: int, seen: str) -> Whole:
    def change(whole: Whole, at: str) -> Whole:
        _check_seen(seen, rules.edition_of_question(whole.find(number).question))
        return rules.without(whole, number)

    return _change(user, set_id, "QuestionRemoved", {"number": number}, change)


def change_category(user: User, set_id: str, number: int, name: str, description: str, seen: str) -> Whole:
    def change(whole: Whole, at: str) -> Whole:
        _check_seen(seen, rules.edition_of_category(whole.category(number)))
        return rules.category_changed(whole, number, name, description)

    said = {"number": number, "name": name, "description": description}
    return _change(user, set_id, "QuestionCategoryChanged", said, change)


def move_category(user: User, set_id: str, number: int, *, up: bool) -> Whole:
    def change(whole: Whole, at: str) -> Whole:
        return rules.category_moved(whole, number, up=up)

    return _change(user, set_id, "QuestionCategoryMoved", {"number": number, "up": up}, change)


# --- more than fits one transaction ---


@FILLING.step
def fill_batch(task: Task) -> Batch:
    """Put the next slice in."""
    waiting, before, at = repository.next_fillings(task.subject), repository.whole(task.subject), now_text()
    if not waiting or before is None:
        return finished()  # what is left goes with the set
    item = waiting[0]
    questions, described = [question_of(each) for each in item["questions"]], item["described"]
    after = rules.renamed(rules.added(before, questions, at, described), changed_at=at)
    said = {"set_id": task.subject, **_told(questions, described), "at": at}
    event = Event(before.set.created_by or SITE, "QuestionsAdded", said)
    writes = [*repository.change(before, after), Delete(Key(item["PK"], item["SK"]))]
    return Batch(writes, event=event, is_last=len(waiting) == 1)


# --- deleting ---


def delete(user: User, set_id: str) -> None:
    """By its owner; one that is shared also by whoever looks after the site. Running sessions keep their questions."""

    def deleted() -> None:
        set_, at = _there(set_id).set, now_text()
        rules.check_takes_away(user.name, user.role, set_)
        _record_deletion(user.name, set_, at)

    retry_lost_race(deleted)


def _record_deletion(who: str, set_: QuestionSet, at: str) -> None:
    log().record(Event(who, "QuestionSetDeleted", {"set_id": set_.id, "at": at}), *repository.deletion(set_))


@DELETING.step
def delete_batch(task: Task) -> Batch:
    is_gone, left = Check(keys.question_set(task.subject), Missing()), next_deletions(keys.all_of_set(task.subject))
    return Batch([is_gone, *left]) if left else finished(is_gone)


# --- when somebody leaves ---


def _made_by(name: str) -> list[str]:
    return [each.id for each in repository.each_of(name)]


def _is_theirs(name: str, whole: Whole) -> bool:
    return rules.owns(name, whole.set)


def _hand_on(whole: Whole, gone: str, heir: str | None) -> None:
    """What others use passes to the site's owner, and the rest was theirs alone and goes."""
    at = now_text()
    if not whole.set.is_offered:
        _record_deletion(SITE, whole.set, at)
        return
    after = rules.renamed(whole, created_by=heir or "", changed_at=at)
    event = Event(SITE, "QuestionSetChanged", {"set_id": whole.set.id, "created_by": after.set.created_by, "at": at})
    record(event, *repository.change(whole, after), *is_owner(heir))


pass_on = Estate(_made_by, repository.whole, _is_theirs, _hand_on).pass_on
