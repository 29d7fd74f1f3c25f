"""Keys of books: elections that are bound together as several questions on one ballot.

Who runs a book is who runs the election that leads it, so there is no list of books: they are found by their elections.
"""

from __future__ import annotations

from ..table import Key, Span
from .parts import METADATA, escape

BOOKS_AT_WORK = Span("BOOKS#WORK", index=True)
BOOKS_ADDED = Span("BOOKS#ADDED", index=True)


def book(book_id: str) -> Key:
    return Key(f"BOOK#{escape(book_id)}", METADATA)


def book_at_work(book_id: str) -> Key:
    """Until what was asked of the book is done to each of its elections."""
    return Key(book(book_id).pk, "WORK")


def book_added(book_id: str, token: str) -> Key:
    """Voters who are on the roll of the election that leads, until they are on those of the others."""
    return Key(book(book_id).pk, f"ADDED#{escape(token)}")


def book_by_date(moment: str, what: str) -> str:
    return f"{moment}#{escape(what)}"
