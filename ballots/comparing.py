"""Compares two streams of ballots sorted by code, and names the first that differs."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest
from typing import NamedTuple

from store.table import Item


class PublishedBallot(NamedTuple):
    """A ballot as published; a secret one names no voter."""

    code: str
    ranking: str
    voter: str = ""

    @classmethod
    def of(cls, item: Item) -> PublishedBallot:
        return cls(item["confirmation"], item["rankings"], item.get("voter_name", ""))


class Mismatch(Exception):
    """The first difference from what was sealed."""


def compare(sealed: Iterable[PublishedBallot], found: Iterable[PublishedBallot], where: str) -> None:
    """Both are in the order of their codes, or else the first that is not shows."""
    for right, there in zip_longest(sealed, found):
        if right == there:
            continue
        if right is not None and there is not None and right.code == there.code:
            raise Mismatch(f"the ballot {right.code} {where} is not what was sealed.")
        if there is None or (right is not None and right.code < there.code):
            raise Mismatch(f"the ballot {right.code} was sealed, but is not {where}.")
        raise Mismatch(f"the ballot {there.code} is {where}, but was not sealed.")


def compare_remaining(sealed: Iterable[PublishedBallot], found: Iterable[PublishedBallot], where: str) -> None:
    """As `compare`, but some may be missing: each that was found must be one that was sealed, unchanged."""
    known = iter(sealed)
    for there in found:
        right = next((each for each in known if each.code >= there.code), None)
        if right is None or right.code != there.code:
            raise Mismatch(f"the ballot {there.code} is {where}, but was not sealed.")
        if right != there:
            raise Mismatch(f"the ballot {right.code} {where} is not what was sealed.")
