"""What makers of question sets do: load, decide, record in one transaction.

An act reads the whole set by one Query and writes on condition that its version is still the same, so that every change
increases it by one. More questions than fit one transaction are stored beside the set with the first of them, and come
in a slice at a time; what somebody who was cut off has left, a worker puts in.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from accounts import repository as people
from accounts.heirs import Estate, is_owner
from accounts.models import User
from acts.again import try_again
from acts.queues import take_each
from acts.refusals import Overtaken
from acts.site import log, now_text, table
from acts.sweeping import sweep
from live.questions import Question, question_of
from store import keys
from store.log import Event
from store.table import Check, Conflict, Delete, Exists, Item, Key, Missing, Write

from . import repository, rules
from .rules import QuestionSet, Whole

SITE = "plenum"
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
    _fill_now(new.id)
    return made.set


def _told(questions: Sequence[Question], described: Sequence[Item] = ()) -> dict[str, Any]:
    words = {"described": list(described)} if described else {}
    return {"questions": [each.as_item() for each in questions], **words}


# --- changing ---


def _change(user: User, set_id: str, kind: str, said: dict[str, Any], change: Change, *also: Write) -> Whole:
    """What only its owner does. Whoever is overtaken looks again and decides anew."""

    def decided(whole: Whole, at: str) -> Whole:
        rules.check_owns(user.name, whole.set)
        return change(whole, at)

    return _act(user.name, set_id, kind, said, decided, *also)


def _act(who: str, set_id: str, kind: str, said: dict[str, Any], change: Change, *also: Write) -> Whole:
    return try_again(lambda: _acted(who, set_id, kind, said, change, *also))


def _acted(who: str, set_id: str, kind: str, said: dict[str, Any], change: Change, *also: Write) -> Whole:
    before, at = _there(set_id), now_text()
    after = change(before, at)
    if after == before:
        return before  # nothing to tell
    after = rules.renamed(after, changed_at=at)
    log().record(Event(who, kind, {"set_id": set_id, **said, "at": at}), *repository.change(before, after), *also)
    return rules.renamed(after, version=before.set.version + 1)


def _there(set_id: str) -> Whole:
    whole = repository.whole(set_id)
    if whole is None:
        raise rules.NotThere(rules.NOT_THERE)
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
    return _change(user, set_id, "QuestionSetChanged", {"is_active": on}, lambda whole, at: _with(whole, is_active=on))


def share(user: User, set_id: str, *, on: bool) -> Whole:
    """With all who may make sessions here. Whoever looks after the site may take it off that list as well."""

    def change(whole: Whole, at: str) -> Whole:
        rules.check_owns(user.name, whole.set) if on else rules.check_takes_away(user.name, user.role, whole.set)
        return _with(whole, shared=on)

    return _act(user.name, set_id, "QuestionSetChanged", {"shared": on}, change)


def _with(whole: Whole, **words: Any) -> Whole:
    return rules.renamed(whole, **words)


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
    return _there(set_id) if _fill_now(set_id) else after


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


def _fill_now(set_id: str) -> int:
    """If others get in the way, a worker goes on: what was asked for is stored already."""
    with suppress(Conflict, Overtaken):
        return fill(set_id)
    return 0


def fill(set_id: str) -> int:
    """Put in what is still on its way; answers how many slices that were."""
    return sum(map(_fill, repository.fillings(set_id)))


def fill_all() -> int:
    """What somebody who was cut off has left, of all sets."""
    waiting = {item["id"]: None for item in table().each(keys.FILLING_SETS)}
    return take_each(list(waiting), fill)


def _fill(item: Item) -> bool:
    """Whether this slice came in now; of several who do it at once, one does."""
    place, set_ = Key(item["PK"], item["SK"]), repository.find_set(item["id"])
    if set_ is None:
        return False  # it is cleared away with the set
    questions, described = [question_of(each) for each in item["questions"]], item["described"]

    def change(whole: Whole, at: str) -> Whole:
        return rules.added(whole, questions, at, described) if table().get(place) else whole

    in_now = Delete(place, when=Exists())
    before = set_.version
    after = _act(set_.created_by or SITE, set_.id, "QuestionsAdded", _told(questions, described), change, in_now)
    return after.set.version > before


# --- deleting ---


def delete(user: User, set_id: str) -> None:
    """By its owner; one that is shared also by whoever looks after the site. Running sessions keep their questions."""

    def deleted() -> None:
        set_, at = _there(set_id).set, now_text()
        rules.check_takes_away(user.name, user.role, set_)
        _record_deletion(user.name, set_, at)

    try_again(deleted)


def _record_deletion(who: str, set_: QuestionSet, at: str) -> None:
    log().record(Event(who, "QuestionSetDeleted", {"set_id": set_.id, "at": at}), *repository.deletion(set_, at))


def clear_away_all() -> int:
    """Clear away what deleted sets have left behind; answers of how many."""
    return take_each(list(table().each(keys.DELETED_SETS)), lambda mark: clear_away(mark["id"]))


def clear_away(set_id: str) -> bool:
    """The mark goes last."""
    is_gone, mark = Check(keys.question_set(set_id), Missing()), keys.deleted_set(set_id)
    sweep(keys.all_of_set(set_id), (mark.sk,), is_gone)
    table().write(is_gone, Delete(mark))
    return True


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
    log().record(event, *repository.change(whole, after), *is_owner(heir))


pass_on = Estate(_made_by, repository.whole, _is_theirs, _hand_on).pass_on
