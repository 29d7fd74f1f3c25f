"""What comes of comparing one count with another's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from foundation.tally.result import Result

AGREED, APART, NOT_ASKED, DIFFERENT = "agreed", "apart", "not asked", "different"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Apart: known to differ for this reason. Not asked: the library cannot count this, for this reason."""

    what: str
    reason: str = ""
    ours: tuple[str, ...] = ()
    theirs: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        return self.ours == self.theirs


def compared(ours: Result, theirs: Iterable[str], apart: str = "") -> Verdict:
    """By the set of winners. What is known to differ is counted apart also where it happens to agree."""
    mine, other = tuple(sorted(ours.winners)), tuple(sorted(theirs))
    what = APART if apart else AGREED if mine == other else DIFFERENT
    return Verdict(what, apart, mine, other)


def not_asked(reason: str) -> Verdict:
    return Verdict(NOT_ASKED, reason)
