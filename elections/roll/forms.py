"""Forms for the roll: add, import, search."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from elections import voter_lists
from elections.voter_lists import Details
from foundation.pages import lists
from foundation.pages.fields import LinesField, TitleField, new_names, valid_rows
from foundation.pages.names import MAX_NAME_CHARS

from .list_summary import Skipped, skipped_of


class VotersForm(forms.Form):
    voters = LinesField(
        label=_("Add voters, one per line"),
        max_length=200_000,
        rows=4,
        help_text=_(
            "User names of people who have an account here, or email addresses. People without either get letters: "
            "paste a table with the headings “Name” and “Member number”."
        ),
    )

    def clean_voters(self) -> list[str]:
        rows = valid_rows(lambda text: voter_lists.read_voters(text.encode()), self.cleaned_data["voters"])
        self.skipped, self.known = skipped_of(rows), voter_lists.details_of(rows)
        return new_names(rows)


class RollForm(VotersForm):
    """Voters to add, all of them to some voter groups."""

    groups = forms.CharField(
        label=_("Voter groups"),
        required=False,
        max_length=1_000,
        widget=forms.TextInput(attrs={"dir": "auto"}),
        help_text=_(
            "A question can be for some groups only. Separate several with semicolons. In a draft, people "
            "who are on the roll already are added to these groups, too."
        ),
    )

    weight = forms.IntegerField(
        label=_("Votes each"),
        required=False,
        min_value=1,
        max_value=voter_lists.MAX_WEIGHT,
        help_text=_("How many times the vote of each of them counts. It is fixed when the election opens."),
    )

    def clean_groups(self) -> tuple[str, ...]:
        return voter_lists.clean_groups(self.cleaned_data["groups"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if groups := cleaned.get("groups"):
            voters = cleaned.get("voters", ())
            self.known = {name: self.known.get(name, Details()).also_in(groups) for name in voters}
        if weight := cleaned.get("weight"):
            every = {name: self.known.get(name, Details()) for name in cleaned.get("voters", ())}
            self.known = {name: replace(each, weight=each.weight or weight) for name, each in every.items()}
        return cleaned


class ImportForm(forms.Form):
    """A CSV file of voters."""

    file = forms.FileField(
        label=_("CSV file"),
        max_length=200,
        help_text=_(
            "One voter per row: the user name of someone with an account here, or an email address. With or "
            "without a header. Names in columns such as “Name” or “First name” are used in the greeting of mails. "
            "People with a “Member number” and no email address get letters: columns “Address”, “Postcode”, “City”, "
            "“Language” and “Date of birth” are used for these. A column “Group” puts voters into voter groups; "
            "separate several with | or ;. A column “Weight” says how many times a vote counts, if ballots are public."
        ),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if file := cleaned.get("file"):
            try:
                cleaned["rows"] = voter_lists.read_voters(file.read(lists.MAX_BYTES + 1))
            except lists.NotAList as refusal:
                self.add_error("file", str(refusal))
        return cleaned


class ImportedForm(RollForm):
    """The voters of a preview, sent back to be saved, and a summary of what was skipped."""

    voters = forms.CharField(widget=forms.HiddenInput, max_length=lists.MAX_BYTES)
    groups = forms.CharField(widget=forms.HiddenInput, required=False, max_length=1_000)
    weight = None
    skipped = forms.CharField(widget=forms.HiddenInput, required=False, max_length=300)

    def clean_skipped(self) -> Skipped:
        return Skipped.from_text(self.cleaned_data["skipped"])


class MemberForm(forms.Form):
    """Somebody who gets a letter."""

    name = TitleField(label=_("Name"))
    number = forms.CharField(
        label=_("Member number"),
        max_length=voter_lists.MAX_NUMBER_CHARS,
        widget=forms.TextInput(attrs={"dir": "auto"}),
        help_text=_("By which you know them. No two voters have the same."),
    )
    postal = LinesField(
        label=_("Postal address"),
        required=False,
        max_length=(voter_lists.MAX_POSTAL_CHARS + 2) * voter_lists.MAX_POSTAL_LINES,
        rows=4,
        help_text=_("As on an envelope, below the name; up to six lines."),
    )
    language = forms.ChoiceField(label=_("Language of the letter"), required=False)
    birth = forms.CharField(
        label=_("Date of birth"),
        required=False,
        max_length=20,
        widget=forms.TextInput(attrs={"placeholder": "1990-12-31", "dir": "ltr"}),
        help_text=_("Only if voters are asked for it. We store a mark that it can be compared with, not the date."),
    )

    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        self.fields["language"].choices = [("", _("That of this site")), *settings.LANGUAGES]

    def clean_number(self) -> str:
        return voter_lists.clean_number(self.cleaned_data["number"])

    def clean_postal(self) -> tuple[str, ...]:
        return voter_lists.clean_postal(self.cleaned_data["postal"])

    def clean_birth(self) -> str:
        return voter_lists.clean_birth(self.cleaned_data["birth"])

    def row(self) -> voter_lists.VoterRow:
        data = self.cleaned_data
        known = data["name"], None, None, data["postal"], data["language"], data["birth"]
        return voter_lists.VoterRow(1, data["number"], data["number"], lists.Verdict.NEW, "", *known)


class SearchForm(forms.Form):
    q = forms.CharField(label=_("Name begins with"), required=False, max_length=MAX_NAME_CHARS)


class MemberSearchForm(SearchForm):
    """By what voters are listed, which is not what pages call them."""

    q = forms.CharField(
        label=_("User name, address or member number begins with"), required=False, max_length=MAX_NAME_CHARS
    )


class VoterSearchForm(SearchForm):
    q = forms.CharField(label=_("Name, address or member number"), required=False, max_length=MAX_NAME_CHARS)
