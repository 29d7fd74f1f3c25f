"""What happens to books when the log is replayed: for each kind of event, the writes of the live act."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from elections import repository as elections
from elections.rules import Election
from store import keys
from store.replay import DoesNotFit, Happened, Step
from store.schema import EventType
from store.table import Write

from . import repository
from .rules import Book


def book_of(event: Happened) -> Book:
    if (book := repository.find(event.said["book_id"])) is None:
        raise DoesNotFit("is about a book that is not there.")
    return book


def question_of(name: str) -> Election:
    if (election := elections.find(name)) is None:
        raise DoesNotFit(f"binds the election {name}, and there is none of that name by then.")
    return election


def made(event: Happened) -> Iterator[Step]:
    said = event.said
    names = tuple(said["questions"])
    book = Book(said["book_id"], said["name"], names[0], names, said["created_at"])
    yield repository.creation(book, map(question_of, names))


def changed(event: Happened) -> Iterator[Step]:
    book, said = book_of(event), event.said
    after = replace(book, name=said.get("name", book.name), questions=tuple(said.get("questions", book.questions)))
    if after == book:
        raise DoesNotFit("changes nothing.")
    yield [repository.change(book, after), *_bound(book, after)]


def _bound(before: Book, after: Book) -> Iterator[Write]:
    yield from (repository.binding(question_of(name), after.id) for name in _only(after, before))
    yield from (repository.binding(question_of(name), "") for name in _only(before, after))


def _only(one: Book, other: Book) -> list[str]:
    there = {keys.fold(name) for name in other.questions}
    return [name for name in one.questions if keys.fold(name) not in there]


def taken_apart(event: Happened) -> Iterator[Step]:
    book = book_of(event)
    yield [repository.deletion(book), *(repository.binding(question_of(name), "") for name in book.questions)]


def opened(event: Happened) -> Iterator[Step]:
    """What is done to each question has an event of its own; here they are only held."""
    yield repository.holding(map(question_of, book_of(event).questions))


def asked(event: Happened) -> Step:
    """What is done to each question has an event of its own."""
    book_of(event)
    return ()


EVENTS = (
    EventType("BookMade", made, "book_id name questions:list created_at"),
    EventType("BookChanged", changed, "book_id name questions:list"),
    EventType("BookTakenApart", taken_apart, "book_id"),
    EventType("BookOpened", opened, "book_id"),
    EventType("BookExtended", asked, "book_id no_voting_after"),
    EventType("BookClosed", asked, "book_id"),
)
