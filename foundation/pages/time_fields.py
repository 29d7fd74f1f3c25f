"""Fields for times typed in the election's time zone."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.html import escape
from django.utils.safestring import mark_safe
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from foundation.store.log import utc_now

from .times import (
    AOE,
    LAST_YEAR,
    REGIONS,
    Edge,
    InterpretedTime,
    check_year,
    interpret,
    local_time,
    offset_text,
    selectable_zones,
    zone_label,
)

# What browsers send for datetime-local; a space for typing it where a browser offers no calendar.
DATETIME_LOCAL = re.compile(r"([0-9]{4,6})(-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,3})?)?)")
CHOSEN = " selected"


class LocalTimeInput(forms.TextInput):
    """A date and a time without a zone, in one control.

    It has no `min`: browsers count steps of a minute from there, and would refuse a stored time with seconds.
    """

    input_type = "datetime-local"

    def __init__(self, attrs: dict[str, Any] | None = None):
        super().__init__({"max": f"{LAST_YEAR}-12-31T23:59", **(attrs or {})})

    def format_value(self, value: Any) -> str | None:
        """A time as browsers write it, in its shortest form."""
        if not isinstance(value, datetime):
            return super().format_value(value)
        return value.isoformat(
            timespec="milliseconds" if value.microsecond else "seconds" if value.second else "minutes"
        )


class LocalTimeField(forms.Field):
    """The start or end of the voting. It returns the time as typed; a `ZonedForm` interprets it."""

    widget = LocalTimeInput

    def __init__(self, *, edge: Edge, **options: Any):
        self.edge = edge
        options.setdefault("help_text", gettext_lazy("In the time zone of the election."))
        super().__init__(**options)

    def to_python(self, value: Any) -> datetime | None:
        if isinstance(value, datetime) or value in self.empty_values:
            return value or None
        match = DATETIME_LOCAL.fullmatch(str(value).strip())
        if not match:
            raise ValidationError(_("Enter the date and time like this: 2027-03-01 18:00."), code="unreadable")
        year, day, time = match.groups()
        check_year(int(year))
        try:
            datetime.strptime(time[:5], "%H:%M")  # from Python 3.14 on, the next line takes 24:00 for midnight
            return datetime.fromisoformat(f"{year}{day}T{time}")
        except ValueError:
            raise ValidationError(_("This date or time does not exist."), code="nonsense") from None


def zone_choices() -> list[tuple[Any, Any]]:
    """Every zone by region, with today's offset. None is preselected: a wrong one is easily overlooked."""
    return _choices(get_language(), _quarter(utc_now()))


def _quarter(now: datetime) -> datetime:
    """The start of the current quarter of an hour: clock changes happen only at such times."""
    return now.replace(minute=now.minute // 15 * 15, second=0, microsecond=0)


@lru_cache(maxsize=8)  # for all languages; and those of the last quarter of an hour may go
def _choices(language: str, now: datetime) -> list[tuple[Any, Any]]:
    anywhere = f"{zone_label(AOE)} ({offset_text(local_time(now, AOE).utcoffset() or timedelta())})"
    first = [("", _("Choose a time zone")), (AOE, anywhere), ("UTC", "UTC")]
    zones = selectable_zones(now)
    return first + [
        (str(label), [(zone.name, zone.label) for zone in zones if zone.region == region])
        for region, label in REGIONS.items()
    ]


@lru_cache(maxsize=8)
def _options(language: str, now: datetime) -> str:
    """The choices as rendered by Django, which takes several times as long as the rest of a page."""
    written = forms.Select(choices=_choices(language, now)).render("", None)
    options = written[written.index(">") + 1 : written.rindex("<")]
    return options.replace(CHOSEN, "", 1)


class ZoneSelect(forms.Select):
    """A select with pre-rendered zones; only the chosen one is marked."""

    template_name = "pages/parts/zones.html"

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        context = super().get_context(name, value, attrs)
        written, [chosen] = _options(get_language(), _quarter(utc_now())), context["widget"]["value"]
        is_it = f'value="{escape(chosen)}"'
        context["widget"]["zones"] = mark_safe(written.replace(is_it, is_it + CHOSEN, 1))  # noqa: S308 - by Django
        return context

    def optgroups(self, name: str, value: Any, attrs: dict[str, Any] | None = None) -> list[Any]:
        """Empty, so that Django renders none."""
        return []


class ZoneField(forms.ChoiceField):
    """The election's time zone. Defaults to the site's or, if it has none and scripts run, to the reader's."""

    def __init__(self, **options: Any):
        options.setdefault("label", gettext_lazy("Time zone"))
        options.setdefault("initial", lambda: settings.SITE_TIME_ZONE or None)
        widget = ZoneSelect({"data-own-zone": True})
        super().__init__(choices=zone_choices, widget=widget, **options)


def zone_or_default(chosen: str) -> str:
    """Without scripts there may be no choice; then it is the site's zone."""
    return chosen or settings.SITE_TIME_ZONE or "UTC"


class ZonedForm(forms.Form):
    """A form whose times are interpreted in the zone chosen in its field `time_zone`."""

    def zone_name(self) -> str | None:
        """The zone of the form's times, or none while it is unknown. Forms without the field override this."""
        return self.cleaned_data.get("time_zone")

    def clean(self) -> dict[str, Any]:
        super().clean()
        for name, field in self.fields.items():
            if isinstance(field, LocalTimeField) and self.cleaned_data.get(name):
                self._understand(name, field)
        return self.cleaned_data

    def _understand(self, name: str, field: LocalTimeField) -> None:
        local = self.cleaned_data.pop(name)  # meaningless without a zone
        if zone := self.zone_name():
            try:
                self.cleaned_data[name] = interpret(local, zone, field.edge)
            except ValidationError as error:
                self.add_error(name, error)
        elif "time_zone" not in self.errors:
            self.add_error(name, _("Choose a time zone too, so that everyone knows when this is."))

    def stored(self, name: str) -> str | None:
        """A time in its stored form; `None` if the field was left empty."""
        value = self.cleaned_data.get(name)
        return value.stored if value else None

    def notes(self) -> list[str]:
        """How each typed time was interpreted, one sentence per time."""
        times = ((self[name].label, value) for name, value in self.cleaned_data.items())
        return [f"{label}: {value.sentence}" for label, value in times if isinstance(value, InterpretedTime)]
