"""Forms for groups."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from pages import lists
from pages.fields import LinesField, TitleField

from .rules import Group


class GroupForm(forms.Form):
    """The name of a group."""

    name = TitleField(label=_("Name of the group"), help_text=_("Only you see it."))


class MembersForm(forms.Form):
    """Names and addresses, pasted or as a CSV file."""

    use_required_attribute = False  # one of the two will do

    text = LinesField(
        label=_("Names and addresses, one per line"),
        required=False,
        max_length=lists.MAX_PASTED_CHARS,
        rows=6,
        help_text=_("User names of people who have an account here, or email addresses."),
    )
    file = forms.FileField(label=_("Or a CSV file"), required=False, max_length=200)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        file, text = cleaned.get("file"), cleaned.get("text", "")
        if self.errors:
            return cleaned
        if bool(file) == bool(text.strip()):
            raise ValidationError(_("Either choose a file or paste a list."))
        try:
            cleaned["rows"] = lists.read_voters(file.read(lists.MAX_BYTES + 1) if file else text.encode())
        except lists.NotAList as refusal:
            self.add_error("file" if file else "text", str(refusal))
        return cleaned


class ChoiceForm(forms.Form):
    """Which of one's groups."""

    group = forms.ChoiceField(label=_("Group"), widget=forms.RadioSelect)

    def __init__(self, *arguments: Any, groups: Iterable[Group], **options: Any):
        super().__init__(*arguments, **options)
        self.fields["group"].choices = [(each.id, f"{each.name} ({each.members})") for each in groups]
