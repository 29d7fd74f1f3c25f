"""Forms of polling stations."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from foundation.pages.names import MAX_NAME_CHARS

from .rules import MAX_STATION_NAME_CHARS


class StationForm(forms.Form):
    name = forms.CharField(
        label=_("Name of the booth"),
        max_length=MAX_STATION_NAME_CHARS,
        widget=forms.TextInput({"dir": "auto"}),
        help_text=_("Voters see it at the top of the screen, such as “Booth 1”."),
    )


class PairForm(forms.Form):
    code = forms.CharField(
        label=_("Code of the booth"),
        max_length=40,
        widget=forms.TextInput({"autocomplete": "off", "autocapitalize": "characters", "dir": "ltr"}),
        help_text=_("The desk of the polling station shows it: three groups of four."),
    )


class LeaveForm(PairForm):
    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        self.fields["code"].help_text = _("The one with which this browser became a booth: three groups of four.")


class LetterForm(forms.Form):
    code = forms.CharField(
        label=_("Code on their letter"),
        max_length=40,
        widget=forms.TextInput({"autocomplete": "off", "autocapitalize": "characters", "dir": "ltr"}),
    )


class VoterSearchForm(forms.Form):
    q = forms.CharField(
        label=_("Name, address or member number"),
        required=False,
        max_length=MAX_NAME_CHARS,
        widget=forms.TextInput({"dir": "auto", "autocomplete": "off", "spellcheck": "false", "data-takes-focus": True}),
    )
