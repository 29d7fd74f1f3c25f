"""A question set as a file: CSV that `csv_in` reads again, and JSON with all there is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from string import ascii_uppercase
from typing import Any

from django.utils.translation import gettext_lazy

from pages.lists import as_csv

from ..question import MAX_OPTIONS, Kind, Question
from ..rules import Category, Placed, Whole

OPTIONS = tuple(f"option{number}" for number in range(1, MAX_OPTIONS + 1))
COLUMNS = ("title", "kind", "detail", "category", "school", "custom_instruction", *OPTIONS, "right", "seconds", "twice")
EXPLAINED = (
    ("title", gettext_lazy("The question itself. This column must be there.")),
    (
        "kind",
        gettext_lazy(
            "text, choice, ranking, rating, yes-no or ideas. Left empty: choice if there are options, else text."
        ),
    ),
    ("detail", gettext_lazy("More words about it, also of several lines.")),
    ("category", gettext_lazy("Under which heading it stands.")),
    ("school", gettext_lazy("Where it comes from, or whom it is for.")),
    ("custom_instruction", gettext_lazy("What to tell people when this question is asked.")),
    ("option1 … option10", gettext_lazy("What can be chosen or ranked.")),
    ("right", gettext_lazy("Which options are right: letters or numbers, several with a space or a comma: B, 2, A C.")),
    ("seconds", gettext_lazy("Until it closes by itself; 0: when the host closes it. Left empty: 30.")),
    ("twice", gettext_lazy("yes: a ranking that can be asked again in a poll, to show who moved. Left empty: no.")),
)
EXAMPLES = (
    Question("What should our next meeting begin with?", Kind.TEXT, category="Warming up", seconds=60),
    Question(
        "In which year did women first vote for the Swiss parliament?",
        Kind.CHOICE,
        "The men of the country had agreed in a referendum the same year.",
        "History",
        options=("1919", "1945", "1971"),
        right=(2,),
        seconds=20,
    ),
    Question("Where shall we meet?", Kind.RANKING, category="Plans", options=("Library", "Park", "Online"), seconds=0),
    Question("What should we do with the garden?", Kind.IDEAS, category="Plans", seconds=90),
    Question("How was the evening?", Kind.RATING, category="Looking back", seconds=0),
    Question("Will you come again?", Kind.YES_NO, category="Looking back", seconds=0),
)


def questions_csv(questions: Iterable[Question]) -> Iterator[str]:
    return as_csv(COLUMNS, map(_row, questions))


def _row(question: Question) -> list[object]:
    words = (question.title, str(question.kind), question.detail, question.category, question.school)
    options = [*question.options, *[""] * (MAX_OPTIONS - len(question.options))]
    right = " ".join(ascii_uppercase[place] for place in question.right)
    return [*words, question.custom_instruction, *options, right, question.seconds, "yes" * question.twice]


OF_SET = (
    *("name", "description", "custom_instructions", "created_at", "created_by", "changed_at", "is_active", "shared"),
    *("version", "total_questions"),
)


def as_json(whole: Whole) -> dict[str, Any]:
    """Everything, by the names that the store has for it."""
    set_ = whole.set
    return {
        "set_id": set_.id,
        **{name: getattr(set_, name) for name in OF_SET},
        "suiting": dict(set_.suiting),
        "categories": [_category(whole, place, each) for place, each in enumerate(whole.categories, 1)],
    }


def _category(whole: Whole, place: int, category: Category) -> dict[str, Any]:
    within = whole.within(category.number)
    return {
        "category_id": category.number,
        "name": category.name,
        "description": category.description,
        "order_index": place,
        "question_count": len(within),
        "questions": [_question(number, each) for number, each in enumerate(within, 1)],
    }


def _question(place: int, placed: Placed) -> dict[str, Any]:
    question = placed.question
    return {
        "question_id": placed.id,
        "title": question.title,
        "kind": str(question.kind),
        "detail": question.detail,
        "category": question.category,
        "category_id": placed.category,
        "school": question.school,
        "order_in_category": place,
        "custom_instruction": question.custom_instruction,
        "options": list(question.options),
        "right": [number + 1 for number in question.right],
        "seconds": question.seconds,
        "twice": question.twice,
        "created_at": placed.created_at,
    }
