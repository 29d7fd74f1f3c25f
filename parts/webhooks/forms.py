"""What people enter about a webhook."""

from __future__ import annotations

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from foundation.acts.outbound import MAX_URL_CHARS, OutboundError, checked_url

from .rules import TYPES


class EndpointForm(forms.Form):
    url = forms.CharField(
        label=_("Address"),
        max_length=MAX_URL_CHARS,
        widget=forms.TextInput(attrs={"inputmode": "url", "placeholder": "https://…", "dir": "ltr"}),
        help_text=_("Where events are sent, by https. The host must be on the public internet."),
    )
    types = forms.MultipleChoiceField(
        label=_("Events"), choices=list(TYPES.items()), initial=list(TYPES), widget=forms.CheckboxSelectMultiple
    )

    def clean_url(self) -> str:
        url: str = self.cleaned_data["url"]
        try:
            checked_url(url)
        except OutboundError as error:
            raise ValidationError(str(error)) from None
        return url
