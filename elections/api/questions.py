"""Questions of an election: ask another, read, change, remove. Their order is a setting of the election."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.core.exceptions import ValidationError
from msgspec import UNSET, UnsetType

from accounts.api.calls import NO_EFFECT, Call
from accounts.api.operations import Area, Name, given, operation
from accounts.api.problems import of_form_errors
from elections import actions, repository, rules
from elections.drafts import services as drafts
from elections.rules import Action
from foundation.pages.names import clean_title

from .elections import (
    ElectionQuestion,
    ForGroups,
    NewQuestion,
    QuestionSettings,
    changed_settings,
    load,
    load_visible,
    organising,
    reading,
)

AREA = Area("questions", "Questions", "An election with several questions: one roll, one ballot, a result for each.")


class AnotherQuestion(NewQuestion):
    """What is asked besides, how it is voted on and counted, and for whom of those on the roll it is."""

    first_title: Name | UnsetType = UNSET
    for_groups: ForGroups | UnsetType = UNSET


class QuestionChanges(QuestionSettings):
    """What is left out stays as it is."""

    title: Name | UnsetType = UNSET
    for_groups: ForGroups | UnsetType = UNSET


@operation(
    "GET",
    "elections/<name:name>/questions/<int:question>",
    AREA,
    "Read a question",
    answers=ElectionQuestion,
    **reading,
)
def read(call: Call, name: str, question: int) -> ElectionQuestion:
    """All of them are listed with their election."""
    election = load_visible(call, name, question)
    return ElectionQuestion.of(election, len(repository.candidates(election.name, election.number)))


@operation(
    "POST", "elections/<name:name>/questions", AREA, "Ask another question", takes=AnotherQuestion,
    answers=ElectionQuestion, status=201, refusals=("not-now",), example={"title": "The budget", "kind": "yes-no"},
    **organising,
)  # fmt: skip
def add(call: Call, name: str) -> ElectionQuestion:
    """In a draft. The first question gets `first_title`, or the name of the election, once it is no longer alone."""
    election, sent = load(call, name, Action.SET_UP), given(call.body)
    titles = {each: _clean_title(each, sent.pop(each)) for each in ("title", "first_title") if each in sent}
    usual = rules.Question(rules.MAX_QUESTIONS + 1, titles["title"])
    settings = _settings(replace(election, more=(usual,)).at(usual.number), sent)
    asked = call.run(lambda: drafts.add_question(call.user, election, **titles, **settings))
    return call.made(read, name, asked.number if asked else call.first_event()["more"][-1]["number"])


def _clean_title(field: str, text: str) -> str:
    try:
        return clean_title(text)
    except ValidationError as error:
        raise of_form_errors({field: error.messages}) from None


def _settings(election: rules.Election, sent: dict[str, Any]) -> dict[str, Any]:
    changes = changed_settings(election, sent)
    return {each: value for each, value in changes.items() if each in rules.OF_QUESTION}


@operation(
    "PATCH", "elections/<name:name>/questions/<int:question>", AREA, "Change a question", takes=QuestionChanges,
    answers=ElectionQuestion, edits=read, refusals=("not-now",), example={"title": "The budget of 2028"}, **organising,
)  # fmt: skip
def change(call: Call, name: str, question: int) -> ElectionQuestion:
    """In a draft. A question has a title only where there are several."""
    election, sent = load(call, name, Action.SET_UP, question), given(call.body)
    title = {"title": _clean_title("title", sent.pop("title"))} if "title" in sent else {}
    if title and not election.more:
        raise of_form_errors({"title": [NO_EFFECT]})
    settings = _settings(election, sent) | title
    call.run(lambda: actions.change(call.user, election, Action.SET_UP, **settings))
    return read(call, name, question)


@operation(
    "DELETE", "elections/<name:name>/questions/<int:question>", AREA, "Remove a question", status=204, edits=read,
    refusals=("not-now",), **organising,
)  # fmt: skip
def remove(call: Call, name: str, question: int) -> None:
    """From a draft, with its candidates. The first one stays: everything else is stored with it."""
    election = load(call, name, Action.SET_UP, question)
    call.run(lambda: drafts.remove_question(call.user, election))
