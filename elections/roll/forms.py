"""Forms for the roll: add, import, search."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from pages import lists
from pages.fields import LinesField, new_names, valid_rows
from pages.names import MAX_NAME_CHARS

from .list_summary import Skipped, skipped_of


class VotersForm(forms.Form):
    voters = LinesField(
        label=_("Add voters, one per line"),
        max_length=200_000,
        rows=4,
        help_text=_("User names of people who have an account here, or email addresses."),
    )

    def clean_voters(self) -> list[str]:
        rows = valid_rows(lambda text: lists.read_voters(text.encode()), self.cleaned_data["voters"])
        self.skipped, self.display_names = skipped_of(rows), lists.display_names(rows)
        return new_names(rows)


class ImportForm(forms.Form):
    """A CSV file of voters."""

    file = forms.FileField(
        label=_("CSV file"),
        max_length=200,
        help_text=_(
            "One voter per row: the user name of someone with an account here, or an email address. With or "
            "without a header. Names in columns such as “Name” or “First name” are used in the greeting of mails."
        ),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if file := cleaned.get("file"):
            try:
                cleaned["rows"] = lists.read_voters(file.read(lists.MAX_BYTES + 1))
            except lists.NotAList as refusal:
                self.add_error("file", str(refusal))
        return cleaned


class ImportedForm(VotersForm):
    """The voters of a preview, sent back to be saved, and a summary of what was skipped."""

    voters = forms.CharField(widget=forms.HiddenInput, max_length=lists.MAX_BYTES)
    skipped = forms.CharField(widget=forms.HiddenInput, required=False, max_length=300)

    def clean_skipped(self) -> Skipped:
        return Skipped.from_text(self.cleaned_data["skipped"])


class SearchForm(forms.Form):
    q = forms.CharField(label=_("Name begins with"), required=False, max_length=MAX_NAME_CHARS)
