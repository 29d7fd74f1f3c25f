"""What a question is, its moderation status, limits, upvotes and order. Pure, refusals as sentences."""

from __future__ import annotations

import hmac
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self, TypeVar

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from foundation.acts.refusals import NotNow
from foundation.pages.names import MAX_STACKED_ACCENTS, is_combining, is_too_tall, single_line
from foundation.store.keys import without_invisible
from foundation.store.table import Item

MAX_QUESTION_CHARS = 300
MAX_ANSWER_CHARS = 1_000
MAX_QUESTIONS = 2_000  # in one session or election
MAX_QUESTIONS_PER_PERSON = 20
MAX_WAITING_PER_PERSON = 5  # to be reviewed
MAX_ID_CHARS = 40  # of a question, as forms send it

NO_QUESTION = _("Write a question first.")
TOO_LONG = _("Too long: %(count)d characters. The limit is %(most)d.")
TOO_TALL = _("At most %(most)d accents on one letter.")
FULL = _("The list of questions is full. Upvote a question that asks the same.")
ENOUGH = _("You have sent %(most)d questions, which is the limit for one person.")
WAIT = _("%(most)d of your questions are waiting to be reviewed. You can send another once one of them has been.")
NOT_THERE = _("This question does not exist or is no longer visible.")
OWN = _("You cannot upvote your own question.")
NAMED_NOW = _("Names are now shown with questions. If that is fine with you, send it again.")
ALREADY_CHANGED = _("That has already been done or is no longer possible. This is the current state.")


class Mode(StrEnum):
    """Who sees a question before it has been reviewed."""

    APPROVED = "approved"  # no one
    WORDS = "words"  # everyone, unless it contains a word on a list
    OPEN = "open"  # everyone


class Fate(StrEnum):
    """Moderation status of a question or text."""

    WAITING = "waiting"  # to be reviewed
    SHOWN = "shown"
    ANSWERED = "answered"  # and shown
    HIDDEN = "hidden"


@dataclass(frozen=True, slots=True)
class Question:
    id: str
    text: str
    author: str  # a keyed digest, not a name or an id
    at: int
    fate: Fate = Fate.WAITING
    held: bool = False  # because it contains a word on the list
    version: int = 1

    @property
    def index(self) -> Item:
        """In which list it is, besides that of all questions."""
        return {}

    @property
    def is_seen(self) -> bool:
        return self.fate in (Fate.SHOWN, Fate.ANSWERED)

    def is_the_same(self, other: Self) -> bool:
        """As another one of the same person."""
        return self.text == other.text


Q = TypeVar("Q", bound=Question)

# --- sending ---


def parse_question(typed: str) -> str:
    """Clean a question to one visible line; too long is refused, not truncated."""
    text = single_line(typed)
    if not any(without_invisible(each).strip() and not is_combining(each) for each in text):
        raise NotNow(NO_QUESTION)
    return check_length(text, MAX_QUESTION_CHARS)


def parse_answer(typed: str) -> str:
    """Clean an answer, which may be empty."""
    return check_length(single_line(typed), MAX_ANSWER_CHARS)


def check_length(text: str, most: int) -> str:
    if len(text) > most:
        raise NotNow(TOO_LONG % {"most": most, "count": len(text)})
    if is_too_tall(text):
        raise NotNow(TOO_TALL % {"most": MAX_STACKED_ACCENTS})
    return text


def check_knows_names(*, shows_names: bool, knows: str) -> None:
    """Reject a question whose author was promised anonymity while writing it."""
    if shows_names and knows != "yes":
        raise NotNow(NAMED_NOW)


def check_limits(own: Sequence[Question], sent: int) -> None:
    """Of one person, and of all; questions sent at the same moment may exceed the latter slightly."""
    if len(own) >= MAX_QUESTIONS_PER_PERSON:
        raise NotNow(ENOUGH % {"most": MAX_QUESTIONS_PER_PERSON})
    if sum(each.fate == Fate.WAITING for each in own) >= MAX_WAITING_PER_PERSON:
        raise NotNow(WAIT % {"most": MAX_WAITING_PER_PERSON})
    if sent >= MAX_QUESTIONS:
        raise NotNow(FULL)


def with_initial_fate(asked: Q, mode: Mode, words: Iterable[str] = ()) -> Q:
    """A new question with its first status: shown, or waiting to be reviewed."""
    is_held = must_wait(mode, words, asked.text)
    return replace(asked, fate=Fate.WAITING if is_held else Fate.SHOWN, held=is_held and mode == Mode.WORDS)


def must_wait(mode: Mode, words: Iterable[str], text: str) -> bool:
    """Whether a text must be reviewed before others see it."""
    return mode == Mode.APPROVED or (mode == Mode.WORDS and has_blocked_word(text, words))


# --- the list of words ---

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


def check_upvotable(asked: Question | None, who: str) -> None:
    if asked is None or not asked.is_seen:
        raise NotNow(NOT_THERE)
    if asked.author == who:
        raise NotNow(OWN)


def best_first(some: Iterable[Q], upvotes: Mapping[str, int]) -> list[Q]:
    """Most upvoted first, then oldest."""
    return sorted(some, key=lambda each: (-upvotes.get(each.id, 0), each.at, each.id))


# --- keyed ids; `scope` is the session or election ---

PURPOSE = b"plenum: who asks in a live session"


def author_id(scope: str, person: str) -> str:
    return keyed_digest(scope, person, "who")[:24]


def question_id(scope: str, person: str, number: int) -> str:
    """Id of a person's nth question: two sent at once collide, so that no one exceeds the limit."""
    return f"q{keyed_digest(scope, person, f'question {number}')[:16]}"


def keyed_digest(*words: str) -> str:
    key = hmac.digest(settings.SECRET_KEY.encode(), PURPOSE, "sha256")
    return hmac.digest(key, "\n".join(words).encode(), "sha256").hex()
