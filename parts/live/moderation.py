"""Moderation of texts that people write in rounds: which are visible, hidden or waiting for the host.

Hosts decide about texts, not people, so an anonymous round stays anonymous: equal texts of a round share one id and one
decision. Sealed rounds never change; hidden texts are left out when they are shown, and get no points.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from foundation.qa.rules import Fate, Mode, must_wait
from foundation.store.keys import fold
from foundation.tally.ballots import groups_of

from .qa_rules import text_id

Decided = Mapping[int, Mapping[str, str]]  # fates of texts by mark, for each round


@dataclass(frozen=True, slots=True)
class Texts:
    """How a session moderates texts, and what its hosts have decided."""

    game_id: str = ""
    mode: Mode = Mode.OPEN
    words: tuple[str, ...] = ()
    decided: Decided = field(default_factory=dict)

    @property
    def are_all_seen(self) -> bool:
        return self.mode == Mode.OPEN and not self.decided

    def mark(self, round_: int, text: str, place: int = 0) -> str:
        """Id of a text; `place` is the position of the question in a round with several."""
        return text_id(self.game_id, round_, place, fold(text))

    def fate(self, round_: int, text: str, place: int = 0) -> Fate:
        decided = self.decided.get(round_)
        found = decided.get(self.mark(round_, text, place)) if decided else None
        if found:
            return Fate(found)
        return Fate.WAITING if must_wait(self.mode, self.words, text) else Fate.SHOWN

    def is_seen(self, round_: int, text: str, place: int = 0) -> bool:
        return self.fate(round_, text, place) == Fate.SHOWN

    def is_hidden(self, round_: int, text: str) -> bool:
        """Whether a host has hidden it; for ideas on a ballot, which were reviewed when sorted."""
        return self.fate(round_, text) == Fate.HIDDEN


NOTHING_WRITTEN = Texts()


def waiting_texts(texts: Texts, round_: int, some: Sequence[str]) -> list[int]:
    """Positions of the texts waiting for the host."""
    return [place for place, text in enumerate(some) if texts.fate(round_, text) == Fate.WAITING]


# --- options that the room wrote ---


def hidden_options(texts: Texts, round_: int, options: Sequence[str]) -> frozenset[int]:
    if not texts.decided.get(round_):
        return frozenset()
    return frozenset(place for place, text in enumerate(options) if texts.is_hidden(round_, text))


def cover_hidden(options: Sequence[str], hidden: Collection[int]) -> tuple[str, ...]:
    """Options for a ballot; hidden ones keep their position, because votes refer to it."""
    return tuple(_("(hidden by the host)") if place in hidden else text for place, text in enumerate(options))


def without_options(ranking: Any, hidden: Collection[int]) -> Any:
    """The ranking without the hidden options."""
    if not hidden or not isinstance(ranking, str):
        return ranking
    try:
        groups = [[each for each in group if each not in hidden] for group in groups_of(ranking)]
    except ValueError:
        return ranking  # an invalid ranking counts as a blank vote
    return ">".join("=".join(map(str, group)) for group in groups if group)


# --- what hosts look at ---


@dataclass(frozen=True, slots=True)
class ModeratedText:
    """A text in the hosts' moderation list."""

    round: int
    mark: str
    text: str
    fate: Fate
    is_of_removed: bool = False
    held: bool = False  # because it contains a blocked word

    @property
    def id(self) -> str:
        return f"t{self.round}-{self.mark}"


def moderated_text(
    texts: Texts, round_: int, text: str, place: int = 0, *, is_of_removed: bool = False
) -> ModeratedText:
    """A text with its current fate, for the moderation list."""
    fate, mark = texts.fate(round_, text, place), texts.mark(round_, text, place)
    held = fate == Fate.WAITING and texts.mode == Mode.WORDS
    return ModeratedText(round_, mark, text, fate, is_of_removed, held)
