"""What all writers share: the order of ballots, and names that no format can hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..ballots import Ballots
from .file import CannotWrite, excerpt, has_unwritable


def by_count(ballots: Ballots) -> Iterator[tuple[str, int]]:
    """The most frequent rankings first. Never in the order they were cast, which might tell who cast them."""
    yield from sorted(
        ((ranking, n) for ranking, n in ballots.counts.items() if n), key=lambda each: (-each[1], each[0])
    )


def refuse_odd_names(names: Iterable[str]) -> None:
    for name in names:
        if not name or name != name.strip() or has_unwritable(name):
            raise CannotWrite(
                f"The name “{excerpt(name)}” cannot be written to a file: "
                "a name has no control characters, and no white space around it."
            )


def refuse_signs(names: Iterable[str], signs: Iterable[str], format: str) -> None:
    """Refuse names with what the format needs for itself."""
    for name in names:
        for sign in signs:
            if sign in name:
                raise CannotWrite(f"The format {format} has no way to write “{sign}” in a name: “{excerpt(name)}”.")
