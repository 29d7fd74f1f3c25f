"""Forms for the roll: add, import, search."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from elections import voter_lists
from elections.voter_lists import Details
from foundation.acts.hooks import Hooks
from foundation.pages import lists
from foundation.pages.fields import LinesField, new_names, valid_rows
from foundation.pages.names import MAX_NAME_CHARS

from .list_summary import Skipped, skipped_of

PASTED, IN_A_FILE = "pasted", "in a file"
HINTS = Hooks[[str], Any]("when a list of voters is asked for: what else may be in it, if it is pasted or in a file")
MORE_COLUMNS = _(
    "A column “Group” puts voters into voter groups; separate several with | or ;. A column “Weight” says how many "
    "times a vote counts, if ballots are public."
)


def _with_hints(text: Any, how: str) -> str:
    return " ".join(map(str, (text, *(hint(how) for hint in HINTS))))


class VotersForm(forms.Form):
    voters = LinesField(
        label=_("Add voters, one per line"),
        max_length=200_000,
        rows=4,
        help_text=_("User names of people who have an account here, or email addresses."),
    )

    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        self.fields["voters"].help_text = _with_hints(self.fields["voters"].help_text, PASTED)

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
            "without a header. Names in columns such as “Name” or “First name” are used in the greeting of mails."
        ),
    )

    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        self.fields["file"].help_text = f"{_with_hints(self.fields['file'].help_text, IN_A_FILE)} {MORE_COLUMNS}"

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


class SearchForm(forms.Form):
    q = forms.CharField(label=_("Name begins with"), required=False, max_length=MAX_NAME_CHARS)


class MemberSearchForm(SearchForm):
    """By what voters are listed, which is not what pages call them."""

    q = forms.CharField(
        label=_("User name, address or member number begins with"), required=False, max_length=MAX_NAME_CHARS
    )


class VoterSearchForm(SearchForm):
    q = forms.CharField(label=_("Name, address or member number"), required=False, max_length=MAX_NAME_CHARS)
