"""What a room has asked, for the report: the best first, with names only where everybody saw them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from acts.storage import table
from live import room_questions as rules
from live import room_questions_store as repository
from live import seats
from live.room_questions import Asked, Fate, Qa, mark_of
from live.rules import Game
from live.seats import Seat
from store import keys

FATES: dict[Fate, str | Promise] = {
    Fate.WAITING: _("waited for the host"),
    Fate.SHOWN: _("shown"),
    Fate.ANSWERED: _("answered"),
    Fate.HIDDEN: _("hidden"),
}


@dataclass(frozen=True, slots=True)
class Told:
    text: str
    fate: Fate
    upvotes: int
    answer: str
    name: str = ""

    @property
    def words(self) -> str | Promise:
        return FATES[self.fate]

    def as_item(self) -> dict[str, Any]:
        told = {"text": self.text, "state": str(self.fate), "upvotes": self.upvotes, "answer": self.answer}
        return told | ({"name": self.name} if self.name else {})

    def as_row(self) -> dict[str, object]:
        """Of the report's table."""
        row = {"row": f"asked, {self.fate}", "title": self.text, "answer": self.answer}
        return {**row, "number": self.upvotes, "player": self.name}


def of(game: Game, seated: Mapping[str, Seat] | None = None) -> tuple[Told, ...]:
    """`seated` if everybody's seats were read; of those who were removed everything counts as hidden."""
    place = keys.game_qa(game.id)
    items = table().get_many([place, *keys.all_upvotes(game.id)])
    some = repository.each(game.id) if place in items else []
    if not some:
        return ()
    known = {each.player: each for each in seats.each(game.id)} if seated is None else seated
    return tuple(_told(game, repository.qa_of(items[place]), some, repository.upvotes(game.id, items), known))


def _told(
    game: Game, qa: Qa, some: list[Asked], upvotes: Mapping[str, int], seated: Mapping[str, Seat]
) -> Iterator[Told]:
    removed = {mark_of(game.id, each.player) for each in seated.values() if each.removed}
    for each in rules.best_first(some, upvotes):
        name = seated[each.player].name if qa.named and each.player in seated else ""
        fate = Fate.HIDDEN if each.author in removed else each.fate
        yield Told(each.text, fate, upvotes.get(each.id, 0), each.answer, name)
