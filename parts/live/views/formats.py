"""What a format adds to the pages where sessions are made, corrected and listed, and where people see to their seat."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from django.forms import Field
from django.http import HttpRequest, HttpResponse, QueryDict

from accounts.models import User
from parts.live.formats import ByType
from parts.live.players import Pass
from parts.live.rules import Game
from parts.questions.question import Question


class TypedForm(Protocol):
    """A form as a format sees it: what was typed, and what is wrong with it."""

    cleaned_data: dict[str, Any]

    @property
    def errors(self) -> Any: ...

    def add_error(self, field: str | None, error: Any) -> None: ...


class QuestionEditor(TypedForm, Protocol):
    """The form in which hosts edit a question."""

    def is_valid(self) -> bool: ...

    def question(self) -> Question: ...


class Pages:
    """Of an ordinary session. Another format overrides what is different."""

    fields: Mapping[str, Field] = {}  # additional fields of the form that creates a session
    seat_acts: Mapping[str, Callable[[HttpRequest, Game, Pass], HttpResponse]] = {}  # of the seat page, by button value

    def typed_questions(self, form: TypedForm) -> tuple[Question, ...] | None:
        """Questions typed into these fields; `None` to use the default fields."""
        return None

    def settings_from(self, typed: Mapping[str, Any]) -> dict[str, Any]:
        """Session settings typed into these fields."""
        return {}

    def question_form(self, game: Game, question: Question, typed: QueryDict | None) -> QuestionEditor | None:
        """The form to edit a question; `None` for the default one."""
        return None

    def reported(self, game: Game) -> dict[str, Any]:
        """What the report as JSON says of the session besides."""
        return {}

    def visitor_html(self, user: User) -> str:
        """HTML that the list of sessions adds for a signed-in user."""
        return ""


PAGES = ByType(Pages())
