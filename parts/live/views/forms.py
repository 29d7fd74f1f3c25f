"""Forms for creating a session, editing its questions and hosts, and the settings of the Q&A."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from django import forms
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from foundation.acts import features
from foundation.pages.fields import LinesField, NameField, TitleField, ZoneField, zone_or_default
from foundation.pages.names import clean_title
from foundation.pages.times import local_time
from foundation.parts import part_of
from foundation.qa.rules import Mode, folded
from parts.live.formats import FORMATS, is_there
from parts.live.moderation import MAX_BLOCKED_WORD_CHARS, MAX_BLOCKED_WORDS, QaSettings
from parts.live.play import Play, Text, TypedQuestion, play_for_type, play_named, registered_plays, suits
from parts.live.rules import MAX_CONTEXT_CHARS, MAX_SESSION_TITLE_CHARS, Game, Names
from parts.live.steps import type_label
from parts.questions import repository as sets
from parts.questions.forms import QuestionForm
from parts.questions.question import MAX_OPTIONS, MAX_QUESTIONS, Question, Type, flaws, tidied
from parts.questions.rules import QuestionSet

from .formats import PAGES, Pages

ROBOTS = (0, 5, 20)
TIMES = (0, 10, 20, 30, 60, 120, 300)
DEFAULT_ANSWER_SECONDS = 30
NAMES: dict[Names, str | Promise] = {
    Names.TYPED: _("Everybody chooses their own name"),
    Names.GENERATED: _("Everybody gets a random name: a colour and an animal"),
    Names.APPROVED: _("Everybody chooses their own name, and you approve it first"),
}
NO_QUESTION = _("Choose a question set, or type a question.")
GONE = _("This question set is no longer available. Choose another one, or type a question.")
TOO_MANY_QUESTIONS = _("A session can have at most %(most)d questions; these are %(count)d.")
NOT_PLAYED_SO = _("This activity cannot ask this kind of question. Choose another activity, or another kind of answer.")
NONE_SUIT = _("“%(name)s” has no questions for this type of session. Choose another set or another type.")


def times() -> list[tuple[int, Any]]:
    seconds = ngettext_lazy("%(count)d second", "%(count)d seconds", "count")
    return [(0, _("no time limit: I close it myself")), *((each, seconds % {"count": each}) for each in TIMES if each)]


def rehearsals() -> list[tuple[int, Any]]:
    robots = ngettext_lazy("%(count)d robot", "%(count)d robots", "count")
    return [(0, _("no robots: people only")), *((each, robots % {"count": each}) for each in ROBOTS if each)]


@dataclass(frozen=True, slots=True)
class SetOffer:
    """A question set to choose from, with its number of questions for each play."""

    set: QuestionSet
    suiting: tuple[tuple[str, int], ...]


def session_types() -> list[Play]:
    """The plays that are session types of their own."""
    return [each for each in registered_plays() if each.description and features.is_on(part_of(type(each).__module__))]


def _own_pages() -> dict[str, Pages]:
    return {type_: own for type_, own in PAGES.items() if is_there(type_)}


def type_choices() -> list[tuple[str, Text]]:
    return [(each.name, each.label) for each in session_types()]


class GameForm(forms.Form):
    """Creates a session from a set, or from one question typed here."""

    engagement_type = forms.ChoiceField(label=_("What happens"), choices=type_choices, initial=Type.TRIVIA.value)
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
            "Two to ten, one per line. Trivia: put a * in front of each right answer. Best answer "
            "needs none: people write their own."
        ),
    )
    also = forms.MultipleChoiceField(
        label=_("Also ask questions from these sets"),
        required=False,
        choices=(),
        help_text=_("They follow the questions above, played as stated here. You can change the order later."),
    )
    ideas = forms.BooleanField(
        label=_("Poll: the room writes the options"),
        required=False,
        help_text=_("People write ideas, you merge similar ones, then everybody ranks them. Leave the options empty."),
    )
    twice = forms.BooleanField(
        label=_("Poll: before and after"),
        required=False,
        help_text=_("Ask it twice. The second time everybody sees how many changed their minds, and to what."),
    )
    seconds = forms.TypedChoiceField(
        label=_("Time to answer"), choices=times, coerce=int, initial=DEFAULT_ANSWER_SECONDS
    )
    title = forms.CharField(
        label=_("Title"),
        required=False,
        widget=forms.TextInput({"dir": "auto"}),
        help_text=_(
            "Shown above the questions and in the lobby. If empty, the name of the set is used, or what happens and "
            "today's date."
        ),
    )
    names = forms.ChoiceField(
        label=_("Names"),
        choices=[(str(each), label) for each, label in NAMES.items()],
        initial=Names.TYPED.value,
        widget=forms.RadioSelect,
    )
    speed_bonus = forms.BooleanField(
        label=_("Trivia: up to 500 extra points for being quick"),
        required=False,
        initial=True,
        help_text=_("Only for fully correct answers. Shown separately from the other points."),
    )
    takes_questions = forms.BooleanField(
        label=_("People may send questions"),
        required=False,
        help_text=_("At any time, and upvote those of others. You review each question before others see it."),
    )
    debug_mode = forms.TypedChoiceField(
        label=_("Rehearse with robots"),
        choices=rehearsals,
        coerce=int,
        initial=0,
        help_text=_("They join, answer and vote by themselves, so you can try everything on your own."),
    )
    context = LinesField(
        label=_("Your own notes"),
        required=False,
        max_length=MAX_CONTEXT_CHARS,
        rows=4,
        help_text=_("Only hosts see them, on the remote."),
    )

    time_zone = ZoneField(required=False, help_text=_("Times in the record are shown in this time zone."))

    def __init__(self, *arguments: Any, offered: Sequence[QuestionSet], **options: Any):
        super().__init__(*arguments, **options)
        self.fields |= deepcopy({name: field for each in _own_pages().values() for name, field in each.fields.items()})
        self.offered = {each.id: each for each in offered}
        self.chosen: QuestionSet | None = None
        self.questions: tuple[Question, ...] = ()
        also = self.fields["also"]
        assert isinstance(also, forms.MultipleChoiceField)
        also.choices = [
            (f"{name}:{offer.set.id}", f"{play_named(name).label}: {offer.set.name} ({count})")
            for offer in self.offers()
            for name, count in offer.suiting
            if count
        ]

    # --- choices ---

    types = staticmethod(session_types)

    def parts(self) -> list[str]:
        """Templates of the fields that formats add."""
        return [FORMATS.of_type(type_).template("make") for type_, own in _own_pages().items() if own.fields]

    def offers(self) -> list[SetOffer]:
        """Sets with at least one question that suits some type."""
        types = session_types()
        counted = (
            SetOffer(each, tuple((play.name, play.count_suiting(each)) for play in types))
            for each in self.offered.values()
        )
        return [offer for offer in counted if any(number for _type, number in offer.suiting)]

    # --- input ---

    def clean_title(self) -> str:
        typed = str(self.cleaned_data["title"])
        return clean_title(typed) if typed.strip() else ""

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if "engagement_type" in cleaned:
            type_ = cleaned["engagement_type"]
            own = PAGES.of_type(type_).typed_questions(self)
            self.questions = self._asked(type_) if own is None else own
        if len(cleaned.get("title", "")) > MAX_SESSION_TITLE_CHARS:
            words = {"most": MAX_SESSION_TITLE_CHARS, "count": len(cleaned["title"])}
            self.add_error("title", _("At most %(most)d characters; these are %(count)d.") % words)
        return cleaned

    def _asked(self, type_: str) -> tuple[Question, ...]:
        """The questions chosen or typed, followed by those of additional sets, with the play chosen for each set."""
        cleaned = self.cleaned_data
        if "question_set" not in cleaned:
            return ()
        also: list[Question] = []
        for name, _colon, set_id in (each.partition(":") for each in cleaned.get("also", ())):
            found = self._found("also", set_id)
            for question in found[1] if found else ():
                if (play := play_for_type(name, question)) is not None:
                    is_usual = play_for_type(type_, question) is play
                    also.append(question if is_usual else replace(question, play=play.name))
        if cleaned["question_set"]:
            first = self._of_set(type_)
        else:
            first = self._typed(type_) if cleaned.get("question", "").strip() or not also else ()
        if len(first) + len(also) > MAX_QUESTIONS:
            self.add_error("also", TOO_MANY_QUESTIONS % {"most": MAX_QUESTIONS, "count": len(first) + len(also)})
        return (*first, *also)

    def _of_set(self, type_: str) -> tuple[Question, ...]:
        found = self._found("question_set", self.cleaned_data["question_set"])
        if found is None:
            return ()
        self.chosen, questions = found
        suitable = tuple(each for each in questions if suits(type_, each))
        if not suitable:
            self.add_error("question_set", NONE_SUIT % {"name": self.chosen.name})
        return suitable

    def _found(self, field: str, set_id: str) -> tuple[QuestionSet, tuple[Question, ...]] | None:
        found = sets.find(set_id) if set_id in self.offered else None
        if found is None:
            self.add_error(field, GONE)
        return found

    def _typed(self, type_: str) -> tuple[Question, ...]:
        typed = self.cleaned_data
        if not typed.get("question", "").strip():
            if "question" not in self.errors:
                self.add_error("question", NO_QUESTION)
            return ()
        play = play_named(type_)
        lines = tuple(line.strip() for line in typed.get("options", "").splitlines() if line.strip())
        quick = TypedQuestion(
            typed["question"],
            lines[: MAX_OPTIONS + 1],  # keeps one too many, so that the error can name it
            typed.get("seconds", DEFAULT_ANSWER_SECONDS),
            bool(typed.get("ideas")),
            bool(typed.get("twice")),
        )
        question = tidied(play.typed_question(quick))
        for flaw in flaws(question):
            self.add_error("question" if flaw.field == "title" else "options", flaw.sentence)
        for field, sentence in play.flaws(question, quick):
            if field not in self.errors:
                self.add_error(field, str(sentence))
        return (question,)

    def values(self) -> dict[str, Any]:
        """Arguments for creating the session, besides its type and questions."""
        typed, chosen = self.cleaned_data, self.chosen
        return {
            "title": typed["title"] or (chosen.name[:MAX_SESSION_TITLE_CHARS] if chosen else self._usual_title()),
            "names": Names(typed["names"]),
            "speed_bonus": typed["speed_bonus"] and self._has_bonus(typed["engagement_type"]),
            "debug_mode": typed["debug_mode"],
            "context": typed["context"],
            "time_zone": zone_or_default(typed["time_zone"]),
            **set_reference(chosen),
            **PAGES.of_type(typed["engagement_type"]).settings_from(typed),
        }

    def _usual_title(self) -> str:
        """Not the question, which would be read in the lobby, before it is asked."""
        typed = self.cleaned_data
        today = local_time(datetime.now(UTC), zone_or_default(typed["time_zone"]))
        return f"{type_label(typed['engagement_type'])}, {date_format(today)}"

    def _has_bonus(self, type_: str) -> bool:
        found = (play_for_type(each.play or type_, each) for each in self.questions)
        return any(each.has_bonus for each in found if each)


def set_reference(chosen: QuestionSet | None) -> dict[str, Any]:
    """What a session stores about the set it was created from."""
    if chosen is None:
        return {}
    return {
        "question_set_id": chosen.id,
        "set_version": chosen.version,
        "custom_instructions": chosen.custom_instructions,
    }


class TitleForm(forms.Form):
    """Changes the title of a session."""

    title = TitleField(label=_("Title"), help_text=_("Everybody sees it, also later in the history."))

    def clean_title(self) -> str:
        typed = str(self.cleaned_data["title"])
        if len(typed) > MAX_SESSION_TITLE_CHARS:
            words = {"most": MAX_SESSION_TITLE_CHARS, "count": len(typed)}
            raise forms.ValidationError(_("At most %(most)d characters; these are %(count)d.") % words)
        return typed


class HostForm(forms.Form):
    """Adds a host to the session."""

    name = NameField(label=_("User name"))


class SessionQuestionForm(QuestionForm):
    """Edits a question of one session, without the fields that only sets have."""

    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        for name in ("category", "school"):
            self.fields[name].widget = self.fields[name].hidden_widget()


class AddedQuestionForm(SessionQuestionForm):
    """Adds a question, with its play."""

    play = forms.ChoiceField(label=_("What happens"), choices=type_choices)

    def __init__(self, *arguments: Any, game: Game, **options: Any):
        super().__init__(*arguments, initial={"play": game.engagement_type}, **options)
        self.game = game

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if "play" in cleaned and "question" in cleaned and not self.errors:
            question = cleaned["question"]
            play, usual = play_for_type(cleaned["play"], question), play_for_type(self.game.engagement_type, question)
            if play is None:
                self.add_error("play", NOT_PLAYED_SO)
            elif play is not usual:
                cleaned["question"] = replace(question, play=play.name)
        return cleaned


# --- Q&A ---

MODES: dict[Mode, str | Promise] = {
    Mode.APPROVED: _("You review every question before others see it"),
    Mode.WORDS: _("Everybody sees questions at once, unless they contain a word on your list"),
    Mode.OPEN: _("Everybody sees questions at once"),
}
TEXT_MODES: dict[Mode, str | Promise] = {
    Mode.APPROVED: _("You review everything before others see it"),
    Mode.WORDS: _("Everybody sees it at once, unless it contains a word on your list"),
    Mode.OPEN: _("Everybody sees it at once"),
}
TOO_MANY = _("At most %(most)d lines; you have %(count)d.")
TOO_LONG = _("At most %(most)d characters per line: “%(word)s”.")
NO_WORD = _("This line contains no word: “%(word)s”.")


class QaForm(forms.Form):
    """Settings of the Q&A."""

    mode = forms.ChoiceField(
        label=_("Who sees a question"),
        choices=[(str(each), label) for each, label in MODES.items()],
        widget=forms.RadioSelect,
    )
    texts = forms.ChoiceField(
        label=_("Who sees what is written in rounds"),
        required=False,
        choices=[(str(each), label) for each, label in TEXT_MODES.items()],
        widget=forms.RadioSelect,
        help_text=_("Answers the room votes on, survey texts, and ideas."),
    )
    words = LinesField(
        label=_("Your list of blocked words"),
        required=False,
        max_length=MAX_BLOCKED_WORDS * (MAX_BLOCKED_WORD_CHARS + 2),
        rows=4,
        attributes={"spellcheck": "false"},
        help_text=_(
            "One per line. Texts that contain one of them wait for your approval; capitals "
            "and accents make no difference."
        ),
    )
    named = forms.BooleanField(
        label=_("Everybody sees who asks"),
        required=False,
        help_text=_("Otherwise questions are anonymous, even to you. Questions sent anonymously stay anonymous."),
    )

    def clean_words(self) -> tuple[str, ...]:
        """One word per line, without duplicates."""
        typed = [line.strip() for line in str(self.cleaned_data["words"]).splitlines() if line.strip()]
        if len(typed) > MAX_BLOCKED_WORDS:
            raise forms.ValidationError(TOO_MANY % {"most": MAX_BLOCKED_WORDS, "count": len(typed)})
        for word in typed:
            if len(word) > MAX_BLOCKED_WORD_CHARS:
                raise forms.ValidationError(
                    TOO_LONG % {"most": MAX_BLOCKED_WORD_CHARS, "word": word[:MAX_BLOCKED_WORD_CHARS]}
                )
            if not folded(word):
                raise forms.ValidationError(NO_WORD % {"word": word})
        return tuple(dict.fromkeys(typed))

    def chosen(self) -> dict[str, Any]:
        """Arguments of `services.set_up`."""
        typed = self.cleaned_data
        texts = {"texts": Mode(typed["texts"])} if typed["texts"] else {}
        return {"mode": Mode(typed["mode"]), "words": typed["words"], "named": typed["named"], **texts}

    @staticmethod
    def initial_of(qa: QaSettings) -> dict[str, Any]:
        return {"mode": str(qa.mode), "texts": str(qa.texts), "words": "\n".join(qa.words), "named": qa.named}
