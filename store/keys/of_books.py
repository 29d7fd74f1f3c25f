"""Keys of books: elections that are bound together as several questions on one ballot.

Who runs a book is who runs the election that leads it, so there is no list of books: they are found by their elections.
"""

from __future__ import annotations

from ..table import Key
from .parts import METADATA, escape


def book(book_id: str) -> Key:
    return Key(f"BOOK#{escape(book_id)}", METADATA)
