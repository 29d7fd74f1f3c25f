"""Ballots held against ballots, one by one in the order of their codes: the first that differs is named.

They are sorted in a temporary file, so that memory does not grow with them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import NamedTuple

from store.table import Item


class Cast(NamedTuple):
    """A ballot as it is published; nobody is named on a secret one."""

    code: str
    ranking: str
    voter: str = ""

    @classmethod
    def of(cls, item: Item) -> Cast:
        return cls(item["confirmation"], item["rankings"], item.get("voter_name", ""))


class Flaw(Exception):
    """The first thing that is not as it was sealed."""


class Sorted:
    """Ballots in the order of their codes, however they come, in a temporary file that goes with us."""

    def __init__(self) -> None:
        self._file = sqlite3.connect("")
        self._file.execute("CREATE TABLE ballot (place TEXT PRIMARY KEY, code, ranking, voter) WITHOUT ROWID")

    def put(self, place: str, ballot: Cast) -> None:
        """In the place of the one that was there."""
        self._file.execute("INSERT OR REPLACE INTO ballot VALUES (?, ?, ?, ?)", (place, *ballot))

    def remove(self, place: str) -> None:
        self._file.execute("DELETE FROM ballot WHERE place = ?", (place,))

    def close(self) -> None:
        self._file.close()

    def __iter__(self) -> Iterator[Cast]:
        return map(Cast._make, self._file.execute("SELECT code, ranking, voter FROM ballot ORDER BY code, place"))


def compare(sealed: Iterable[Cast], found: Iterable[Cast], where: str) -> None:
    """Both are in the order of their codes, or else the first that is not shows."""
    for right, there in zip_longest(sealed, found):
        if right == there:
            continue
        if right is not None and there is not None and right.code == there.code:
            raise Flaw(f"the ballot {right.code} {where} is not what was sealed.")
        if there is None or (right is not None and right.code < there.code):
            raise Flaw(f"the ballot {right.code} was sealed, but is not {where}.")
        raise Flaw(f"the ballot {there.code} is {where}, but was not sealed.")


def compare_what_is_left(sealed: Iterable[Cast], found: Iterable[Cast], where: str) -> None:
    """As `compare`, but some may be gone: each that was found must be one that was sealed, in the same words."""
    known = iter(sealed)
    for there in found:
        right = next((each for each in known if each.code >= there.code), None)
        if right is None or right.code != there.code:
            raise Flaw(f"the ballot {there.code} is {where}, but was not sealed.")
        if right != there:
            raise Flaw(f"the ballot {right.code} {where} is not what was sealed.")
