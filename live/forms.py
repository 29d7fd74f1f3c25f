"""What makers of sessions type."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from pages.fields import LinesField, NameField, TitleField
from pages.names import clean_title
from pages.time_fields import ZoneField, zone_or_default
from questions import repository as sets
from questions.checking import flaws, tidied
from questions.question import MAX_OPTIONS, OF_SETS, Kind, Question, Type
from questions.rules import QuestionSet

from . import formats
from .formats import FORMATS
from .rules import MAX_CONTEXT_CHARS, MAX_SESSION_TITLE_CHARS, Names
from .words import STORIES, Story, type_words

RIGHT = "*"  # before an option: it is a right answer
ROBOTS = (0, 5, 20)
TIMES = (0, 10, 20, 30, 60, 120, 300)
DEFAULT_ANSWER_SECONDS = 30
NAMES: dict[Names, str | Promise] = {
    Names.TYPED: _("Everybody types a name of their own"),
    Names.GENERATED: _("Everybody is given a name, such as a colour and an animal"),
    Names.APPROVED: _("Everybody types one, and nobody sees it before you have agreed"),
}
NO_RIGHT = _("Put a * before each right answer: somebody has to be able to win.")
NO_OPTIONS = _("Leave the options empty: the room is to write them.")
NOT_BOTH = _("What the room writes itself cannot be asked twice.")
NO_QUESTION = _("Choose a question set, or type a question.")
GONE = _("This question set is no longer there for you. Choose another one, or type a question.")
NONE_SUIT = _("“%(name)s” has no questions for this type of session. Choose another set or another type.")


def times() -> list[tuple[int, Any]]:
    seconds = ngettext_lazy("%(count)d second", "%(count)d seconds", "count")
    return [(0, _("no clock, I close it myself")), *((each, seconds % {"count": each}) for each in TIMES if each)]


def rehearsals() -> list[tuple[int, Any]]:
    robots = ngettext_lazy("%(count)d robot", "%(count)d robots", "count")
    return [(0, _("no robots: people only")), *((each, robots % {"count": each}) for each in ROBOTS if each)]


@dataclass(frozen=True, slots=True)
class Card:
    """A type to choose."""

    type: Type
    words: str | Promise
    story: Story


@dataclass(frozen=True, slots=True)
class Offer:
    """A set to choose, and how many questions it has for each type."""

    set: QuestionSet
    suiting: tuple[tuple[Type, int], ...]


def cards() -> list[Card]:
    return [Card(each, type_words(each), story) for each, story in STORIES.items()]


class GameForm(forms.Form):
    """A new session: of a set, or of one question that is typed here."""

    engagement_type = forms.ChoiceField(
        label=_("What happens"), choices=[(str(each), type_words(each)) for each in STORIES], initial=Type.TRIVIA.value
    )
    question_set = forms.CharField(label=_("What is asked"), required=False, max_length=64)
    question = forms.CharField(
        label=_("Your question"), required=False, max_length=1_000, widget=forms.TextInput({"dir": "auto"})
    )
    options = LinesField(
        label=_("Options"),
        required=False,
        max_length=10_000,
        rows=5,
        help_text=_(
            "One a line, two to ten. Trivia: put a * before each right answer. Call and answer needs none: people "
            "write theirs."
        ),
    )
    ideas = forms.BooleanField(
        label=_("Poll: the room writes the options"),
        required=False,
        help_text=_(
            "Everybody writes ideas, you merge what means the same, then all rank them. Leave the options empty."
        ),
    )
    twice = forms.BooleanField(
        label=_("Poll: before and after"),
        required=False,
        help_text=_("It can be asked twice. The second time everybody sees who moved where, in numbers."),
    )
    seconds = forms.TypedChoiceField(
        label=_("Time to answer"), choices=times, coerce=int, initial=DEFAULT_ANSWER_SECONDS
    )
    title = forms.CharField(
        label=_("Title"),
        required=False,
        widget=forms.TextInput({"dir": "auto"}),
        help_text=_(
            "Everybody sees it above the questions. Left empty, it is the name of the set or your question; an "
            "assembly needs one."
        ),
    )
    names = forms.ChoiceField(
        label=_("Names"),
        choices=[(str(each), told) for each, told in NAMES.items()],
        initial=Names.TYPED.value,
        widget=forms.RadioSelect,
    )
    speed_bonus = forms.BooleanField(
        label=_("Trivia: up to 500 extra points for being quick"),
        required=False,
        help_text=_("Only for answers that are right in every part. It is shown apart from the other points."),
    )
    takes_questions = forms.BooleanField(
        label=_("People may send questions"),
        required=False,
        help_text=_("Beside everything else, and upvote those of others. You look at each before others see it."),
    )
    debug_mode = forms.TypedChoiceField(
        label=_("Rehearse with robots"),
        choices=rehearsals,
        coerce=int,
        initial=0,
        help_text=_("They join, answer and vote by themselves, so that you can try everything alone."),
    )
    context = LinesField(
        label=_("Your own notes"),
        required=False,
        max_length=MAX_CONTEXT_CHARS,
        rows=4,
        help_text=_("Only whoever runs the session sees them, on the remote."),
    )

    time_zone = ZoneField(required=False, help_text=_("In which the record shows when something was."))

    def __init__(self, *arguments: Any, offered: Sequence[QuestionSet], **options: Any):
        super().__init__(*arguments, **options)
        self.fields |= deepcopy({name: field for each in FORMATS.values() for name, field in each.fields.items()})
        self.offered = {each.id: each for each in offered}
        self.chosen: QuestionSet | None = None
        self.questions: tuple[Question, ...] = ()

    # --- what there is to choose from ---

    def cards(self) -> list[Card]:
        return cards()

    def parts(self) -> list[str]:
        """Templates of fields that formats add."""
        return [f"{each.folder}/parts/make.html" for each in FORMATS.values() if each.fields]

    def offers(self) -> list[Offer]:
        """Sets with at least one question for some type."""
        counted = ((each, tuple((type_, each.suits(type_)) for type_ in OF_SETS)) for each in self.offered.values())
        return [Offer(each, suiting) for each, suiting in counted if any(number for _type, number in suiting)]

    # --- what was chosen ---

    def clean_title(self) -> str:
        typed = str(self.cleaned_data["title"])
        return clean_title(typed) if typed.strip() else ""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if "engagement_type" in cleaned:
            type_ = Type(cleaned["engagement_type"])
            own = formats.of(type_).asked(self)
            self.questions = self._asked(type_) if own is None else own
        if len(cleaned.get("title", "")) > MAX_SESSION_TITLE_CHARS:
            words = {"most": MAX_SESSION_TITLE_CHARS, "count": len(cleaned["title"])}
            self.add_error("title", _("At most %(most)d characters; these are %(count)d.") % words)
        return cleaned

    def _asked(self, type_: Type) -> tuple[Question, ...]:
        if "question_set" not in self.cleaned_data:
            return ()
        return self._of_set(type_) if self.cleaned_data["question_set"] else self._typed(type_)

    def _of_set(self, type_: Type) -> tuple[Question, ...]:
        chosen = self.offered.get(self.cleaned_data["question_set"])
        found = sets.find(chosen.id) if chosen else None
        if found is None:
            self.add_error("question_set", GONE)
            return ()
        self.chosen, questions = found
        if not any(each.suits(type_) for each in questions):
            self.add_error("question_set", NONE_SUIT % {"name": self.chosen.name})
        return questions

    def _typed(self, type_: Type) -> tuple[Question, ...]:
        typed = self.cleaned_data
        if not typed.get("question", "").strip():
            if "question" not in self.errors:
                self.add_error("question", NO_QUESTION)
            return ()
        question = quick_question(
            type_, typed["question"], typed.get("options", ""), typed.get("seconds", DEFAULT_ANSWER_SECONDS)
        )
        if type_ == Type.POLL:
            question = self._of_poll(question)
        for flaw in flaws(question):
            self.add_error("question" if flaw.field == "title" else "options", flaw.sentence)
        if type_ == Type.TRIVIA and not question.right and "options" not in self.errors:
            self.add_error("options", NO_RIGHT)
        return (question,)

    def _of_poll(self, question: Question) -> Question:
        """Of which the room may write the options, or which may be asked twice."""
        typed = self.cleaned_data
        if not typed.get("ideas"):
            return replace(question, twice=bool(typed.get("twice")))
        if question.options:
            self.add_error("options", NO_OPTIONS)
        if typed.get("twice"):
            self.add_error("twice", NOT_BOTH)
        return replace(question, kind=Kind.IDEAS, options=())

    def values(self) -> dict[str, Any]:
        """As making a session takes them, besides its type and questions."""
        typed, chosen = self.cleaned_data, self.chosen
        is_trivia = typed["engagement_type"] == Type.TRIVIA
        return {
            "title": typed["title"] or (chosen.name if chosen else self.questions[0].title)[:MAX_SESSION_TITLE_CHARS],
            "names": Names(typed["names"]),
            "speed_bonus": typed["speed_bonus"] and is_trivia,
            "debug_mode": typed["debug_mode"],
            "context": typed["context"],
            "time_zone": zone_or_default(typed["time_zone"]),
            **of_set(chosen),
            **formats.of(Type(typed["engagement_type"])).chosen(typed),
        }


def of_set(chosen: QuestionSet | None) -> dict[str, Any]:
    """What a session keeps of the set that it was made from."""
    if chosen is None:
        return {}
    return {
        "question_set_id": chosen.id,
        "set_version": chosen.version,
        "custom_instructions": chosen.custom_instructions,
    }


def quick_question(type_: Type, title: str, typed: str, seconds: int) -> Question:
    """One a line, without empty ones; what is one too many stays, so that it can be named."""
    lines = [line.strip() for line in typed.splitlines() if line.strip()][: MAX_OPTIONS + 1]
    if type_ == Type.CALL_AND_ANSWER or (type_ == Type.SURVEY and not lines):
        return tidied(Question(title, Kind.TEXT, seconds=seconds))
    if type_ == Type.POLL:
        return tidied(Question(title, Kind.RANKING, options=tuple(lines), seconds=seconds))
    right = tuple(number for number, line in enumerate(lines) if line.startswith(RIGHT) and type_ == Type.TRIVIA)
    texts = tuple(line.removeprefix(RIGHT).strip() if number in right else line for number, line in enumerate(lines))
    return tidied(Question(title, Kind.CHOICE, options=texts, right=right, seconds=seconds))


class TitleForm(forms.Form):
    """Another title of a session."""

    title = TitleField(label=_("Title"), help_text=_("Everybody sees it, and the history and the minutes keep it."))

    def clean_title(self) -> str:
        typed = str(self.cleaned_data["title"])
        if len(typed) > MAX_SESSION_TITLE_CHARS:
            words = {"most": MAX_SESSION_TITLE_CHARS, "count": len(typed)}
            raise forms.ValidationError(_("At most %(most)d characters; these are %(count)d.") % words)
        return typed


class HostForm(forms.Form):
    """Somebody who is to run the session, too."""

    name = NameField(label=_("User name"))
