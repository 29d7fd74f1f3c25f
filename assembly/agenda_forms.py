"""What hosts type for one more item of an agenda. The first ones are typed one a line when an assembly is made."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from live.forms import times
from live.rules import Game
from pages.fields import LinesField
from questions.checking import flaws, tidied
from questions.question import MAX_OPTIONS, ON_AN_AGENDA, Kind, Question
from questions.rules import edition_of_question
from store.keys import fold

from . import words as assembly_words
from .majorities import SHARES, Majority, Of, majority_of

RELATIVE_MAJORITY = "most"  # in place of a share: whoever has most votes
WITH_OPTIONS = (Kind.CHOICE, Kind.RANKING, Kind.ALTERNATIVES)
WITH_MAJORITY = (Kind.MOTION, Kind.CHOICE, Kind.ALTERNATIVES)
UNSIGNED = (Kind.IDEAS,)  # of which nobody ever learns who wrote or ranked them
ONLY_A_CHOICE = gettext_lazy("Only a choice can be decided by most votes alone.")
TWO_VERSIONS = gettext_lazy("Type the motion and at least one amendment, one a line.")
TOO_MANY_VERSIONS = gettext_lazy("There are at most %(most)d versions beside “No change”; these are %(count)d.")
OPEN_OR_SECRET: list[tuple[str, str | Promise]] = [
    ("open", assembly_words.IS_OPEN),
    ("secret", assembly_words.IS_SECRET),
]


def no_change() -> str:
    """The last version of every motion with amendments, in the language of whoever adds it."""
    return _("No change")


class ItemForm(forms.Form):
    """One more item of an agenda."""

    kind = forms.ChoiceField(
        label=gettext_lazy("What it is"),
        choices=[(str(each), assembly_words.KINDS[each]) for each in ON_AN_AGENDA],
        initial=Kind.MOTION.value,
        help_text=gettext_lazy(
            "A motion is voted on by yes, no or abstaining; with amendments, all versions are ranked, “No change” too. "
            "Ideas are written by those who are there, put in order by you, and then ranked in secret."
        ),
    )
    title = forms.CharField(label=gettext_lazy("Title"), widget=forms.TextInput({"dir": "auto"}), max_length=1_000)
    detail = LinesField(
        label=gettext_lazy("More words about it"),
        required=False,
        max_length=10_000,
        rows=3,
    )
    options = LinesField(
        label=gettext_lazy("Options or versions"),
        required=False,
        max_length=10_000,
        rows=5,
        help_text=gettext_lazy(
            "One a line. Of a motion with amendments: first the motion as it stands, then each amended version; "
            "“No change” is added as the last by itself."
        ),
    )
    secrecy = forms.ChoiceField(
        label=gettext_lazy("How people vote"), choices=OPEN_OR_SECRET, initial="open", widget=forms.RadioSelect
    )
    share = forms.ChoiceField(
        label=gettext_lazy("Majority"),
        choices=[
            *((each, assembly_words.SHARES[each]) for each in SHARES),
            (RELATIVE_MAJORITY, gettext_lazy("most votes (a choice only)")),
        ],
        initial="1/2",
    )
    of = forms.ChoiceField(label=gettext_lazy("Of whom"), choices=list(assembly_words.OF.items()), initial="cast")
    seconds = forms.TypedChoiceField(label=gettext_lazy("Time to vote"), choices=times, coerce=int, initial=0)
    seen = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, *arguments: Any, game: Game, **options: Any):
        super().__init__(*arguments, **options)
        of = self.fields["of"]
        assert isinstance(of, forms.ChoiceField)
        known = [each for each in Of if each != Of.ENTITLED or game.entitled]
        of.choices = [(each.value, assembly_words.OF[each]) for each in known]

    @staticmethod
    def initial_of(question: Question) -> dict[str, Any]:
        """What the form shows of an item that is to be changed."""
        majority = majority_of(question.majority)
        by_most = question.kind == Kind.CHOICE and not question.majority
        options = question.options[:-1] if question.kind == Kind.ALTERNATIVES else question.options
        return {
            "kind": str(question.kind),
            "title": question.title,
            "detail": question.detail,
            "options": "\n".join(options),
            "secrecy": "secret" if question.secret else "open",
            "share": RELATIVE_MAJORITY if by_most else majority.share,
            "of": majority.of.value,
            "seconds": question.seconds,
            "seen": edition_of_question(question),
        }

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors:
            self._check(self.question())
        return cleaned

    def question(self) -> Question:
        return tidied(self._typed(self.cleaned_data))

    def _typed(self, typed: dict[str, Any]) -> Question:
        kind = Kind(typed["kind"])
        majority = "" if typed["share"] == RELATIVE_MAJORITY else str(Majority(typed["share"], Of(typed["of"])))
        return Question(
            title=typed["title"],
            kind=kind,
            detail=typed["detail"],
            options=_options(typed["options"], kind),
            seconds=0 if kind == Kind.TOPIC else typed["seconds"],
            secret=kind in UNSIGNED or (typed["secrecy"] == "secret" and kind != Kind.TOPIC),
            majority=majority if kind in WITH_MAJORITY else "",
        )

    def _check(self, question: Question) -> None:
        """What is wrong stands at its field; everything that was typed stays."""
        if (
            self.cleaned_data["share"] == RELATIVE_MAJORITY
            and question.kind in WITH_MAJORITY
            and question.kind != Kind.CHOICE
        ):
            self.add_error("share", ONLY_A_CHOICE)
        versions = len(question.options) - 1
        if question.kind == Kind.ALTERNATIVES and not 2 <= versions < MAX_OPTIONS:
            words = {"most": MAX_OPTIONS - 1, "count": versions}
            self.add_error("options", TWO_VERSIONS if versions < 2 else TOO_MANY_VERSIONS % words)
            return
        for flaw in flaws(question):
            self.add_error("options" if flaw.field.startswith("option") else flaw.field, flaw.sentence)


def _options(typed: str, kind: Kind) -> tuple[str, ...]:
    """One a line, without empty ones. That nothing changes is the last of all versions, whoever left it out."""
    lines = [line.strip() for line in typed.splitlines() if line.strip()] if kind in WITH_OPTIONS else []
    if kind != Kind.ALTERNATIVES:
        return tuple(lines)
    return (*(line for line in lines if fold(line) != fold(no_change())), no_change())


def with_amendments(motion: Question) -> dict[str, Any]:
    """What the form shows to whoever adds a motion that is there, with amendments."""
    majority = majority_of(motion.majority)
    return {
        "kind": Kind.ALTERNATIVES.value,
        "title": motion.title,
        "detail": motion.detail,
        "options": f"{motion.title}\n",
        "secrecy": "secret" if motion.secret else "open",
        "share": majority.share,
        "of": majority.of.value,
        "seconds": motion.seconds,
    }
