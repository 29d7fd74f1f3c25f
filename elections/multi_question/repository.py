"""Books in the table: numbers in, values out, and the writes that keep a book and its elections in step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict

from django.utils.translation import gettext_lazy as _

from acts import versions
from acts.background import TaskType
from acts.storage import table
from acts.versions import unchanged
from elections import repository as elections
from elections.rules import Action, Election, State
from store import keys
from store.table import Check, Delete, Item, Missing, Put, Update, Write

from . import rules
from .rules import Book

ACTING = TaskType("act on ballot", _("Opening, extending or closing all questions of a ballot"))
LISTING = TaskType("add to rolls", _("Adding voters to the other questions of a ballot"))


def find(book_id: str) -> Book | None:
    item = table().get(keys.book(book_id))
    return book_of(item) if item else None


def find_all(ids: Sequence[str]) -> dict[str, Book]:
    """Those of the books that are there, by number, in one round trip."""
    found = table().get_many([keys.book(book_id) for book_id in ids]) if ids else {}
    return {item["id"]: book_of(item) for item in found.values()}


def find_at_work(book_id: str) -> tuple[Book | None, Item | None]:
    """The book, and what is just being done to all its elections, in one round trip."""
    at, work = keys.book(book_id), ACTING.key(book_id)
    found = table().get_many([at, work])
    return (book_of(found[at]) if at in found else None), found.get(work)


def book_of(item: Item) -> Book:
    words = {name: item[name] for name in ("id", "name", "leader", "created_at", "version")}
    return Book(questions=tuple(item["questions"]), **words)


def questions(book: Book) -> list[Election]:
    """Its elections in their order; one that is just being deleted is missing."""
    places = [keys.election(name) for name in book.questions]
    found = table().get_many(places)
    return [elections.election_of(found[place]) for place in places if place in found]


def beside(election: Election) -> list[Election]:
    """The other questions on the ballot of this one, if there are any."""
    book = find(election.book) if election.book else None
    return [each for each in questions(book) if keys.fold(each.name) != keys.fold(election.name)] if book else []


def check_alone(election: Election, action: Action) -> None:
    """Refuse what cannot be done to one question of a book alone."""
    if election.book:
        book, work = find_at_work(election.book)
        rules.check_alone(book, work is not None, election, action)


# --- writes; each answers the parts of a transaction ---


def creation(book: Book, bound: Iterable[Election]) -> list[Write]:
    return [Put(_item(book), when=Missing()), *(binding(each, book.id) for each in bound)]


def _item(book: Book) -> Item:
    place = keys.book(book.id)
    own = {"PK": place.pk, "SK": place.sk, "entity_type": "BOOK"}
    return own | asdict(book) | {"questions": list(book.questions)}


def binding(election: Election, book_id: str) -> Update:
    """Refused if anybody changed the election since it was read."""
    set_ = {"book": book_id, "version": election.version + 1}
    return Update(keys.election(election.name), set=set_, when=unchanged(election))


def change(before: Book, after: Book) -> Update:
    return versions.change(before, after, _item)


def deletion(book: Book) -> Delete:
    return Delete(keys.book(book.id), when=unchanged(book))


def is_free(book_id: str) -> Check:
    """That nothing is just being done to all its elections."""
    return Check(ACTING.key(book_id), Missing())


def leaving(election: Election) -> list[Write]:
    """What the deletion of an election does to the book it is bound into."""
    book = find(election.book) if election.book else None
    if book is None or keys.fold(election.name) not in map(keys.fold, book.questions):
        return []
    after = rules.without(book, election.name)
    return [deletion(book) if after is None else change(book, after), is_free(book.id)]


def holding(questions: Iterable[Election]) -> list[Write]:
    """A new version for each: what somebody has decided on an older one is refused from now on."""
    return [
        Update(keys.election(each.name), set={"version": each.version + 1}, when=unchanged(each)) for each in questions
    ]


def followers(election: Election) -> list[str]:
    """The questions whose rolls follow this one's: none while they are drafts, for they get theirs by the opening."""
    if not election.book or election.stored_state == State.DRAFT:
        return []
    book = find(election.book)
    if book is None or not book.is_led_by(election.name):
        return []
    return [name for name in book.questions if not book.is_led_by(name)]
