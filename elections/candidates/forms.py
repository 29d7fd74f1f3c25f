"""Forms for candidates."""

from __future__ import annotations

from django import forms
from django.core.validators import URLValidator
from django.utils.translation import gettext_lazy as _

from elections.roll.list_summary import skipped_of
from foundation.pages import lists
from foundation.pages.fields import LinesField, markdown_field, new_names, valid_rows


class CandidatesForm(forms.Form):
    names = LinesField(
        label=_("Add candidates, one per line"),
        max_length=200_000,
        rows=5,
        help_text=_(
            "Up to 500 candidates. Their names may have up to 40,000 Latin letters in total; letters of "
            "other scripts and emoji count as two to four."
        ),
    )

    def clean_names(self) -> list[str]:
        if not self.cleaned_data["names"].strip():
            return []  # where none are needed
        rows = valid_rows(lists.read_candidates, self.cleaned_data["names"])
        self.skipped = skipped_of(rows)
        return new_names(rows)


class CandidateForm(forms.Form):
    statement = markdown_field(
        _("Statement"),
        8,
        _(
            "You may use Markdown: *emphasis*, lists, links. All statements together may have about a "
            "million Latin letters."
        ),
    )
    link = forms.CharField(label=_("Link"), required=False, max_length=500, widget=forms.URLInput)

    def clean_link(self) -> str:
        link = str(self.cleaned_data["link"]).strip()
        if link:
            URLValidator(schemes=["http", "https"])(link)
        return link
