"""Forms for the owner and auditors: pausing, searching the log, finding something in the tables."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from foundation.acts.pause import MAX_MESSAGE_CHARS, MAX_PAUSE_MINUTES
from foundation.pages.names import MAX_EMAIL_CHARS, MAX_NAME_CHARS
from foundation.store.keys import EVENT_NUMBER_DIGITS
from foundation.store.limits import KEY_BYTES
from foundation.store.log import as_text
from foundation.store.log.search import Query

MAX_SEARCH_CHARS = 400
ONE_DAY, ONE_MINUTE, ONE_MILLISECOND = timedelta(days=1), timedelta(minutes=1), timedelta(milliseconds=1)
TABLES = (("data", _("data")), ("log", _("event log")))
KINDS = (("election", _("Election")), ("person", _("Person")))
MAX_DIGITS = 12
MAX_CURSOR_CHARS = 8_000


class PauseForm(forms.Form):
    minutes = forms.IntegerField(
        label=_("Expected length in minutes"),
        help_text=_("Shown to everyone. The site stays paused until you resume it."),
        min_value=1,
        max_value=MAX_PAUSE_MINUTES,
    )
    sentence = forms.CharField(
        label=_("Message to visitors"),
        help_text=_("One sentence shown on every page: why, or whom to ask."),
        max_length=MAX_MESSAGE_CHARS,
        required=False,
        widget=forms.TextInput({"dir": "auto"}),
    )


# --- searching the log ---


class MomentField(forms.Field):
    """A time in UTC: to the minute, as browsers send it, or just the day."""

    widget = forms.DateTimeInput({"type": "datetime-local"})

    def __init__(self, **options: Any):
        super().__init__(required=False, **options)

    def to_python(self, value: Any) -> tuple[datetime, timedelta] | None:
        """When it begins, and how long the typed minute or day lasts."""
        if value in self.empty_values:
            return None
        text = str(value).strip()
        try:
            moment = datetime.fromisoformat(text).replace(tzinfo=UTC)
        except ValueError:
            raise ValidationError(_("Enter the date and time like this: 2027-03-01 18:00.")) from None
        if not 1971 <= moment.year <= 9000:
            raise ValidationError(_("This date or time does not exist."))
        return moment, ONE_DAY if len(text) <= len("2027-03-01") else ONE_MINUTE


def _text(label: Any, **attributes: str) -> forms.CharField:
    return forms.CharField(
        label=label,
        required=False,
        max_length=MAX_SEARCH_CHARS,
        widget=forms.TextInput({"dir": "auto", "autocomplete": "off", **attributes}),
    )


class LogForm(forms.Form):
    """All fields are optional and can be combined."""

    actor = _text(_("Who did it"))
    event_type = _text(_("Type"), list="event-types", spellcheck="false")
    election = _text(_("Election"))
    since = MomentField(label=_("From (UTC)"))
    until = MomentField(label=_("To (UTC)"))
    before = forms.IntegerField(
        label=_("Before event"),
        required=False,
        min_value=1,
        max_value=10**EVENT_NUMBER_DIGITS,
        widget=forms.HiddenInput,
    )

    def clean(self) -> dict[str, Any]:
        super().clean()
        since, until = self.cleaned_data.get("since"), self.cleaned_data.get("until")
        if since and until and since[0] > until[0]:
            self.add_error("until", _("Choose an end after the start."))
        return self.cleaned_data

    def query(self) -> Query:
        names = {name: self.cleaned_data[name] for name in ("actor", "event_type", "election")}
        since, until = self.cleaned_data["since"], self.cleaned_data["until"]
        return Query(
            **names,
            since=as_text(since[0]) if since else "",
            until=as_text(until[0] + until[1] - ONE_MILLISECOND) if until else "",
        )

    def typed(self) -> dict[str, str]:
        """The search terms, for the URL of the next page."""
        return {name: self.data[name] for name in self.fields if name != "before" and self.data.get(name)}


# --- finding something in the tables ---


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
