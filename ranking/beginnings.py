"""How somebody finds their own vote in a list without telling whose it is: by the first characters of its code."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from .codes import SYMBOLS, as_meant

MOST_LETTERS = 4  # of a code that a list is searched by


class BeginningForm(forms.Form):
    code = forms.CharField(
        help_text=gettext_lazy("The first one to four characters. The rest stays with you."),
        required=False,
        max_length=200,
        widget=forms.TextInput({"maxlength": MOST_LETTERS, "autocomplete": "off", "autocapitalize": "characters"}),
    )

    def __init__(self, *arguments: Any, label: str | Promise, **options: Any):
        super().__init__(*arguments, **options)
        self.fields["code"].label = label

    def clean_code(self) -> str:
        code = as_meant(self.cleaned_data["code"])
        if len(code) > MOST_LETTERS:
            raise forms.ValidationError(
                _("Only the first four characters, please: nobody but you needs to know the rest.")
            )
        if set(code) - set(SYMBOLS):
            raise forms.ValidationError(_("A code consists of digits and capital letters."))
        return code
