"""Rules of the Q&A of a session: its settings, when it takes questions, and what hosts may do. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from django.utils.translation import gettext_lazy as _

from foundation.acts.refusals import NotNow
from foundation.qa.rules import (
    ALREADY_CHANGED,
    Fate,
    Mode,
    Question,
    best_first,
    check_limits,
    keyed_digest,
)
from parts.live.rules import Phase

MAX_BLOCKED_WORDS, MAX_BLOCKED_WORD_CHARS = 500, 60  # of the host's list

OFF = _("The host is not taking questions at the moment.")
OVER = _("The session has ended: no more questions can be sent.")


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
