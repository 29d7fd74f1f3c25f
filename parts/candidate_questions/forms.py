"""Who may ask candidates questions, and what happens to a question first."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from elections.rules import Election

from .rules import ASKERS

NOBODY = "nobody"  # in the form, where a choice needs a value


class QuestionSettingsForm(forms.Form):
    questions_from = forms.TypedChoiceField(
        label=_("Who may ask candidates questions?"),
        choices=[(each or NOBODY, label) for each, label in ASKERS.items()],
        coerce=lambda chosen: "" if chosen == NOBODY else chosen,
        widget=forms.RadioSelect,
        help_text=_("From the opening until voting ends, even before voting begins."),
    )
    questions_open = forms.TypedChoiceField(
        label=_("Who sees a question first?"),
        choices=[("no", _("the organisers, who approve it")), ("yes", _("everybody, at once"))],
        coerce=lambda chosen: chosen == "yes",
        widget=forms.RadioSelect,
    )
    questions_named = forms.BooleanField(
        label=_("Show the names of people who ask"),
        required=False,
        help_text=_("People are told before they ask. Voters without an account never have a name shown."),
    )

    @staticmethod
    def initial_of(election: Election) -> dict[str, object]:
        shown, named = "yes" if election.questions_open else "no", election.questions_named
        return {"questions_from": election.questions_from or NOBODY, "questions_open": shown, "questions_named": named}
