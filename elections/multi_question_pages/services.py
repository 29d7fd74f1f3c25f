"""What organisers do with a book: bind elections together, and open, extend and close all of them.

One recorded transaction says what is to be done to all questions; then it is done to each as background work, the one
that leads last. Meanwhile nothing else can be done to the book or its elections that would get in the way.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from accounts import repository as people
from accounts.models import User
from acts.background import Batch, Task, finished, wait
from acts.refusals import LostRace, NameTaken, NotAllowed, NotNow
from acts.retry import retry_lost_race
from acts.storage import log, now_text, record
from acts.versions import next_version, unchanged
from acts.wakeups import SEALING_JOB, wake_worker
from elections import actions
from elections import repository as elections
from elections import rules as of_elections
from elections.actions import check_itself
from elections.drafts import services as drafts_services
from elections.lifecycle.closing import CLOSING
from elections.lifecycle.services import move_end, open_now
from elections.multi_question import repository, rules
from elections.multi_question.rules import Book
from elections.roll import services as roll
from elections.roll.services import take_off
from elections.rules import Action, Election, Relation, State, takes_names
from store import keys
from store.log import Event
from store.splitting import by_count
from store.table import Check, Item, Write

OWNER_WAIT_SECONDS = 5

# --- binding ---


def make(actor: User, name: str, questions: Sequence[str]) -> Book:
    """A book of these questions: own drafts of these names, and new drafts for the others.

    Drafts that were made before something else was refused are there the next time, and are bound then.
    """
    rules.check_many(questions)
    bound = _once([_draft(actor, name, question) for question in questions])
    names = tuple(each.name for each in bound)
    book = Book(secrets.token_hex(6), name, names[0], names, now_text())
    said = {"name": name, "questions": list(names), "created_at": book.created_at}
    _record(actor, "BookMade", book, said, *repository.creation(book, bound), people.is_still(actor))
    return book


def _once(drafts: Sequence[Election]) -> list[Election]:
    return list({keys.fold(each.name): each for each in drafts}.values())


def _draft(actor: User, book_name: str, question: str, **settings: Any) -> Election:
    """The draft of a question: one's own of that name, or a new one."""
    for name in (question, rules.election_name(book_name, question)):
        found = elections.find(name)
        if found is not None and actions.relation(actor, found) == Relation.OWNER and rules.is_bindable(found):
            of_elections.check_in_place(found, Action.SET_UP)
            return found
    try:
        return drafts_services.create(actor, rules.election_name(book_name, question), **settings)
    except NameTaken as refusal:
        raise NameTaken(f"{question}: {refusal}") from None


def add(actor: User, book: Book, questions: Sequence[str]) -> Book:
    """More questions: they begin with the settings of the one that leads, which are theirs when the book opens."""
    leader = _led(actor, book, Action.SET_UP)
    rules.check_many((*book.questions, *questions))
    bound = _once([_draft(actor, book.name, question, **rules.shared_by(leader)) for question in questions])
    after = rules.with_questions(book, [each.name for each in bound])
    _change(actor, book, after, *(repository.binding(each, book.id) for each in bound))
    return after


def take_out(actor: User, book: Book, name: str) -> None:
    """A question is a draft of its own again. What leads stays as long as others are led by it."""
    _led(actor, book, Action.SET_UP)
    election = elections.find(name)
    if election is None or election.book != book.id:
        raise LostRace
    if book.is_led_by(name) and len(book.questions) > 1:
        raise NotNow(rules.leads_the_others(name))
    after = rules.without(book, name)
    unbound = repository.binding(election, "")
    if after is not None:
        return _change(actor, book, after, unbound)
    return _record(actor, "BookTakenApart", book, {}, repository.deletion(book), unbound, repository.is_free(book.id))


def rename(actor: User, book: Book, name: str) -> None:
    _led(actor, book, Action.SET_UP)
    if name != book.name:
        _change(actor, book, replace(book, name=name))


def move(actor: User, book: Book, name: str, *, up: bool) -> None:
    _led(actor, book, Action.SET_UP)
    if keys.fold(name) not in map(keys.fold, book.questions):
        raise LostRace
    after = rules.moved(book, name, up=up)
    if after != book:
        _change(actor, book, after)


def _change(actor: User, before: Book, after: Book, *also: Write) -> None:
    said: Item = {"name": after.name} if after.name != before.name else {}
    said |= {"questions": list(after.questions)} if after.questions != before.questions else {}
    _record(actor, "BookChanged", before, said, repository.change(before, after), *also, repository.is_free(before.id))


def _record(actor: User, event_type: str, book: Book, said: Item, *writes: Write) -> None:
    record(Event(actor.name, event_type, {"book_id": book.id, **said}), *writes)


def leader_of(book: Book) -> Election:
    if (leader := elections.find(book.leader)) is None:
        raise LostRace
    return leader


def _led(actor: User, book: Book, action: Action) -> Election:
    """The election that leads, of which it is asked whether this may be done to the book, by this person and now."""
    leader = leader_of(book)
    check_itself(actor, leader, action)
    if repository.ACTING.find(book.id) is not None:
        raise of_elections.WrongState(rules.BUSY)
    return leader


# --- what is done to all questions ---


def open_(actor: User, book: Book) -> None:
    """Every question is looked at first, and everything that is missing is said at once."""
    leader = _led(actor, book, Action.OPEN)
    found = _whole(book)
    for each in found:
        of_elections.check_in_place(each, Action.OPEN)
    rules.check_opening(lacking(book, leader, found))
    rules.check_candidates(sum(len(elections.candidates(each.name)) for each in found))
    _ask(actor, "BookOpened", book, repository.holding(found), act="open")


def lacking(book: Book, leader: Election, questions: Sequence[Election]) -> Iterator[tuple[str, str]]:
    """Each question with what it lacks before the book can open."""
    for each in questions:
        candidates = len(elections.candidates(each.name))
        yield book.short(each.name), rules.missing(each, leader, candidates, now_text())


def _whole(book: Book) -> list[Election]:
    found = repository.questions(book)
    if len(found) != len(book.questions):
        raise LostRace
    return found


def extend(actor: User, book: Book, end: str | None) -> None:
    leader = _led(actor, book, Action.EXTEND)
    of_elections.check_new_end(leader, end, now_text())
    if end != leader.no_voting_after:
        _ask(actor, "BookExtended", book, [], act="extend", no_voting_after=end)


def close(actor: User, book: Book) -> None:
    _led(actor, book, Action.CLOSE)
    _ask(actor, "BookClosed", book, [], act="close")


def _ask(actor: User, event_type: str, book: Book, held: Sequence[Write], act: str, **more: str | None) -> None:
    """Leave the mark, and then do what it says. Refused if the book was changed since it was looked at."""
    task = repository.ACTING.begin(
        book.id, act=act, by=actor.name, at=now_text(), no_voting_after=more.get("no_voting_after")
    )
    here = Check(keys.book(book.id), unchanged(book))
    _record(actor, event_type, book, dict(more), task, here, *held)
    repository.ACTING.start(book.id)


@repository.ACTING.step
def act_batch(task: Task) -> Batch:
    """Do what is asked to the next question. Any number may do this at once, and again: what is done is left as it
    is."""
    book, done = repository.find(task.subject), task.progress.get("questions", 0)
    if book is None or done == len(book.ordered):
        return finished()
    if (actor := _actor(task.data["by"], book)) is None:
        return wait(OWNER_WAIT_SECONDS)  # whoever ran it has just left, and it is the heir's in a moment
    retry_lost_race(partial(ACTS[task.data["act"]], actor, book, task.data, book.ordered[done]))
    return Batch(progress={"questions": done + 1})


def _actor(name: str, book: Book) -> User | None:
    """Who asked for it; if they have left meanwhile, who owns the election that leads."""
    leader = elections.find(book.leader)
    return people.find(name) or (people.find(leader.owner_name) if leader else None)


def _open(actor: User, book: Book, mark: Item, name: str) -> None:
    election, leader = elections.find(name), leader_of(book)
    if election is None or election.stored_state != State.DRAFT:
        return
    if not book.is_led_by(name):
        election = _as_led(actor, election, leader)
        _same_roll(actor, election, leader)
        election = elections.find(name) or election
    open_now(actor, election, editable=False)


def _as_led(actor: User, election: Election, leader: Election) -> Election:
    after = rules.as_led(election, leader)
    if after == election:
        return election
    said = {each: value for each, value in rules.shared_by(leader).items() if getattr(election, each) != value}
    event = Event(actor.name, "ElectionUpdated", {"election_name": election.name, **elections.storable(said)})
    log().record(event, *elections.change(election, after))
    return next_version(election, after)


def _same_roll(actor: User, election: Election, leader: Election) -> None:
    """Whoever is on the roll of the one that leads, and nobody else."""
    for some in by_count(elections.still_here(leader, by_name=takes_names(leader))):
        roll.bring(actor, [election.name], some)
    every = (voter.name for voter in elections.every_voter(election))
    for some in by_count(every):
        there = elections.on_roll(leader, some)
        if gone := [name for name in some if keys.fold(name) not in there]:
            take_off(actor, election, gone)


def _extend(actor: User, book: Book, mark: Item, name: str) -> None:
    election = elections.find(name)
    if election is not None and election.state(now_text()) in (State.EDITABLE, State.OPEN):
        move_end(actor, election, mark["no_voting_after"])


def _close(actor: User, book: Book, mark: Item, name: str) -> None:
    election = elections.find(name)
    if election is not None and election.stored_state in (State.EDITABLE, State.OPEN):
        CLOSING.close(election, mark["by"])
        wake_worker(SEALING_JOB)


ACTS: dict[str, Callable[[User, Book, Item, str], None]] = {"open": _open, "extend": _extend, "close": _close}


# --- one roll ---


@repository.LISTING.step
def list_voters(task: Task) -> Batch:
    """Voters who were added while it is open, onto the rolls of the other questions."""
    book = repository.find(task.data["book_id"])
    leader = elections.find(book.leader) if book else None
    owner = people.find(leader.owner_name) if leader else None
    if leader is not None and owner is None:
        return wait(OWNER_WAIT_SECONDS)
    with suppress(NotAllowed):
        if leader is not None and owner is not None:
            roll.bring(owner, repository.followers(leader), task.data["voters"])
    return finished()
