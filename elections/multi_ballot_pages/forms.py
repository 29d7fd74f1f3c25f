"""Forms for multi-question ballots."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from elections.multi_ballots.rules import MAX_QUESTIONS
from elections.rules import MAX_SEATS, METHODS, UNRANKED, Election, check_settings
from pages import lists
from pages.fields import LinesField, TitleField, read_names


class QuestionsForm(forms.Form):
    questions = LinesField(
        label=_("Questions, one per line"),
        max_length=200 * MAX_QUESTIONS * 2,
        rows=5,
        help_text=_(
            "For example: Chair, Treasurer, Colour of the door. To include a draft of yours, enter its name. "
            "Up to 20 questions, with 1,000 candidates in total."
        ),
    )

    def clean_questions(self) -> list[str]:
        return read_names(lists.read_candidates, self.cleaned_data["questions"])


class MoreQuestionsForm(QuestionsForm):
    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        self.fields["questions"].label = _("Add questions, one per line")
        self.fields["questions"].widget.attrs["rows"] = 3


class MultiBallotForm(QuestionsForm):
    """A new ballot with several questions."""

    name = TitleField(label=_("Name of the ballot"), help_text=_("Voters see it: “Annual meeting 2027”, for example."))
    field_order = ("name",)


class MultiBallotNameForm(forms.Form):
    name = TitleField(label=_("Name of the ballot"))


class QuestionForm(forms.Form):
    """What each question has for itself."""

    method = forms.ChoiceField(label=_("Method"), choices=list(METHODS.items()))
    seats = forms.IntegerField(label=_("Seats"), min_value=1, max_value=MAX_SEATS)
    unranked = forms.ChoiceField(label=_("A candidate left out of a ranking counts as"), choices=list(UNRANKED.items()))

    @staticmethod
    def initial_of(election: Election) -> dict[str, Any]:
        return {name: getattr(election, name) for name in QuestionForm.base_fields}

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors:
            check_settings(cleaned["method"], cleaned["seats"], secret_ballot=False, results_visible="closed")
        return cleaned
