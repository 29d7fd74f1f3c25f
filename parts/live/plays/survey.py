"""The play “survey”: all questions on one page, anonymous, until the host closes it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from foundation.store.keys import fold
from foundation.store.splitting import fitting
from parts.live import answer_forms, moderation
from parts.live.answer_forms import SHEET_PREFIX, InvalidAnswer, Option
from parts.live.moderation import ModeratedText, Texts
from parts.live.play import Closed, Closing, CsvLine, NameOf, Play, Text, TypedQuestion, TypedValues
from parts.live.rounds import (
    MAX_ANSWER_CHARS,
    Entry,
    GivenAnswer,
    Round,
    is_whole,
    last_by_player,
    may_be_shown,
    one_line,
    size_of,
    too_few,
    valid_options,
)
from parts.live.rules import Phase, State, Step
from parts.live.seats import Seat
from parts.live.snapshot import Snapshot
from parts.live.symbols import Bar, and_others, symbol
from parts.questions.question import RATINGS, Kind, Question, Type
from results.pictures.drawing import exact, share

from .robot_texts import robot_sentences

MAX_SURVEY_BYTES = 2_800_000  # bytes of texts in a survey: a transaction holds four million
FIRST_TEXTS_SHOWN, MAX_TEXTS_SHOWN = 12, 60  # initially, and at most: a thousand phones get the same page
YES_PROBABILITY = 0.75  # how often a robot says yes
NOTHING_SAID = gettext_lazy("Answer at least one of the questions.")
UNKNOWN_QUESTION = gettext_lazy("This question is not part of the survey. Reload the page and try again.")
NOT_A_RATING = gettext_lazy("A rating is a number from 1 to 5.")
NEITHER = gettext_lazy("Choose yes or no.")

Context = dict[str, Any]


# --- counting ---


def count(number: int, questions: Sequence[Question], given: Iterable[GivenAnswer], index: int = 0) -> Round:
    """The result has `questions`, each with `kind`, `count` and totals; the entries are texts by question, without
    names. One person's answers to different questions cannot be linked, not even by order."""
    sheets = [each for each in last_by_player(given) if isinstance(each.value, Mapping)]
    if not may_be_shown(len(sheets), sum(each.robot for each in sheets)):
        return too_few(number, index, len(sheets))
    totals: list[dict[str, Any]] = []
    texts: list[Entry] = []
    for place, question in enumerate(questions):
        valued = ((_value(question, sheet.value.get(str(place))), sheet.robot) for sheet in sheets)
        answers = [(value, robot) for value, robot in valued if value is not None]
        is_enough = may_be_shown(len(answers), sum(robot for _answer, robot in answers))
        values = [value for value, _robot in answers] if is_enough else []
        totals.append(_summed(question, values, len(answers)))
        if question.kind == Kind.TEXT:  # in an order that does not reveal their authors
            in_order = sorted(values, key=lambda text: hashlib.sha256(text.encode()).digest())
            texts += [Entry("", {"question": place, "text": text}) for text in in_order]
    entries = tuple(fitting(texts, MAX_SURVEY_BYTES, size_of))  # what does not fit one transaction is dropped
    for entry in entries:
        totals[_place(entry)]["kept"] += 1
    return Round(number, index, len(sheets), {"questions": totals}, entries)


def _value(question: Question, said: Any) -> Any:
    if question.kind == Kind.TEXT:
        return one_line(said) or None
    if question.kind == Kind.RATING:
        return said if is_whole(said) and said in RATINGS else None
    if question.kind == Kind.YES_NO:
        return said if isinstance(said, bool) else None
    return valid_options(said, question) or None


def _summed(question: Question, values: Sequence[Any], count: int) -> dict[str, Any]:
    """`count` is the number of answers, even if there are too few to show them."""
    totals = {"kind": str(question.kind), "count": count}
    if not values:
        return totals | {"too_few": True, "kept": 0}
    if question.kind == Kind.RATING:
        return totals | {"values": [values.count(each) for each in RATINGS], "mean": _mean(values)}
    if question.kind == Kind.YES_NO:
        return totals | {"yes": values.count(True), "no": values.count(False)}
    if question.kind == Kind.TEXT:
        return totals | {"kept": 0}
    chosen = Counter(option for value in values for option in value)
    return totals | {"chosen": [chosen[option] for option in range(len(question.options))]}


def _mean(values: Sequence[int]) -> str:
    """Rounded half up to two decimals, in integer arithmetic so that it is the same everywhere."""
    hundredths = (200 * sum(values) + len(values)) // (2 * len(values))
    return f"{hundredths // 100}.{hundredths % 100:02d}"


# --- form ---


@dataclass(frozen=True, slots=True)
class Field:
    """A survey question and its current answer."""

    name: str
    question: Question
    typed: str

    @property
    def options(self) -> list[Option]:
        return [Option(place, text, self.typed == str(place)) for place, text in enumerate(self.question.options)]

    @property
    def ratings(self) -> list[Option]:
        return [Option(each, str(each), self.typed == str(each)) for each in RATINGS]


def parse_sheet(post: QueryDict, questions: Sequence[Question]) -> dict[str, Any]:
    """The answers by question; unanswered questions are left out."""
    answers: dict[str, Any] = {}
    for name in post:
        if name.startswith(SHEET_PREFIX):
            place = answer_forms.parse_number(name.removeprefix(SHEET_PREFIX), len(questions))
            if place is None:
                raise InvalidAnswer(UNKNOWN_QUESTION)
            if (value := _typed_value(post.getlist(name), questions[place])) is not None:
                answers[str(place)] = value
    if not answers:
        raise InvalidAnswer(NOTHING_SAID)
    return dict(sorted(answers.items(), key=lambda each: int(each[0])))


def _typed_value(typed: list[str], question: Question) -> Any:
    """A field's value, or `None` if it was left empty."""
    if not any(each.strip() for each in typed):
        return None
    read: dict[Kind, Callable[[str], Any]] = {
        Kind.RATING: _rating,
        Kind.YES_NO: _yes_or_no,
        Kind.TEXT: lambda each: answer_forms.parse_line(each) or None,
    }
    return read[question.kind](typed[-1]) if question.kind in read else answer_forms.parse_one_option(typed, question)


def _rating(typed: str) -> int:
    found = answer_forms.parse_number(typed, max(RATINGS) + 1)
    if found is None or found not in RATINGS:
        raise InvalidAnswer(NOT_A_RATING)
    return found


def _yes_or_no(typed: str) -> bool:
    if typed not in ("yes", "no"):
        raise InvalidAnswer(NEITHER)
    return typed == "yes"


class Survey(Play):
    name = Type.SURVEY.value
    label = gettext_lazy("Survey")
    description = gettext_lazy("People fill in all questions on one page, at their own pace, until you close it.")
    privacy = gettext_lazy("You see numbers and texts without names. Nobody learns who wrote what, not even you.")
    kinds = (Kind.TEXT, Kind.CHOICE, Kind.RATING, Kind.YES_NO)
    is_anonymous = has_texts = spans = True
    is_timed = may_repeat = False
    templates = {"projector/question": "live/plays/survey/projector_question.html"}
    farewell = gettext_lazy("The survey is closed. Your answers are counted without your name.")
    closes = {Phase.QUESTION: gettext_lazy("Close the survey")}

    def typed_question(self, typed: TypedQuestion) -> Question:
        kind = Kind.CHOICE if typed.lines else Kind.TEXT
        return Question(typed.title, kind, options=typed.lines, seconds=typed.seconds)

    def step_label(self, step: Step, state: State) -> Text | None:
        is_first = step == Step.NEXT and not state.round
        return _("Open the survey") if is_first else super().step_label(step, state)

    # --- answers ---

    def answer(self, post: QueryDict, snapshot: Snapshot, player: str) -> dict[str, Any]:
        return parse_sheet(post, snapshot.round_questions)

    def form_values(self, answer: Any, snapshot: Snapshot) -> dict[str, list[str]]:
        names = {True: "yes", False: "no"}
        return {
            f"{SHEET_PREFIX}{place}": [names[value] if isinstance(value, bool) else str(value)]
            for place, value in answer.items()
        }

    def summary(self, answer: Any, snapshot: Snapshot) -> dict[str, Any]:
        return {"answered": len(answer), "total": snapshot.state.span}

    def robot_answer(self, snapshot: Snapshot, seat: Seat, chance: Random) -> dict[str, Any]:
        return {str(place): _random_value(each, chance) for place, each in enumerate(snapshot.round_questions)}

    def form_name(self, snapshot: Snapshot) -> str:
        return "sheet"

    def form(self, snapshot: Snapshot, typed: TypedValues) -> dict[str, Any]:
        names = ((f"{SHEET_PREFIX}{place}", each) for place, each in enumerate(snapshot.round_questions))
        fields = [Field(name, question, answer_forms.last_value(typed, name)) for name, question in names]
        return {"longest": MAX_ANSWER_CHARS, "fields": fields}

    def hints(self, snapshot: Snapshot) -> dict[str, Text]:
        return super().hints(snapshot) | {
            "hint": _("Answer what you like, then send it."),
            "received": _("Your answers are in."),
            "announced": _("The survey is open."),
        }

    # --- results ---

    def close(self, closing: Closing) -> Closed:
        state = closing.state
        return Closed(count(state.round, closing.round_questions, closing.box.last, state.question))

    def result_context(
        self, round_: Round, questions: Sequence[Question], seats: Mapping[str, Seat], own: str
    ) -> tuple[str, dict[str, Any]]:
        totals = round_.result["questions"]
        in_round = questions[round_.question : round_.question + len(totals)]
        sheets = [_sheet(round_, place, question, totals[place]) for place, question in enumerate(in_round)]
        return "survey", {"sheets": sheets, "count": round_.count}

    def without_hidden(self, texts: Texts, round_: Round, removed: Collection[str]) -> Round:
        visible = [each for each in round_.entries if texts.is_seen(round_.number, each.value["text"], _place(each))]
        gone = len(round_.entries) - len(visible)
        if not gone:
            return round_
        questions = [dict(each) for each in round_.result["questions"]]
        hidden = Counter(map(_place, round_.entries))
        hidden.subtract(map(_place, visible))
        for place, number in hidden.items():
            if number:
                questions[place] |= {"kept": questions[place]["kept"] - number, "hidden": number}
        return replace(round_, result={**round_.result, "questions": questions, "hidden": gone}, entries=tuple(visible))

    def texts_to_moderate(self, texts: Texts, round_: Round, removed: Collection[str]) -> list[ModeratedText]:
        found = {(_place(each), fold(each.value["text"])): each.value["text"] for each in round_.entries}
        return [
            moderation.moderated_text(texts, round_.number, text, place) for (place, _folded), text in found.items()
        ]

    def csv_rows(self, round_: Round, questions: Sequence[Question], name_of: NameOf) -> Iterator[tuple[int, CsvLine]]:
        if round_.result.get("too_few"):
            yield from super().csv_rows(round_, questions, name_of)
            return
        for place, totals in enumerate(round_.result["questions"], round_.question):
            for answer, number in _numbers(questions[place], totals):
                yield place, {"row": "option", "answer": answer, "number": number}
            if "mean" in totals:
                yield place, {"row": "mean", "number": totals["mean"]}
            if totals.get("too_few"):
                yield place, {"row": "too few", "number": totals["count"]}
        for entry in round_.entries:
            yield round_.question + _place(entry), {"row": "text", "answer": entry.value["text"]}

    def answer_text(self, answer: Any, question: Question, options: tuple[str, ...]) -> Text:
        return str(answer["text"])


def _place(entry: Entry) -> int:
    return int(entry.value["question"])


def _numbers(question: Question, totals: Mapping[str, Any]) -> Iterable[tuple[str, int]]:
    if totals.get("too_few") or question.kind == Kind.TEXT:
        return ()
    if question.kind == Kind.RATING:
        return zip(map(str, RATINGS), totals["values"], strict=True)
    if question.kind == Kind.YES_NO:
        return ("yes", totals["yes"]), ("no", totals["no"])
    return zip(question.options, totals["chosen"], strict=True)


def _random_value(question: Question, chance: Random) -> Any:
    if question.kind == Kind.RATING:
        return max(chance.choice(RATINGS), chance.choice(RATINGS))
    if question.kind == Kind.YES_NO:
        return chance.random() < YES_PROBABILITY
    if question.kind == Kind.TEXT:
        return chance.choice(robot_sentences())
    return chance.randrange(len(question.options))


# --- rendering ---


def _sheet(round_: Round, place: int, question: Question, totals: Mapping[str, Any]) -> Context:
    sheet: Context = {"title": question.title, "kind": str(question.kind), "count": totals["count"], "bars": []}
    if totals.get("too_few"):
        return sheet | {"too_few": True}
    if question.kind == Kind.TEXT:
        texts = [entry.value["text"] for entry in round_.entries if entry.value["question"] == place]
        left = and_others(totals["count"] - totals.get("hidden", 0) - min(len(texts), MAX_TEXTS_SHOWN))
        return sheet | {
            "first": texts[:FIRST_TEXTS_SHOWN],
            "others": texts[FIRST_TEXTS_SHOWN:MAX_TEXTS_SHOWN],
            "left": left,
        }
    if question.kind == Kind.RATING:  # the best at the top
        counts = [*zip(map(str, RATINGS), totals["values"], strict=True)][::-1]
        sheet |= {"mean": exact(totals["mean"]), "most": RATINGS[-1], "short": True}
    elif question.kind == Kind.YES_NO:
        counts = [(_("Yes"), totals["yes"]), (_("No"), totals["no"])]
        sheet |= {"short": True}
    else:
        counts = [*zip(question.options, totals["chosen"], strict=True)]
    is_choice = question.kind == Kind.CHOICE
    bars = [
        Bar(label, share(number, totals["count"]), str(number), symbol(place) if is_choice else None)
        for place, (label, number) in enumerate(counts)
    ]
    return sheet | {"bars": bars}
