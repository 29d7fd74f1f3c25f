"""A sealed round as it is shown afterwards: what was asked, what came of it in words, and what each vote says.

Of a round that nobody signed there are receipts and votes; of an open vote of an assembly who voted how; of trivia and
call and answer everybody's for those who host, and to anybody else their own.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from assembly import words as assembly_words
from assembly.resolutions import ABSTAIN, Outcome
from pages.sorting import as_people_sort
from questions.question import Kind, Question, Type

from .. import reports
from ..rooms import Room
from ..rounds import Entry, Round, options_of

PAGE_ROWS = 50
Fact = tuple[str | Promise, Any]


@dataclass(frozen=True, slots=True)
class Row:
    """What one voter gave: by their receipt, or by their name."""

    whose: str
    words: str | Promise
    points: int | None = None
    matches: bool = False  # what was looked for
    is_own: bool = False


@dataclass(frozen=True, slots=True)
class Leaf:
    """Some rows, and where the next begin."""

    rows: tuple[Row, ...]
    onward: int  # 0 if there are no more


@dataclass(frozen=True, slots=True)
class Told:
    """A round with what is needed to say something of it."""

    room: Room
    round: Round

    @property
    def question(self) -> Question | None:
        """A survey asks all of its questions at once."""
        is_survey = self.room.game.engagement_type == Type.SURVEY
        return None if is_survey else self.room.questions[self.round.question]

    @property
    def options(self) -> tuple[str, ...]:
        return options_of(self.round, self.question) if self.question else ()

    @property
    def is_by_receipt(self) -> bool:
        """Whether its entries are signed by nobody, and each finds their own by its receipt."""
        return any(entry.receipt for entry in self.round.entries)

    @property
    def is_scored(self) -> bool:
        return self.room.game.engagement_type.is_scored

    # --- in words ---

    @property
    def facts(self) -> list[Fact]:
        result = self.round.result
        votes: Fact = _("Votes that count"), self.round.count
        if "outcome" in result:
            assert self.question is not None  # as an assembly has an agenda
            decided = _("Outcome"), assembly_words.headline(self.question, self.round)
            return [decided, votes, *self._numbers(self.question)]
        if result.get("too_few"):
            return [votes, (_("Outcome"), assembly_words.WITHOUT_NAMES[Outcome.TOO_FEW])]
        return [votes, *self._best()]

    def _numbers(self, question: Question) -> Iterator[Fact]:
        if numbers := assembly_words.numbers(question, self.round.result):
            yield _("Votes"), numbers

    def _best(self) -> Iterator[Fact]:
        result = self.round.result
        if "winners" in result:
            yield _("First place"), ", ".join(self.options[place] for place in result["winners"])
        if "fully_right" in result:
            yield _("Entirely right"), result["fully_right"]
        if result.get("answers") and result["voted"]:
            yield _("Best answer"), result["answers"][0]["text"]

    @property
    def reasons(self) -> list[str]:
        """Of an assembly: what was needed, and who was there."""
        is_decided = "outcome" in self.round.result
        return assembly_words.why(self.question, self.round) if is_decided and self.question else []

    def words(self, said: Any) -> str | Promise:
        """What somebody voted or answered."""
        if "outcome" in self.round.result and self.question:
            return assembly_words.said_words(said, self.question, self.options)
        if self.room.game.engagement_type == Type.CALL_AND_ANSWER or not isinstance(said, str):
            return reports.in_words(said, self.options)
        return reports.ranked(said, self.options) if said else assembly_words.SAID[ABSTAIN]

    # --- one by one ---

    def leaf(self, start: int, own: str, beginning: str, *, hosts: bool) -> Leaf:
        """The rows that somebody may see, from a place on, or from the first receipt that begins like this."""
        if self.is_by_receipt:
            entries = self.round.entries
            at = bisect_left(entries, beginning, key=_plain) if beginning else start
            rows = tuple(self._by_receipt(each, beginning) for each in entries[at : at + PAGE_ROWS])
            return Leaf(rows, at + PAGE_ROWS if at + PAGE_ROWS < len(entries) else 0)
        known = sorted(self._signed(own, hosts), key=lambda row: as_people_sort(row.whose))
        return Leaf(tuple(known[start : start + PAGE_ROWS]), start + PAGE_ROWS if start + PAGE_ROWS < len(known) else 0)

    def _by_receipt(self, entry: Entry, beginning: str) -> Row:
        matches = bool(beginning) and _plain(entry).startswith(beginning)
        return Row(entry.receipt, self.words(entry.said), matches=matches)

    def _signed(self, own: str, hosts: bool) -> Iterator[Row]:
        for entry in self.round.entries:
            seat = self.room.seats.get(entry.player)
            if seat is not None and (hosts or not self.is_scored or entry.player == own):
                points = entry.total if self.is_scored else None
                yield Row(seat.name, self.words(entry.said), points, is_own=entry.player == own)


def _plain(entry: Entry) -> str:
    """Receipts are compared without their dashes, as people leave them out."""
    return entry.receipt.replace("-", "")


def is_recounted(told: Told) -> bool:
    """Whether the sealed round holds all that its result was made of."""
    result, question = told.round.result, told.question
    if result.get("too_few") or result.get("outcome") in (Outcome.TALKED, Outcome.TOO_FEW):
        return False
    if question is not None and question.kind == Kind.IDEAS:
        return "rounds" in result  # they were voted on
    return question is not None and question.kind != Kind.TEXT
