"""A sealed round for its page: question, result as text, and the rows of single votes.

Anonymous rounds list receipts and votes, open votes of an assembly list names; trivia and best answer list everyone for
hosts and only their own answer for players.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

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
    text: Text
    points: int | None = None
    matches: bool = False  # the search term
    is_own: bool = False


@dataclass(frozen=True, slots=True)
class SealedRoundView:
    """A round as text, for its page."""

    snapshot: Snapshot
    round: Round

    @property
    def play(self) -> Play:
        return play_of(self.snapshot.game, self.question)

    @property
    def question(self) -> Question:
        """The question of the round, or the first of several."""
        return self.snapshot.questions[self.round.question]

    @property
    def is_by_receipt(self) -> bool:
        """Whether entries are anonymous, so that voters find their own by receipt."""
        return any(entry.receipt for entry in self.round.entries)

    @property
    def facts(self) -> list[Fact]:
        return list(self.play.facts(self.question, self.round))

    @property
    def reasons(self) -> list[str]:
        return self.play.reasons(self.question, self.round)

    def page(self, start: int, own: str, beginning: str, *, hosts: bool) -> tuple[list[Row], int]:
        """The rows a reader may see, from a position or from the first receipt with this prefix, and where the next
        page starts: 0 on the last page."""
        if self.is_by_receipt:
            start = bisect_left(self.round.entries, beginning, key=_plain) if beginning else start
            rows = [self._by_receipt(each, beginning) for each in self.round.entries[start : start + PAGE_ROWS]]
            total = len(self.round.entries)
        else:
            signed = sorted(self._signed(own, hosts), key=lambda row: natural_sort_key(row.whose))
            rows, total = signed[start : start + PAGE_ROWS], len(signed)
        return rows, start + PAGE_ROWS if start + PAGE_ROWS < total else 0

    def _text(self, entry: Entry) -> Text:
        return self.play.answer_text(entry.said, self.question, options_of(self.round, self.question))

    def _by_receipt(self, entry: Entry, beginning: str) -> Row:
        matches = bool(beginning) and _plain(entry).startswith(beginning)
        return Row(entry.receipt, self._text(entry), matches=matches)

    def _signed(self, own: str, hosts: bool) -> Iterator[Row]:
        is_scored = self.play.is_scored
        for entry in self.round.entries:
            seat = self.snapshot.seats.get(entry.player)
            if seat is not None and (hosts or not is_scored or entry.player == own):
                yield Row(seat.name, self._text(entry), entry.total if is_scored else None, is_own=entry.player == own)


def _plain(entry: Entry) -> str:
    """The receipt without dashes, because people omit them when searching."""
    return entry.receipt.replace("-", "")
