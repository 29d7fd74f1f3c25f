"""The form for letters: how, and how many."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from foundation.pages.names import clean_title

from .services import FILE, MAX_PRINTED, PAGE

MAX_SENDER_CHARS = 100
HOW = {
    PAGE: _("here: a page with one sheet for each letter"),
    FILE: _("at a print shop: a CSV file with all waiting letters"),
}
SIZES = (50, 100, 250, MAX_PRINTED)


class PrintForm(forms.Form):
    """The next batch."""

    batch = forms.IntegerField(widget=forms.HiddenInput, min_value=1, max_value=99_999)
    how = forms.ChoiceField(label=_("Print them"), choices=list(HOW.items()), initial=PAGE, widget=forms.RadioSelect)
    most = forms.TypedChoiceField(
        label=_("Letters to print here, at most"),
        choices=[(size, str(size)) for size in SIZES],
        coerce=int,
        initial=100,
    )
    sender = forms.CharField(
        label=_("Sender, on the line above the address"),
        required=False,
        max_length=MAX_SENDER_CHARS,
        widget=forms.TextInput(attrs={"dir": "auto"}),
        help_text=_("For example: Swimming Club · Main Street 1 · 52062 Aachen. If empty, the name of this site."),
    )

    def clean_sender(self) -> str:
        typed = self.cleaned_data["sender"]
        return clean_title(typed) if typed.strip() else ""
