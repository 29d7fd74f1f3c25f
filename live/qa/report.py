"""Q&A questions for the report: best first, with names only if they were shown to everyone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from acts.storage import table
from live import qa_rules as rules
from live import qa_store as repository
from live import seats
from live.qa_rules import Fate, QaQuestion, QaSettings, author_id
from live.rules import Game
from live.seats import Seat
from store import keys

STATUS_LABELS: dict[Fate, str | Promise] = {
    Fate.WAITING: _("waited for the host"),
    Fate.SHOWN: _("shown"),
    Fate.ANSWERED: _("answered"),
    Fate.HIDDEN: _("hidden"),
}


@dataclass(frozen=True, slots=True)
class ReportedQuestion:
    text: str
    fate: Fate
    upvotes: int
    answer: str
    name: str = ""

    @property
    def words(self) -> str | Promise:
        return STATUS_LABELS[self.fate]

    def as_item(self) -> dict[str, Any]:
        told = {"text": self.text, "state": str(self.fate), "upvotes": self.upvotes, "answer": self.answer}
        return told | ({"name": self.name} if self.name else {})

    def as_row(self) -> dict[str, object]:
        """A row of the report's table."""
        row = {"row": f"asked, {self.fate}", "title": self.text, "answer": self.answer}
        return {**row, "number": self.upvotes, "player": self.name}


def reported_questions(game: Game, seated: Mapping[str, Seat] | None = None) -> tuple[ReportedQuestion, ...]:
    """Questions of removed players count as hidden; pass `seated` if the seats were already read."""
    place = keys.game_qa(game.id)
    items = table().get_many([place, *keys.all_upvotes(game.id)])
    some = repository.read_questions(game.id) if place in items else []
    if not some:
        return ()
    known = {each.player: each for each in seats.read_seats(game.id)} if seated is None else seated
    return tuple(
        _reported(game, repository.qa_from_item(items[place]), some, repository.read_upvotes(game.id, items), known)
    )


def _reported(
    game: Game, qa: QaSettings, some: list[QaQuestion], upvotes: Mapping[str, int], seated: Mapping[str, Seat]
) -> Iterator[ReportedQuestion]:
    removed = {author_id(game.id, each.player) for each in seated.values() if each.removed}
    for each in rules.best_first(some, upvotes):
        name = seated[each.player].name if qa.named and each.player in seated else ""
        fate = Fate.HIDDEN if each.author in removed else each.fate
        yield ReportedQuestion(each.text, fate, upvotes.get(each.id, 0), each.answer, name)
