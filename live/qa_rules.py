"""Rules of the Q&A: what a question is, its moderation status, and who may do what. Pure, refusals as sentences."""

from __future__ import annotations

import hmac
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from acts.refusals import NotNow
from live.rules import Phase
from live.text_cleaning import is_combining, single_line
from store.keys import without_invisible

MAX_QUESTION_CHARS = 300  # letters of a question
MAX_ANSWER_CHARS = 1_000
MAX_STACKED_ACCENTS = 4  # accents above one another; more would run over the lines of others
MAX_QUESTIONS = 2_000  # in one session: one for everybody who can have a seat
MAX_QUESTIONS_PER_PERSON = 20  # that somebody sends
MAX_WAITING_PER_PERSON = 5  # of these, for the host
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
    """Who sees a question before the host has looked at it."""

    APPROVED = "approved"  # nobody
    WORDS = "words"  # everybody, unless a word of the host's list is in it
    OPEN = "open"  # everybody


class Fate(StrEnum):
    """What became of a question."""

    WAITING = "waiting"  # for the host
    SHOWN = "shown"
    ANSWERED = "answered"  # and shown
    HIDDEN = "hidden"


class Act(StrEnum):
    """What somebody who hosts can do with a question."""

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
    named: bool = False  # whether everybody sees who asks
    words: tuple[str, ...] = ()  # the host's own list
    on_screen: str = ""  # the question that the big screen shows
    texts: Mode = Mode.OPEN  # the same for what is written in rounds: answers, texts of surveys, ideas
    changes: int = 0  # by hosts, which are seen at once
    sent: int = 0  # how many questions
    decided: int = 0  # how often hosts have decided about what was written in rounds

    @property
    def is_full(self) -> bool:
        """A few who send at the very same moment may all get in."""
        return self.sent >= MAX_QUESTIONS


@dataclass(frozen=True, slots=True)
class QaQuestion:
    """A question that somebody has sent."""

    id: str
    text: str
    author: str  # a mark, not the player's id
    at: int
    fate: Fate = Fate.WAITING
    held: bool = False  # back, by a word of the host's list
    player: str = ""  # only where everybody was to see who asks
    answer: str = ""  # the host's words
    version: int = 1

    @property
    def is_seen(self) -> bool:
        return self.fate in (Fate.SHOWN, Fate.ANSWERED)


# --- sending ---


def parse_question(typed: str) -> str:
    """In one line and without what cannot be seen; not cut."""
    text = single_line(typed)
    if not any(without_invisible(each).strip() and not is_combining(each) for each in text):
        raise NotNow(NO_QUESTION)
    return _check_length(text, MAX_QUESTION_CHARS)


def parse_answer(typed: str) -> str:
    """The host's words; none are fine."""
    return _check_length(single_line(typed), MAX_ANSWER_CHARS)


def _check_length(text: str, most: int) -> str:
    if len(text) > most:
        raise NotNow(TOO_LONG % {"most": most, "count": len(text)})
    marks = (len(list(some)) for is_mark, some in groupby(text, key=is_combining) if is_mark)
    if max(marks, default=0) > MAX_STACKED_ACCENTS:
        raise NotNow(TOO_TALL % {"most": MAX_STACKED_ACCENTS})
    return text


def check_takes(qa: QaSettings, phase: Phase) -> None:
    if not qa.is_on:
        raise NotNow(OFF)
    if phase == Phase.ENDED:
        raise NotNow(OVER)


def check_sends(qa: QaSettings, phase: Phase, own: Sequence[QaQuestion]) -> None:
    """Whether somebody who has sent these may send one more. Nothing is counted by address: a hall is one."""
    check_takes(qa, phase)
    if len(own) >= MAX_QUESTIONS_PER_PERSON:
        raise NotNow(ENOUGH % {"most": MAX_QUESTIONS_PER_PERSON})
    if sum(each.fate == Fate.WAITING for each in own) >= MAX_WAITING_PER_PERSON:
        raise NotNow(WAIT % {"most": MAX_WAITING_PER_PERSON})
    if qa.is_full:
        raise NotNow(FULL)


def with_initial_fate(qa: QaSettings, asked: QaQuestion) -> QaQuestion:
    """A new question as it is kept: seen by all, or waiting for the host."""
    is_held = must_wait(qa.mode, qa.words, asked.text)
    return replace(asked, fate=Fate.WAITING if is_held else Fate.SHOWN, held=is_held and qa.mode == Mode.WORDS)


def must_wait(mode: Mode, words: Iterable[str], text: str) -> bool:
    """Whether the host has to look at a text before others see it."""
    return mode == Mode.APPROVED or (mode == Mode.WORDS and has_blocked_word(text, words))


# --- the host's list of words ---

LETTERS_NEED = (0, 7, 8, 9)  # classes of marks that make another letter of it; the others are accents and strokes


def folded(text: str) -> str:
    """Its words without capitals, accents and what cannot be seen, one space between them."""
    apart = unicodedata.normalize("NFKD", without_invisible(text).casefold())
    bare = "".join(each for each in apart if unicodedata.combining(each) in LETTERS_NEED)
    return " ".join(
        "".join(each if _is_of_a_word(each) else " " for each in unicodedata.normalize("NFKC", bare)).split()
    )


def _is_of_a_word(character: str) -> bool:
    return character.isalnum() or unicodedata.category(character)[0] == "M"


def has_blocked_word(text: str, words: Iterable[str]) -> bool:
    """Whether a word of the list is in it as a whole word; of a line with several words, all of them in that order."""
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
    """Those that most people want to be answered, then the oldest."""
    return sorted(some, key=lambda each: (-upvotes.get(each.id, 0), each.at, each.id))


def open_first(some: Iterable[QaQuestion], upvotes: Mapping[str, int]) -> list[QaQuestion]:
    """What is still to be answered comes before what is."""
    return sorted(best_first(some, upvotes), key=lambda each: each.fate == Fate.ANSWERED)


# --- what hosts do ---


def offered(qa: QaSettings, asked: QaQuestion) -> tuple[Act, ...]:
    """Exactly what will be accepted, the likeliest first."""
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
    """What becomes of a question; one that is not answered after all keeps no answer."""
    if act == Act.HIDE:
        return replace(asked, fate=Fate.HIDDEN)
    if act == Act.ANSWER:
        return replace(asked, fate=Fate.ANSWERED, answer=answer)
    return replace(asked, fate=Fate.SHOWN, answer="") if act == Act.SHOW else asked


def screen_after(qa: QaSettings, asked: QaQuestion, act: Act) -> str:
    """Which question the big screen shows then: none that is hidden."""
    if act == Act.PUT_UP:
        return asked.id
    gone = act in (Act.TAKE_DOWN, Act.HIDE) and qa.on_screen == asked.id
    return "" if gone else qa.on_screen


PURPOSE = b"plenum: who asks in a live session"


def author_id(game_id: str, player: str) -> str:
    return _keyed_digest(game_id, player, "who")[:24]


def question_id(game_id: str, player: str, number: int) -> str:
    """The id of somebody's question: of two sent at once only one gets it, so that nobody has more than they may."""
    return f"q{_keyed_digest(game_id, player, f'question {number}')[:16]}"


def text_id(game_id: str, round_: int, place: int, folded: str) -> str:
    """Of words that somebody wrote in a round. The log outlives them, and must not tell whether they were these."""
    return _keyed_digest(game_id, f"text {round_} {place}", folded)[:16]


def _keyed_digest(*words: str) -> str:
    key = hmac.digest(settings.SECRET_KEY.encode(), PURPOSE, "sha256")
    return hmac.digest(key, "\n".join(words).encode(), "sha256").hex()
