"""The play “trivia”: pick the right options against the clock, for points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from parts.live import answer_forms, scores
from parts.live.play import Closed, Closing, CsvLine, NameOf, Play, Text, TypedQuestion, TypedValues, scored_csv_line
from parts.live.rounds import Entry, GivenAnswer, Round, last_by_player, valid_options
from parts.live.seats import Seat
from parts.live.snapshot import Snapshot
from parts.live.symbols import Bar, symbol
from parts.questions.question import Kind, Question, Type
from results.pictures.drawing import share

RIGHT = "*"  # marks a right option
RIGHT_PROBABILITY = 0.75  # how often a robot is right
NO_RIGHT = gettext_lazy("Put a * in front of each right answer, so that somebody can win.")

ClockOf = Callable[[GivenAnswer], tuple[int, int]]  # elapsed and allowed milliseconds, on the player's own clock


def count(
    number: int, index: int, question: Question, given: Iterable[GivenAnswer], clock_of: ClockOf, bonus: bool = False
) -> Round:
    """The result has `chosen` (count per option), `right`, `fully_right`; entries have choices, points and bonus."""
    entries = tuple(_entry(question, each, clock_of if bonus else None) for each in last_by_player(given))
    chosen = Counter(option for entry in entries for option in entry.value)
    result = {
        "chosen": [chosen[option] for option in range(len(question.options))],
        "right": sorted(set(question.right)),
        "fully_right": sum(set(entry.value) == set(question.right) for entry in entries),
    }
    return Round(number, index, len(entries), result, entries)


def _entry(question: Question, given: GivenAnswer, clock_of: ClockOf | None) -> Entry:
    chosen = valid_options(given.value, question)
    bonus = scores.speed(chosen, question.right, *clock_of(given)) if clock_of else 0
    return Entry(given.player, chosen, scores.trivia(chosen, question.right), bonus)


class Trivia(Play):
    name = Type.TRIVIA.value
    label = gettext_lazy("Trivia")
    description = gettext_lazy("People choose the right answer against the clock and collect points.")
    privacy = gettext_lazy(
        "Everybody sees the right answer after each question, who leads, and the winners at the end."
    )
    is_scored = has_bonus = has_few_answers = True

    def suits(self, question: Question) -> bool:
        return question.kind == Kind.CHOICE and bool(question.right)

    def typed_question(self, typed: TypedQuestion) -> Question:
        right = tuple(place for place, line in enumerate(typed.lines) if line.startswith(RIGHT))
        options = tuple(line.removeprefix(RIGHT).strip() for line in typed.lines)
        return Question(typed.title, Kind.CHOICE, options=options, right=right, seconds=typed.seconds)

    def flaws(self, question: Question, typed: TypedQuestion) -> Iterator[tuple[str, Text]]:
        if not question.right:
            yield "options", NO_RIGHT

    # --- answers ---

    def answer(self, post: QueryDict, snapshot: Snapshot, player: str) -> list[int]:
        return answer_forms.parse_options(post, snapshot.open_question)

    def form_values(self, answer: Any, snapshot: Snapshot) -> dict[str, list[str]]:
        return {answer_forms.OPTION: [str(option) for option in answer]}

    def summary(self, answer: Any, snapshot: Snapshot) -> dict[str, Any]:
        return answer_forms.options_summary(answer, snapshot.open_question)

    def robot_answer(self, snapshot: Snapshot, seat: Seat, chance: Random) -> list[int]:
        question = snapshot.open_question
        wrong = [place for place in range(len(question.options)) if place not in question.right]
        is_right = chance.random() < RIGHT_PROBABILITY or not wrong
        return sorted(question.right) if is_right else [chance.choice(wrong)]

    def form_name(self, snapshot: Snapshot) -> str:
        return "tick" if snapshot.question and len(snapshot.question.right) > 1 else "tap"

    def form(self, snapshot: Snapshot, typed: TypedValues) -> dict[str, Any]:
        return {"options": answer_forms.option_fields(snapshot.open_question, typed)}

    def hints(self, snapshot: Snapshot) -> dict[str, Text]:
        own = {"hint": _("Tap your answer.")}
        if self.form_name(snapshot) == "tick":
            own = {
                "hint": _("Choose your answers, then send them."),
                "projector_hint": _("More than one answer is right."),
            }
        return super().hints(snapshot) | own

    # --- results ---

    def close(self, closing: Closing) -> Closed:
        state, box = closing.state, closing.box

        def clock_of(each: GivenAnswer) -> tuple[int, int]:
            return state.clock.elapsed(each.at), state.clock.length(box.percents[each.player])

        bonus = closing.game.speed_bonus and bool(state.clock.seconds)
        return Closed(count(state.round, state.question, closing.question, box.last, clock_of, bonus))

    def result_context(
        self, round_: Round, questions: Sequence[Question], seats: Mapping[str, Seat], own: str
    ) -> tuple[str, dict[str, Any]]:
        chosen, right = round_.result["chosen"], round_.result["right"]
        own_answer = next((entry.value for entry in round_.entries if own and entry.player == own), ())
        bars = [
            Bar(
                label=label,
                length=share(count, max(round_.count, 1)),
                number=str(count),
                sign=symbol(option),
                mark="right" if option in right else "",
                word=_("right") if option in right else "",
                own=option in own_answer,
                option=option,
            )
            for option, (label, count) in enumerate(zip(questions[round_.question].options, chosen, strict=True))
        ]
        if round_.count:
            counts = {"right": round_.result["fully_right"], "count": round_.count}
            headline = _("All correct: %(right)d of %(count)d") % counts
        else:
            headline = _("Nobody answered.")
        return "trivia", {"bars": bars, "headline": headline}

    def verdict(self, round_: Round, entry: Entry) -> str:
        return "right" if entry.points == scores.FULL_POINTS else "partly" if entry.points else "wrong"

    def csv_lines(self, round_: Round, question: Question, name_of: NameOf) -> Iterator[CsvLine]:
        options, right = question.options, round_.result["right"]
        for place, label in enumerate(options):
            is_right = "yes" if place in right else "no"
            yield {"row": "option", "answer": label, "right": is_right, "number": round_.result["chosen"][place]}
        for entry in round_.entries:
            is_right = "yes" if set(entry.value) == set(right) else "no"
            yield scored_csv_line(entry, answer_forms.options_text(entry.value, options), name_of) | {"right": is_right}

    def answer_text(self, answer: Any, question: Question, options: tuple[str, ...]) -> Text:
        return answer_forms.options_text(answer, options)
