"""Forms for joining a session and for finding a player."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from parts.live import names
from parts.polls.services import normalised_code

NOT_A_CODE = re.compile(r"[^0-9A-Za-z]")
MAX_CODE_CHARS = 20


class CodeForm(forms.Form):
    """The code shown or read out by the host; a poll's code has letters, and is accepted as well."""

    code = forms.CharField(
        label=_("Code"),
        max_length=MAX_CODE_CHARS,
        error_messages={"required": _("Enter the code from the big screen.")},
        widget=forms.TextInput({"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false"}),
    )

    def __init__(self, *arguments: Any, letters: bool = False):
        super().__init__(*arguments)
        self.fields["code"].widget.attrs["inputmode"] = "text" if letters else "numeric"

    def clean_code(self) -> str:
        digits = re.sub(r"\d", lambda found: str(int(found[0])), self.cleaned_data["code"])  # digits of any script
        code = normalised_code(NOT_A_CODE.sub("", digits))
        if not code:
            raise forms.ValidationError(self.fields["code"].error_messages["required"])
        return code


def with_focus(form: forms.Form) -> forms.Form:
    """Focuses the form's only field if it has an error, so that screen readers announce it."""
    for field in form.fields.values() if form.errors else ():
        field.widget.attrs["autofocus"] = True
    return form


class PlayerNameField(forms.CharField):
    """A player's name, cleaned as it will be stored."""

    def __init__(self) -> None:
        widget = forms.TextInput({"autocomplete": "nickname", "spellcheck": "false", "dir": "auto"})
        asks = {"required": _("Enter a name.")}
        super().__init__(label=_("Your name"), max_length=names.MAX_CODE_POINTS, widget=widget, error_messages=asks)

    def clean(self, value: Any) -> str:
        return names.clean(super().clean(value))


class PlayerNameForm(forms.Form):
    name = PlayerNameField()


class FindPlayerForm(forms.Form):
    q = forms.CharField(label=_("Name"), required=False, max_length=names.MAX_CODE_POINTS)
