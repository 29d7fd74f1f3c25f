"""Forms for letters: how many to print, whose to reissue."""

from __future__ import annotations

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from pages import lists
from pages.names import clean_title

from .services import MAX_PRINTED

MAX_SENDER_CHARS = 100
SIZES = (50, 100, 250, MAX_PRINTED)


class PrintForm(forms.Form):
    """The next batch."""

    batch = forms.IntegerField(widget=forms.HiddenInput, min_value=1, max_value=99_999)
    most = forms.TypedChoiceField(
        label=_("Letters on one page to print, at most"),
        choices=[(size, str(size)) for size in SIZES],
        coerce=int,
        initial=100,
    )
    sender = forms.CharField(
        label=_("Sender, on the line above the address"),
        required=False,
        max_length=MAX_SENDER_CHARS,
        widget=forms.TextInput(attrs={"dir": "auto"}),
        help_text=_("For example: Swimming Club · Main Street 1 · 52062 Aachen. Without it, the name of this site."),
    )

    def clean_sender(self) -> str:
        typed = self.cleaned_data["sender"]
        return clean_title(typed) if typed.strip() else ""


class ReissueForm(forms.Form):
    number = forms.CharField(
        label=_("Member number"), max_length=lists.MAX_NUMBER_CHARS + 1, widget=forms.TextInput(attrs={"dir": "auto"})
    )

    def clean_number(self) -> str:
        try:
            return lists.clean_number(self.cleaned_data["number"])
        except ValidationError:
            return ""
