"""Rules of the Q&A: what a question is, its moderation status, and who may do what. Pure, refusals as sentences."""

from __future__ import annotations

import hmac
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from acts.refusals import NotNow
from live.rules import Phase
from live.text_cleaning import MAX_STACKED_ACCENTS, is_combining, is_too_tall, single_line
from store.keys import without_invisible

MAX_QUESTION_CHARS = 300
MAX_ANSWER_CHARS = 1_000
MAX_QUESTIONS = 2_000  # in one session: one per possible player
MAX_QUESTIONS_PER_PERSON = 20
MAX_WAITING_PER_PERSON = 5  # for the host
MAX_BLOCKED_WORDS, MAX_BLOCKED_WORD_CHARS = 500, 60  # of the host's list

OFF = _("The host is not taking questions at the moment.")
OVER = _("The session has ended: no more questions can be sent.")
NO_QUESTION = _("Write a question first.")
TOO_LONG = _("Too long: %(count)d characters. The limit is %(most)d.")
TOO_TALL = _("At most %(most)d accents on one letter.")
FULL = _("The list of questions is full. Upvote a question that asks the same.")
ENOUGH = _("You have sent %(most)d questions, which is the limit for one person.")
WAIT = _(
    "%(most)d of your questions are waiting for the host. You can send another once one of them has been reviewed."
)
NOT_THERE = _("This question does not exist or is no longer visible.")
OWN = _("You cannot upvote your own question.")
ALREADY_CHANGED = _("That has already been done or is no longer possible. This is the current state.")


class Mode(StrEnum):
    """Who sees a question before the host has reviewed it."""

    APPROVED = "approved"  # no one
    WORDS = "words"  # everyone, unless it contains a word on the host's list
    OPEN = "open"  # everyone


class Fate(StrEnum):
    """Moderation status of a question or text."""

    WAITING = "waiting"  # for the host
    SHOWN = "shown"
    ANSWERED = "answered"  # and shown
    HIDDEN = "hidden"


class Act(StrEnum):
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

    @property
    def is_full(self) -> bool:
        """Questions sent at the same moment may exceed the limit slightly."""
        return self.sent >= MAX_QUESTIONS


@dataclass(frozen=True, slots=True)
class QaQuestion:
    """A question sent by a player."""

    id: str
    text: str
    author: str  # a keyed digest, not the player's id
    at: int
    fate: Fate = Fate.WAITING
    held: bool = False  # because it contains a word on the host's list
    player: str = ""  # only if names were shown when it was sent
    answer: str = ""  # by the host
    version: int = 1

    @property
    def is_seen(self) -> bool:
        return self.fate in (Fate.SHOWN, Fate.ANSWERED)


# --- sending ---


def parse_question(typed: str) -> str:
    """Clean a question to one visible line; too long is refused, not truncated."""
    text = single_line(typed)
    if not any(without_invisible(each).strip() and not is_combining(each) for each in text):
        raise NotNow(NO_QUESTION)
    return _check_length(text, MAX_QUESTION_CHARS)


def parse_answer(typed: str) -> str:
    """Clean the host's answer, which may be empty."""
    return _check_length(single_line(typed), MAX_ANSWER_CHARS)


def _check_length(text: str, most: int) -> str:
    if len(text) > most:
        raise NotNow(TOO_LONG % {"most": most, "count": len(text)})
    if is_too_tall(text):
        raise NotNow(TOO_TALL % {"most": MAX_STACKED_ACCENTS})
    return text


def check_takes(qa: QaSettings, phase: Phase) -> None:
    if not qa.is_on:
        raise NotNow(OFF)
    if phase == Phase.ENDED:
        raise NotNow(OVER)


def check_sends(qa: QaSettings, phase: Phase, own: Sequence[QaQuestion]) -> None:
    """Check that a player may send another question. No limit per address, because a hall shares one."""
    check_takes(qa, phase)
    if len(own) >= MAX_QUESTIONS_PER_PERSON:
        raise NotNow(ENOUGH % {"most": MAX_QUESTIONS_PER_PERSON})
    if sum(each.fate == Fate.WAITING for each in own) >= MAX_WAITING_PER_PERSON:
        raise NotNow(WAIT % {"most": MAX_WAITING_PER_PERSON})
    if qa.is_full:
        raise NotNow(FULL)


def with_initial_fate(qa: QaSettings, asked: QaQuestion) -> QaQuestion:
    """A new question with its first status: shown, or waiting for the host."""
    is_held = must_wait(qa.mode, qa.words, asked.text)
    return replace(asked, fate=Fate.WAITING if is_held else Fate.SHOWN, held=is_held and qa.mode == Mode.WORDS)


def must_wait(mode: Mode, words: Iterable[str], text: str) -> bool:
    """Whether the host must review a text before others see it."""
    return mode == Mode.APPROVED or (mode == Mode.WORDS and has_blocked_word(text, words))


# --- the host's list of words ---

LETTERS_NEED = (0, 7, 8, 9)  # combining classes that change the letter; the others are accents and strokes


def folded(text: str) -> str:
    """Words in lower case, without accents and invisible characters, separated by single spaces."""
    apart = unicodedata.normalize("NFKD", without_invisible(text).casefold())
    bare = "".join(each for each in apart if unicodedata.combining(each) in LETTERS_NEED)
    letters = (
        each if each.isalnum() or unicodedata.category(each)[0] == "M" else " "
        for each in unicodedata.normalize("NFKC", bare)
    )
    return " ".join("".join(letters).split())


def has_blocked_word(text: str, words: Iterable[str]) -> bool:
    """Whether the text contains an entry of the list as whole words, in the same order."""
    spaced = f" {folded(text)} "
    return any(f" {each} " in spaced for each in map(folded, words) if each)


# --- upvoting ---


def check_upvotes(qa: QaSettings, phase: Phase, asked: QaQuestion | None, who: str) -> None:
    check_takes(qa, phase)
    if asked is None or not asked.is_seen:
        raise NotNow(NOT_THERE)
    if asked.author == who:
        raise NotNow(OWN)


def best_first(some: Iterable[QaQuestion], upvotes: Mapping[str, int]) -> list[QaQuestion]:
    """Most upvoted first, then oldest."""
    return sorted(some, key=lambda each: (-upvotes.get(each.id, 0), each.at, each.id))


def open_first(some: Iterable[QaQuestion], upvotes: Mapping[str, int]) -> list[QaQuestion]:
    """Unanswered before answered, each best first."""
    return sorted(best_first(some, upvotes), key=lambda each: each.fate == Fate.ANSWERED)


# --- what hosts do ---


def offered(qa: QaSettings, asked: QaQuestion) -> tuple[Act, ...]:
    """The actions that will be accepted, likeliest first."""
    if asked.fate == Fate.HIDDEN:
        return (Act.SHOW,)
    if asked.fate == Fate.WAITING:
        return (Act.SHOW, Act.HIDE, Act.ANSWER)
    up = Act.TAKE_DOWN if qa.on_screen == asked.id else Act.PUT_UP
    return (up, Act.ANSWER, Act.HIDE, *((Act.SHOW,) if asked.fate == Fate.ANSWERED else ()))


def check_offered(qa: QaSettings, asked: QaQuestion, act: Act) -> None:
    if act not in offered(qa, asked):
        raise NotNow(ALREADY_CHANGED)


def moderated(asked: QaQuestion, act: Act, answer: str = "") -> QaQuestion:
    """The question after an action; showing it again discards its answer."""
    if act == Act.HIDE:
        return replace(asked, fate=Fate.HIDDEN)
    if act == Act.ANSWER:
        return replace(asked, fate=Fate.ANSWERED, answer=answer)
    return replace(asked, fate=Fate.SHOWN, answer="") if act == Act.SHOW else asked


def screen_after(qa: QaSettings, asked: QaQuestion, act: Act) -> str:
    """The question on the big screen after an action; hiding it takes it down."""
    if act == Act.PUT_UP:
        return asked.id
    gone = act in (Act.TAKE_DOWN, Act.HIDE) and qa.on_screen == asked.id
    return "" if gone else qa.on_screen


PURPOSE = b"plenum: who asks in a live session"


def author_id(game_id: str, player: str) -> str:
    return _keyed_digest(game_id, player, "who")[:24]


def question_id(game_id: str, player: str, number: int) -> str:
    """Id of a player's nth question: two sent at once collide, so that no one exceeds the limit."""
    return f"q{_keyed_digest(game_id, player, f'question {number}')[:16]}"


def text_id(game_id: str, round_: int, place: int, folded: str) -> str:
    """Keyed id of a text: the log outlives the text and must not let anyone confirm a guess."""
    return _keyed_digest(game_id, f"text {round_} {place}", folded)[:16]


def _keyed_digest(*words: str) -> str:
    key = hmac.digest(settings.SECRET_KEY.encode(), PURPOSE, "sha256")
    return hmac.digest(key, "\n".join(words).encode(), "sha256").hex()
