"""Exports of a question set: CSV and GIFT files that can be imported again, and JSON with every field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from string import ascii_uppercase
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from foundation.pages.lists import as_csv

from ..question import MAX_OPTIONS, SET_KIND_LABELS, Kind, Question, clean_line
from ..rules import FullSet, PlacedQuestion

OPTIONS = tuple(f"option{number}" for number in range(1, MAX_OPTIONS + 1))
COLUMNS = ("title", "kind", "detail", "category", "school", "custom_instruction", *OPTIONS, "right", "seconds", "twice")
EXPLAINED = (
    ("title", gettext_lazy("The question itself. Required.")),
    (
        "kind",
        gettext_lazy(
            "text, choice, ranking, rating, yes-no or ideas. If empty: choice if there are options, otherwise text."
        ),
    ),
    ("detail", gettext_lazy("More details; may have several lines.")),
    ("category", gettext_lazy("The heading it appears under.")),
    ("school", gettext_lazy("Where it comes from, or whom it is for.")),
    ("custom_instruction", gettext_lazy("Shown to people when this question is asked.")),
    ("option1 … option10", gettext_lazy("The options to choose from or to rank.")),
    ("right", gettext_lazy("The right options, as letters or numbers separated by spaces or commas: B, 2, A C.")),
    ("seconds", gettext_lazy("Until it closes automatically; 0: the host closes it. If empty: 30.")),
    ("twice", gettext_lazy("yes: a ranking that a poll can ask again, to show who moved. If empty: no.")),
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
OF_SET = (
    *("name", "description", "custom_instructions", "created_at", "created_by", "changed_at", "is_active", "shared"),
    *("version", "total_questions"),
)


def questions_csv(questions: Iterable[Question]) -> Iterator[str]:
    return as_csv(COLUMNS, map(_row, questions))


def _row(question: Question) -> list[object]:
    fields = (question.title, str(question.kind), question.detail, question.category, question.school)
    options = [*question.options, *[""] * (MAX_OPTIONS - len(question.options))]
    right = " ".join(ascii_uppercase[place] for place in question.right)
    return [*fields, question.custom_instruction, *options, right, question.seconds, "yes" * question.twice]


def as_json(full: FullSet) -> dict[str, Any]:
    """Every field, by its stored name."""
    set_, categories = full.set, list[dict[str, Any]]()
    for place, category in enumerate(full.categories, 1):
        within = full.within(category.number)
        fields = {"category_id": category.number, "name": category.name, "description": category.description}
        questions = [_question(number, each) for number, each in enumerate(within, 1)]
        categories.append({**fields, "order_index": place, "question_count": len(within), "questions": questions})
    fields = {"set_id": set_.id, **{name: getattr(set_, name) for name in OF_SET}}
    return {**fields, "suiting": dict(set_.suiting), "categories": categories}


def _question(place: int, placed: PlacedQuestion) -> dict[str, Any]:
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


# --- GIFT, the text format of Moodle: `gift_import` reads back the same questions ---
#
# Every text is marked as plain, so that none of it is taken for markup. Fields that GIFT lacks go into comments, as
# Moodle itself does with ids and tags; kinds of question that it lacks are listed at the end.

USUAL_SECONDS = Question("").seconds
SIGNS = str.maketrans({"\n": r"\n", **{sign: f"\\{sign}" for sign in "\\~=#{}:"}})
IN_REMARKS = str.maketrans({"\n": r"\n", "\\": r"\\", "]": r"\]"})
TOP = "$course$/top"
HELD = (Kind.TEXT, Kind.CHOICE)


def questions_gift(full: FullSet) -> Iterator[str]:
    yield f"// {clean_line(full.set.name)}\n"
    category = ""
    for question in full.questions:
        if question.kind not in HELD:
            continue
        if question.category != category:
            category = question.category
            # a slash in a name is doubled; a space separates a leading one from the slash before it
            name = category.replace("/", "//")
            space = " " if name.startswith("/") else ""
            yield f"\n$CATEGORY: {TOP}/{space}{name}\n" if name else f"\n$CATEGORY: {TOP}\n"
        yield f"\n{_gift_block(question)}\n"
    out = [question for question in full.questions if question.kind not in HELD]
    if out:
        yield "\n// " + _("Left out, because GIFT does not support them:") + "\n"
        yield from (f"// {SET_KIND_LABELS[each.kind]}: {each.title}\n" for each in out)


def _gift_block(question: Question) -> str:
    properties = {
        "seconds": str(question.seconds) if question.seconds != USUAL_SECONDS else "",
        "school": question.school,
        "instruction": question.custom_instruction,
    }
    remarks = "".join(f"// [{name}:{text.translate(IN_REMARKS)}]\n" for name, text in properties.items() if text)
    text = f"{question.title}\n{question.detail}" if question.detail else question.title
    answers = "\n" if question.kind == Kind.CHOICE else ""
    for place, option in enumerate(question.options if question.kind == Kind.CHOICE else ()):
        plain = "[plain]" if option.startswith(("[", "%")) else ""  # what starts like a format or a weight
        answers += f"\t{_gift_mark(question, place)}{plain}{option.translate(SIGNS)}\n"
    return f"{remarks}[plain]{text.translate(SIGNS)}{{{answers}}}"


def _gift_mark(question: Question, place: int) -> str:
    """Several right answers share 100 %, and a wrong one costs it: choosing all is worth nothing."""
    if len(question.right) <= 1:
        return "=" if place in question.right else "~"
    share = f"{100 / len(question.right):.5f}".rstrip("0").rstrip(".")
    return f"~%{share}%" if place in question.right else "~%-100%"
