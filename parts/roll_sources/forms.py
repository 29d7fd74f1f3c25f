"""The form in which organisers choose a source."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.connectors.membership import followable
from foundation.acts.outbound import MAX_URL_CHARS, OutboundError, checked_url

from . import sources


class SourceForm(forms.Form):
    """What the roll follows: a file, or one of the groups that the site offers."""

    source = forms.ChoiceField(label=_("Source"), widget=forms.RadioSelect, initial=sources.FILE)
    url = forms.CharField(
        label=_("Address of the file"),
        required=False,
        max_length=MAX_URL_CHARS,
        widget=forms.TextInput(attrs={"inputmode": "url", "placeholder": "https://…", "dir": "ltr"}),
        help_text=_("A CSV file as for an import. Only those who run this election see its address."),
    )
    nightly = forms.BooleanField(
        label=_("Follow it every night"),
        required=False,
        help_text=_("In your name, for as long as you may change the roll. Otherwise only when you press the button."),
    )

    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        groups = [(each, f"{provider.label}: {group}") for each, (provider, group) in followable().items()]
        self.fields["source"].choices = [(sources.FILE, _("A file at a web address")), *groups]
        if not groups:
            self.fields["source"].widget, self.fields["url"].required = forms.HiddenInput(), True

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("source") == sources.FILE and "url" in cleaned:
            try:
                checked_url(cleaned["url"])
            except OutboundError as error:
                self.add_error("url", str(error))
        return cleaned

    @property
    def chosen(self) -> tuple[str, str]:
        """Kind and place of the source."""
        source = self.cleaned_data["source"]
        return (sources.FILE, self.cleaned_data["url"]) if source == sources.FILE else (sources.GROUP, source)
