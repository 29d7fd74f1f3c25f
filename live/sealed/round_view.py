"""A sealed round for its page: question, result as text, and the rows of single votes.

Anonymous rounds list receipts and votes, open votes of an assembly list names; trivia and best answer list everyone for
hosts and only their own answer for players.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from live.play import Fact, Play, Text, play_of
from live.rounds import Entry, Round, options_of
from live.snapshot import Snapshot
from pages.sorting import natural_sort_key
from questions.question import Question

PAGE_ROWS = 50


@dataclass(frozen=True, slots=True)
class Row:
    """One vote, identified by receipt or name."""

    whose: str
    words: Text
    points: int | None = None
    matches: bool = False  # the search term
    is_own: bool = False


@dataclass(frozen=True, slots=True)
class RowPage:
    """A page of rows, and where the next page starts."""

    rows: tuple[Row, ...]
    onward: int  # 0 on the last page


@dataclass(frozen=True, slots=True)
class SealedRoundView:
    """A round with the snapshot needed to describe it."""

    snapshot: Snapshot
    round: Round

    @property
    def play(self) -> Play:
        return play_of(self.snapshot.game, self.asked)

    @property
    def asked(self) -> Question:
        """The question of the round, or the first of several."""
        return self.snapshot.questions[self.round.question]

    @property
    def question(self) -> Question | None:
        """The question; None if the round can have several."""
        return None if self.play.spans else self.asked

    @property
    def options(self) -> tuple[str, ...]:
        return options_of(self.round, self.asked)

    @property
    def is_by_receipt(self) -> bool:
        """Whether entries are anonymous, so that voters find their own by receipt."""
        return any(entry.receipt for entry in self.round.entries)

    @property
    def has_points(self) -> bool:
        return self.play.is_scored

    # --- in words ---

    @property
    def facts(self) -> list[Fact]:
        return list(self.play.facts(self.asked, self.round))

    @property
    def reasons(self) -> list[str]:
        """The required majority and attendance, where they matter."""
        return self.play.reasons(self.asked, self.round)

    def answer_text(self, said: Any) -> Text:
        """An answer or vote as text."""
        return self.play.answer_text(said, self.asked, self.options)

    # --- one by one ---

    def leaf(self, start: int, own: str, beginning: str, *, hosts: bool) -> RowPage:
        """The rows a reader may see, from a position or from the first receipt with this prefix."""
        if self.is_by_receipt:
            entries = self.round.entries
            at = bisect_left(entries, beginning, key=_plain) if beginning else start
            rows = tuple(self._by_receipt(each, beginning) for each in entries[at : at + PAGE_ROWS])
            return RowPage(rows, at + PAGE_ROWS if at + PAGE_ROWS < len(entries) else 0)
        known = sorted(self._signed(own, hosts), key=lambda row: natural_sort_key(row.whose))
        return RowPage(
            tuple(known[start : start + PAGE_ROWS]), start + PAGE_ROWS if start + PAGE_ROWS < len(known) else 0
        )

    def _by_receipt(self, entry: Entry, beginning: str) -> Row:
        matches = bool(beginning) and _plain(entry).startswith(beginning)
        return Row(entry.receipt, self.answer_text(entry.said), matches=matches)

    def _signed(self, own: str, hosts: bool) -> Iterator[Row]:
        for entry in self.round.entries:
            seat = self.snapshot.seats.get(entry.player)
            if seat is not None and (hosts or not self.has_points or entry.player == own):
                points = entry.total if self.has_points else None
                yield Row(seat.name, self.answer_text(entry.said), points, is_own=entry.player == own)


def _plain(entry: Entry) -> str:
    """The receipt without dashes, because people omit them when searching."""
    return entry.receipt.replace("-", "")
