"""Forms for the second step of signing in."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.forms import OwnPasswordForm


def code_field(label: Any, help_text: Any = "") -> forms.CharField:
    """Text, not a number: codes start with zeros. `one-time-code` lets a phone fill it in."""
    attributes = {"autocomplete": "one-time-code", "autocapitalize": "none", "spellcheck": "false", "dir": "ltr"}
    return forms.CharField(label=label, max_length=40, widget=forms.TextInput(attributes), help_text=help_text)


class AppForm(OwnPasswordForm):
    field_order = ("code", "present")
    code = code_field(_("Code from the app"), _("Six digits."))


class PasskeyForm(OwnPasswordForm):
    field_order = ("name", "present")
    name = forms.CharField(
        label=_("Name of the passkey"),
        max_length=100,
        widget=forms.TextInput({"autocomplete": "off", "dir": "auto"}),
        help_text=_("So you can recognise it later."),
    )


class CodeForm(forms.Form):
    """The second step by typing."""

    code = code_field(_("Code"), _("Six digits from your app, or one of your recovery codes."))

    def __init__(self, *arguments: Any, has_app: bool, **options: Any):
        super().__init__(*arguments, **options)
        if not has_app:
            self.fields["code"].label, self.fields["code"].help_text = _("Recovery code"), ""


class AnswerForm(forms.Form):
    """The answer of the browser's authenticator, filled in by a script."""

    passkey = forms.CharField(max_length=20_000, widget=forms.HiddenInput)
