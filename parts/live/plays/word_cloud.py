"""The play “word cloud”: everybody sends a few words anonymously; frequent words are shown larger."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from foundation.store.keys import fold
from parts.live import answer_forms, moderation
from parts.live.moderation import ModeratedText, Texts
from parts.live.play import Closed, Closing, CsvLine, NameOf, Play, Text, TypedValues
from parts.live.rounds import Round, may_be_shown, too_few
from parts.live.rules import Phase
from parts.live.seats import Seat
from parts.live.snapshot import Snapshot
from parts.live.symbols import and_others
from parts.questions.question import Kind, Question, Type

from .ideas_order import collected
from .robot_texts import robot_sentence

MAX_WORDS_PER_PERSON, MAX_WORD_CHARS = 3, 40
MAX_WORDS_SHOWN = 80  # on one screen: a thousand phones get the same page
SIZES = 5  # of words, as in the style sheet
NO_WORD = gettext_lazy("Write a word first.")
TOO_MANY = gettext_lazy("At most %(most)d words per person.")


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    by: int
    size: int


def sized(round_: Round) -> list[Word]:
    """Most frequent first, sized by frequency."""
    most = max((each.value["by"] for each in round_.entries), default=1)
    found = [
        Word(each.value["text"], each.value["by"], 1 + (SIZES - 1) * (each.value["by"] - 1) // max(1, most - 1))
        for each in round_.entries
    ]
    return sorted(found, key=lambda each: (-each.by, fold(each.text)))


class WordCloud(Play):
    name = "word-cloud"
    label = gettext_lazy("Word cloud")
    description = gettext_lazy("People send up to three words each; those sent most often are shown largest.")
    privacy = gettext_lazy("Everybody sees the words and how often each was sent. Nobody learns who sent which.")
    kinds = (Kind.TEXT,)
    set_type = Type.CALL_AND_ANSWER.value  # its questions are texts, too
    is_anonymous = has_texts = True
    closes = {Phase.QUESTION: gettext_lazy("Close the word cloud")}

    # --- answers ---

    def answer(self, post: QueryDict, snapshot: Snapshot, player: str) -> list[str]:
        return answer_forms.parse_texts(post, MAX_WORDS_PER_PERSON, MAX_WORD_CHARS, NO_WORD, TOO_MANY)

    def form_values(self, answer: Any, snapshot: Snapshot) -> dict[str, list[str]]:
        return {answer_forms.TEXT: answer}

    def summary(self, answer: Any, snapshot: Snapshot) -> dict[str, Any]:
        return {"texts": answer}

    def robot_answer(self, snapshot: Snapshot, seat: Seat, chance: Random) -> list[str]:
        """Single words of a sentence, so that several robots send the same."""
        return [chance.choice(robot_sentence(snapshot, seat).split())[:MAX_WORD_CHARS]]

    def form_name(self, snapshot: Snapshot) -> str:
        return "words"

    def form(self, snapshot: Snapshot, typed: TypedValues) -> dict[str, Any]:
        return answer_forms.texts_form(typed, MAX_WORDS_PER_PERSON, MAX_WORD_CHARS)

    def hints(self, snapshot: Snapshot) -> dict[str, Text]:
        return super().hints(snapshot) | {
            "hint": _("Send up to three words."),
            "projector_hint": _("Send up to three words with your phone. Nobody sees who sent what."),
            "received": _("Your words are in."),
        }

    # --- results ---

    def close(self, closing: Closing) -> Closed:
        state, box = closing.state, closing.box
        round_ = collected(state.round, state.question, box.last)
        if not may_be_shown(round_.count, box.by_robots(each.player for each in box.last)):
            round_ = too_few(state.round, state.question, round_.count)
        return Closed(round_)

    def result_context(
        self, round_: Round, questions: Sequence[Question], seats: Mapping[str, Seat], own: str
    ) -> tuple[str, dict[str, Any]]:
        words = sized(round_)
        visible = words[:MAX_WORDS_SHOWN]
        left = and_others(len(words) - len(visible) + round_.result["left"])
        cloud = sorted(visible, key=lambda each: fold(each.text))
        return "word_cloud", {"cloud": cloud, "words": visible, "count": round_.count, "left": left}

    def without_hidden(self, texts: Texts, round_: Round, removed: Collection[str]) -> Round:
        seen = tuple(each for each in round_.entries if texts.is_seen(round_.number, each.value["text"]))
        gone = len(round_.entries) - len(seen)
        return replace(round_, result={**round_.result, "hidden": gone}, entries=seen) if gone else round_

    def texts_to_moderate(self, texts: Texts, round_: Round, removed: Collection[str]) -> list[ModeratedText]:
        return [moderation.moderated_text(texts, round_.number, each.value["text"]) for each in round_.entries]

    def csv_lines(self, round_: Round, question: Question, name_of: NameOf) -> Iterator[CsvLine]:
        return ({"row": "word", "answer": each.text, "number": each.by} for each in sized(round_))

    def answer_text(self, answer: Any, question: Question, options: tuple[str, ...]) -> Text:
        return str(answer["text"])
