"""Who may ask candidates questions, and what happens to a question first."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from elections.rules import ASKERS, Election


class QuestionSettingsForm(forms.Form):
    questions_from = forms.ChoiceField(
        label=_("Who may ask candidates questions?"),
        choices=list(ASKERS.items()),
        required=False,
        widget=forms.RadioSelect,
        help_text=_("From the opening until voting ends, also before voting begins."),
    )
    questions_open = forms.TypedChoiceField(
        label=_("Who sees a question first?"),
        choices=[("", _("the organisers, who approve it")), ("yes", _("everybody, at once"))],
        coerce=bool,
        empty_value=False,
        required=False,
        widget=forms.RadioSelect,
    )
    questions_named = forms.BooleanField(
        label=_("Show the names of people who ask"),
        required=False,
        help_text=_("People are told before they ask. Voters without an account remain without a name."),
    )

    @staticmethod
    def initial_of(election: Election) -> dict[str, object]:
        shown = "yes" if election.questions_open else ""
        named = election.questions_named
        return {"questions_from": election.questions_from, "questions_open": shown, "questions_named": named}
