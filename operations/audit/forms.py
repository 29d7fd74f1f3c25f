"""Forms for the owner and auditors."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from foundation.acts.pause import MAX_MESSAGE_CHARS, MAX_PAUSE_MINUTES
from foundation.store.keys import EVENT_NUMBER_DIGITS
from foundation.store.log import as_text
from foundation.store.log.search import Query


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


# --- Searching the log ---


MAX_SEARCH_CHARS = 400
ONE_DAY, ONE_MINUTE, ONE_MILLISECOND = timedelta(days=1), timedelta(minutes=1), timedelta(milliseconds=1)


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
