"""Forms for letters: printing them, who gets one, and the code in one."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from elections import voter_lists
from elections.drafts.forms import AddedField
from elections.roll.forms import IN_A_FILE, PASTED
from foundation.pages import lists
from foundation.pages.fields import LinesField, TitleField
from foundation.pages.names import clean_title
from foundation.ranking.codes import code_symbols

from .rules import CHECKS, CODE_SYMBOLS
from .services import FILE, MAX_PRINTED, PAGE

MAX_SENDER_CHARS = 100
MAX_TYPED_CHARS = 60  # of a code
HOW = {
    PAGE: _("here: a page with one sheet for each letter"),
    FILE: _("at a print shop: a CSV file with all waiting letters"),
}
SIZES = (50, 100, 250, MAX_PRINTED)
HINTS = {
    PASTED: _("People without either get letters: paste a table with the headings “Name” and “Member number”."),
    IN_A_FILE: _(
        "People with a “Member number” and no email address get letters: columns “Address”, “Postcode”, “City”, "
        "“Language” and “Date of birth” are used for these."
    ),
}


def hint(how: str) -> Any:
    """How people get letters, beside a field for a list of voters."""
    return HINTS[how]


def check_field() -> AddedField:
    """Among the settings of an election."""
    field = forms.ChoiceField(
        label=_("Besides the code in a letter, voters are asked for"),
        choices=list(CHECKS.items()),
        required=False,
        help_text=_(
            "Only for voters listed by member number. A letter that got into the wrong hands is then not enough to "
            "vote. Dates of birth are part of the list of voters."
        ),
    )
    return AddedField("letter_check", field, after="paper_ballots")


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


class CodeForm(forms.Form):
    """A code, however it was typed."""

    code = forms.CharField(
        label=_("Code"),
        max_length=MAX_TYPED_CHARS,
        widget=forms.TextInput(
            attrs={
                **{"autocomplete": "off", "autocapitalize": "characters", "spellcheck": "false", "dir": "ltr"},
                **{"class": "code-box", "placeholder": "XXXX-XXXX-XXXX"},
            }
        ),
        help_text=_("Twelve letters and digits. Capitals, spaces and hyphens do not matter."),
    )
    answer = forms.CharField(
        label=_("Date of birth or member number"),
        required=False,
        max_length=MAX_TYPED_CHARS,
        widget=forms.TextInput(attrs={"autocomplete": "off", "dir": "auto"}),
        help_text=_("Only if your letter asks for it. Write a date as 31.12.1990 or 1990-12-31."),
    )

    def clean_code(self) -> str:
        code = code_symbols(self.cleaned_data["code"])
        if len(code) != CODE_SYMBOLS:
            raise forms.ValidationError(
                _("The code in your letter has %(count)d letters and digits."), params={"count": CODE_SYMBOLS}
            )
        return code
