"""Moderation of texts that people write in rounds, and the rules of questions from the room.

Texts are visible, hidden or waiting for the host. Hosts decide about texts, not people, so an anonymous round stays
anonymous: equal texts of a round share one id and one decision. Sealed rounds never change; hidden texts are left out
when they are shown, and get no points.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from foundation.acts.refusals import NotNow
from foundation.qa.rules import (
    ALREADY_CHANGED,
    Fate,
    Mode,
    Question,
    best_first,
    check_limits,
    keyed_digest,
    must_wait,
)
from foundation.store.keys import fold
from foundation.tally.ballots import groups_of
from parts.live.rules import Phase

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


# --- questions from the room ---

MAX_BLOCKED_WORDS, MAX_BLOCKED_WORD_CHARS = 500, 60  # of the host's list

OFF = gettext_lazy("The host is not taking questions at the moment.")
OVER = gettext_lazy("The session has ended: no more questions can be sent.")


class QaAction(StrEnum):
    """What a host can do with a question."""

    SHOW = "show"
    HIDE = "hide"
    ANSWER = "answer"
    PUT_UP = "up"  # on the big screen
    TAKE_DOWN = "down"


@dataclass(frozen=True, slots=True)
class QaSettings:
    """Whether a session takes questions, and how."""

    is_on: bool = False
    mode: Mode = Mode.APPROVED
    named: bool = False  # whether everyone sees who asks
    words: tuple[str, ...] = ()  # the host's own list
    on_screen: str = ""  # id of the question on the big screen
    texts: Mode = Mode.OPEN  # mode for texts written in rounds: answers, survey texts, ideas
    changes: int = 0  # counter of changes by hosts, which show at once
    sent: int = 0  # number of questions
    decided: int = 0  # counter of decisions about texts written in rounds


@dataclass(frozen=True, slots=True)
class QaQuestion(Question):
    """A question sent by a player."""

    player: str = ""  # only if names were shown when it was sent
    answer: str = ""  # by the host


def check_takes(qa: QaSettings, phase: Phase) -> None:
    if not qa.is_on:
        raise NotNow(OFF)
    if phase == Phase.ENDED:
        raise NotNow(OVER)


def check_sends(qa: QaSettings, phase: Phase, own: Sequence[QaQuestion]) -> None:
    """Check that a player may send another question. No limit per address, because a hall shares one."""
    check_takes(qa, phase)
    check_limits(own, qa.sent)


def open_first(some: Iterable[QaQuestion], upvotes: Mapping[str, int]) -> list[QaQuestion]:
    """Unanswered before answered, each best first."""
    return sorted(best_first(some, upvotes), key=lambda each: each.fate == Fate.ANSWERED)


# --- what hosts do ---


def offered(qa: QaSettings, asked: QaQuestion) -> tuple[QaAction, ...]:
    """The actions that will be accepted, likeliest first."""
    if asked.fate == Fate.HIDDEN:
        return (QaAction.SHOW,)
    if asked.fate == Fate.WAITING:
        return (QaAction.SHOW, QaAction.HIDE, QaAction.ANSWER)
    up = QaAction.TAKE_DOWN if qa.on_screen == asked.id else QaAction.PUT_UP
    return (up, QaAction.ANSWER, QaAction.HIDE, *((QaAction.SHOW,) if asked.fate == Fate.ANSWERED else ()))


def check_offered(qa: QaSettings, asked: QaQuestion, act: QaAction) -> None:
    if act not in offered(qa, asked):
        raise NotNow(ALREADY_CHANGED)


def moderated(asked: QaQuestion, act: QaAction, answer: str = "") -> QaQuestion:
    """The question after an action; showing it again discards its answer."""
    if act == QaAction.HIDE:
        return replace(asked, fate=Fate.HIDDEN)
    if act == QaAction.ANSWER:
        return replace(asked, fate=Fate.ANSWERED, answer=answer)
    return replace(asked, fate=Fate.SHOWN, answer="") if act == QaAction.SHOW else asked


def screen_after(qa: QaSettings, asked: QaQuestion, act: QaAction) -> str:
    """The question on the big screen after an action; hiding it takes it down."""
    if act == QaAction.PUT_UP:
        return asked.id
    gone = act in (QaAction.TAKE_DOWN, QaAction.HIDE) and qa.on_screen == asked.id
    return "" if gone else qa.on_screen


def text_id(game_id: str, round_: int, place: int, folded: str) -> str:
    """Keyed id of a text: the log outlives the text and must not let anyone confirm a guess."""
    return keyed_digest(game_id, f"text {round_} {place}", folded)[:16]
