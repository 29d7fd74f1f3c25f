"""Question sets: list, read, create, replace, export."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from django.http import Http404
from django.utils.translation import gettext as _
from msgspec import Meta

from accounts.api.calls import Call, Page, Paging, cleaned
from accounts.api.operations import Area, Name, link, operation
from accounts.api.problems import of_form_errors
from accounts.api_tokens import Scope
from accounts.rules import Permission
from elections.api.elections import organising
from parts.questions import question as questions
from parts.questions import repository, rules, services
from parts.questions.formats.exports import questions_csv, questions_gift
from parts.questions.forms import SetForm

AREA = Area("question_sets", "Question sets", "Questions for live sessions.")
PLAIN = ("title", "detail", "category", "school", "custom_instruction", "seconds", "twice")

Kind = Literal["text", "choice", "ranking", "rating", "yes-no", "ideas"]


class Question(msgspec.Struct, forbid_unknown_fields=True):
    """A question of a set."""

    title: Annotated[str, Meta(min_length=1, max_length=questions.MAX_TITLE_CHARS)]
    kind: Kind = "text"
    detail: str = ""
    category: Annotated[str, Meta(description="The heading it is under.")] = ""
    school: Annotated[str, Meta(description="Where it comes from, or whom it is for.")] = ""
    custom_instruction: str = ""
    options: Annotated[
        list[Annotated[str, Meta(min_length=1)]],
        Meta(max_length=questions.MAX_OPTIONS, description="Of a choice or a ranking, which need them."),
    ] = []
    right: Annotated[
        list[Annotated[int, Meta(ge=1, le=questions.MAX_OPTIONS)]],
        Meta(description="Which options of a choice, from 1."),
    ] = []
    seconds: Annotated[int, Meta(ge=0, le=questions.MAX_ANSWER_SECONDS, description="0: the host closes it.")] = 30
    twice: Annotated[bool, Meta(description="A ranking that a poll asks before and after.")] = False


class Content(msgspec.Struct, forbid_unknown_fields=True):
    """All of a set."""

    name: Name
    questions: Annotated[list[Question], Meta(max_length=questions.MAX_QUESTIONS)]
    description: str = ""
    custom_instructions: Annotated[str, Meta(description="Shown while people wait for the first question.")] = ""


class Category(msgspec.Struct):
    """A heading."""

    name: str
    description: str


class ListedSet(msgspec.Struct):
    """A question set in a list."""

    id: str
    name: str
    description: str
    created_by: str
    changed_at: datetime
    shared: bool
    is_active: bool
    total_questions: int
    page: str


class QuestionSet(ListedSet):
    """A question set with its questions, in order."""

    custom_instructions: str
    categories: list[Category]
    questions: list[Question]
    waiting: Annotated[int, Meta(description="How many questions are still being added.")]


class File(msgspec.Struct):
    """A file that can be imported again."""

    name: str
    text: str


class Listing(Paging):
    """Which sets to list."""

    show: Literal["mine", "shared"] = "mine"


class Export(msgspec.Struct, forbid_unknown_fields=True):
    """Which format."""

    format: Literal["csv", "gift"] = "csv"


reading = {"scope": Scope.READ, "permission": Permission.USE_APPLICATION}


@operation(
    "GET", "question-sets", AREA, "List question sets, last changed first", query=Listing, answers=Page[ListedSet],
    **reading,
)  # fmt: skip
def list_(call: Call) -> Page[ListedSet]:
    where = {"limit": call.query.limit, "cursor": call.cursor}
    own = call.query.show == "mine"
    found, cursor = repository.owned_by(call.user.name, **where) if own else repository.shared(**where)
    return call.page([ListedSet(**_listed(each)) for each in found], cursor)


def _listed(set_: rules.QuestionSet) -> dict[str, Any]:
    names = ("id", "name", "description", "created_by", "shared", "is_active", "total_questions")
    plain = {each: getattr(set_, each) for each in names}
    return plain | {"changed_at": datetime.fromisoformat(set_.changed_at), "page": link("question_set", set_.id)}


def _load(call: Call, set_id: str) -> rules.FullSet:
    full = repository.find_full(set_id)
    if full is None or not rules.may_see(call.user.name, call.user.role, full.set):
        raise Http404
    return full


@operation("GET", "question-sets/<slug:set_id>", AREA, "Read a question set", answers=QuestionSet, **reading)
def read(call: Call, set_id: str) -> QuestionSet:
    """Your own, or one that is shared."""
    full = _load(call, set_id)
    return QuestionSet(
        **_listed(full.set),
        custom_instructions=full.set.custom_instructions,
        categories=[Category(each.name, each.description) for each in full.categories],
        questions=[_question(each) for each in full.questions],
        waiting=full.waiting,
    )


def _question(found: questions.Question) -> Question:
    kind: Any = str(found.kind)
    right = [place + 1 for place in found.right]
    return Question(
        kind=kind, options=list(found.options), right=right, **{each: getattr(found, each) for each in PLAIN}
    )


@operation(
    "GET", "question-sets/<slug:set_id>/export", AREA, "Export a question set", query=Export, answers=File, **reading
)
def export(call: Call, set_id: str) -> File:
    full = _load(call, set_id)
    if call.query.format == "gift":
        return File("questions.gift.txt", "".join(questions_gift(full)))
    return File("questions.csv", "".join(questions_csv(full.questions)))


@operation(
    "POST", "question-sets", AREA, "Create a question set", takes=Content, answers=QuestionSet, status=201,
    refusals=("too-often",),
    example={"name": "Warming up", "questions": [{"title": "Which year?", "kind": "choice", "options": ["1919", "1971"],
                                                  "right": [2]}]},
    **organising,
)  # fmt: skip
def create(call: Call) -> QuestionSet:
    """It is yours alone until you share it on its page."""
    values = _values(call.body)

    def make() -> str:
        services.count_making(call.user)
        return services.make(call.user, **values).id

    return call.made(read, call.run(make) or call.first_event()["set_id"])


@operation(
    "PUT", "question-sets/<slug:set_id>", AREA, "Replace a question set", takes=Content, answers=QuestionSet,
    edits=read, refusals=("try-later",), example={"name": "Warming up", "questions": [{"title": "What comes next?"}]},
    **organising,
)  # fmt: skip
def replace(call: Call, set_id: str) -> QuestionSet:
    """Sessions made with it keep their questions. Descriptions of categories stay."""
    rules.check_owns(call.user.name, _load(call, set_id).set)
    values = _values(call.body)
    call.run(lambda: services.replace(call.user, set_id, **values), converges=True)
    return read(call, set_id)


def _values(sent: Content) -> dict[str, Any]:
    form = SetForm(
        {"name": sent.name, "description": sent.description, "custom_instructions": sent.custom_instructions}
    )
    cleaned(form)
    return form.values() | {"questions": [_cleaned(place, each) for place, each in enumerate(sent.questions)]}


def _cleaned(place: int, sent: Question) -> questions.Question:
    fields = {each: getattr(sent, each) for each in PLAIN}
    right = tuple(number - 1 for number in sent.right)
    question = questions.tidied(
        questions.Question(kind=questions.Kind(sent.kind), options=tuple(sent.options), right=right, **fields)
    )
    errors = {re.sub(r"^option\d+$", "options", flaw.field): [flaw.sentence] for flaw in questions.flaws(question)}
    if sent.right and max(sent.right) > len(sent.options):
        errors["right"] = [_("There is no option “%(word)s”.") % {"word": max(sent.right)}]
    if errors:
        raise of_form_errors({f"questions[{place}].{field}": texts for field, texts in errors.items()})
    return question
