"""Forms for auditors to find something in the tables."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from foundation.pages.names import MAX_EMAIL_CHARS, MAX_NAME_CHARS
from foundation.store.limits import KEY_BYTES

TABLES = (("data", _("data")), ("log", _("event log")))
KINDS = (("election", _("Election")), ("person", _("Person")))
MAX_DIGITS = 12
MAX_CURSOR_CHARS = 8_000


class KeyField(forms.CharField):
    """A key exactly as stored: nothing is trimmed."""

    def __init__(self, name: str, **options: Any):
        super().__init__(strip=False, max_length=KEY_BYTES[name], **options)


class PartitionForm(forms.Form):
    table = forms.ChoiceField(label=_("Table"), choices=TABLES)
    pk = KeyField("PK", label=_("Partition key"))
    prefix = KeyField("SK", label=_("Sort key begins with"), required=False)
    index = forms.BooleanField(label=_("Key of the index"), required=False)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if cleaned.get("index") and cleaned.get("table") == "log":
            self.add_error("index", _("Only the data table has an index."))
        return cleaned


class ThingForm(forms.Form):
    """For those who know a name but not a key."""

    kind = forms.ChoiceField(label=_("Kind"), choices=KINDS)
    name = forms.CharField(label=_("Name"), max_length=MAX_NAME_CHARS)


class ItemForm(forms.Form):
    table = forms.ChoiceField(choices=TABLES)
    pk = KeyField("PK")
    sk = KeyField("SK")


class FilterForm(forms.Form):
    """The start of a table's natural key; each table uses some of these; an election is required if asked for."""

    name = forms.CharField(label=_("Name begins with"), required=False, max_length=MAX_EMAIL_CHARS)
    election = forms.CharField(label=_("Election"), max_length=MAX_NAME_CHARS)
    question = forms.IntegerField(label=_("Question"), required=False, min_value=1, max_value=9999, localize=False)
    begins = forms.CharField(label=_("Begins with"), required=False, max_length=MAX_EMAIL_CHARS)
    ballot = forms.CharField(label=_("Ballot (voter or code)"), required=False, max_length=MAX_EMAIL_CHARS)
    number = forms.IntegerField(
        label=_("Up to number"), required=False, min_value=0, max_value=10**MAX_DIGITS - 1, localize=False
    )
    after = forms.CharField(required=False, max_length=MAX_CURSOR_CHARS, widget=forms.HiddenInput)

    def __init__(self, *arguments: Any, filters: tuple[str, ...], **options: Any):
        super().__init__(*arguments, **options)
        for name in set(self.fields) - {*filters, "after"}:
            del self.fields[name]
