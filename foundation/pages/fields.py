"""Fields of forms used everywhere: names, addresses, titles, Markdown, lists, times in a zone, and choices as cards."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.html import escape
from django.utils.safestring import mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from foundation.store.log import utc_now

from . import lists, markdown
from .lists import Verdict
from .markdown import MAX_TEXT_CHARS
from .names import MAX_EMAIL_CHARS, MAX_NAME_CHARS, clean_email, clean_name, clean_title
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


class NameField(forms.CharField):
    """A user name, normalised for storage."""

    def __init__(self, **options: Any):
        attributes = {"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false", "dir": "auto"}
        options.setdefault("label", _("Name"))
        options.setdefault("max_length", MAX_NAME_CHARS * 2)  # white space is collapsed before the length is checked
        super().__init__(widget=forms.TextInput(attributes), **options)

    def clean(self, value: Any) -> str:
        return clean_name(super().clean(value))


class AddressField(forms.CharField):
    """An email address, normalised for storage."""

    def __init__(self, **options: Any):
        options.setdefault("label", _("Email address"))
        widget = forms.EmailInput({"autocomplete": "email"})
        super().__init__(widget=widget, max_length=MAX_EMAIL_CHARS, **options)

    def clean(self, value: Any) -> str:
        return clean_email(super().clean(value))


class TitleField(forms.CharField):
    """The name of an election, normalised for storage."""

    def __init__(self, **options: Any):
        options.setdefault("label", _("Name of the election"))
        super().__init__(widget=forms.TextInput({"dir": "auto"}), max_length=MAX_NAME_CHARS * 2, **options)

    def clean(self, value: Any) -> str:
        return clean_title(super().clean(value))


class LinesField(forms.CharField):
    """Several lines, with any line endings."""

    def __init__(self, *, rows: int, attributes: Mapping[str, str] | None = None, **options: Any):
        widget = forms.Textarea({"rows": rows, "dir": "auto", **(attributes or {})})
        super().__init__(widget=widget, **options)

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value)).replace("\r\n", "\n")


MARKDOWN = _("You can use Markdown: *emphasis*, lists, links.")


def markdown_field(
    label: Any, rows: int, help_text: Any = MARKDOWN, *, required: bool = False, max_length: int = MAX_TEXT_CHARS
) -> LinesField:
    return LinesField(
        label=label,
        required=required,
        max_length=max_length,
        validators=[markdown.check_length],
        rows=rows,
        help_text=help_text,
    )


def read_names(read: Callable[[str], Sequence[lists.Row]], text: str) -> list[str]:
    """The names of a list; errors include the line number."""
    return new_names(valid_rows(read, text))


def new_names(rows: Sequence[lists.Row]) -> list[str]:
    return [row.value for row in rows if row.value and row.verdict == Verdict.NEW]


def valid_rows(read: Callable[[str], Sequence[lists.RowOf]], text: str) -> Sequence[lists.RowOf]:
    try:
        rows = read(text)
    except lists.NotAList as refusal:
        raise ValidationError(str(refusal)) from None
    wrong = [row for row in rows if row.verdict == Verdict.INVALID]
    if wrong:
        sentence = _("Line %(line)d, “%(typed)s”: %(reason)s")
        errors = ({"line": row.line, "typed": row.typed[:60], "reason": row.reason} for row in wrong[:10])
        raise ValidationError([sentence % each for each in errors])
    return rows


# --- times in a zone ---

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
        options.setdefault("help_text", _("In the time zone of the election."))
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
        options.setdefault("label", _("Time zone"))
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
                local = self.cleaned_data.pop(name)  # meaningless without a zone
                if zone := self.zone_name():
                    try:
                        self.cleaned_data[name] = interpret(local, zone, field.edge)
                    except ValidationError as error:
                        self.add_error(name, error)
                elif "time_zone" not in self.errors:
                    self.add_error(name, _("Choose a time zone too, so that everyone knows when this is."))
        return self.cleaned_data

    def stored(self, name: str) -> str | None:
        """A time in its stored form; `None` if the field was left empty."""
        value = self.cleaned_data.get(name)
        return value.stored if value else None

    def notes(self) -> list[str]:
        """How each typed time was interpreted, one sentence per time."""
        times = ((self[name].label, value) for name, value in self.cleaned_data.items())
        return [f"{label}: {value.sentence}" for label, value in times if isinstance(value, InterpretedTime)]


# --- choices as cards, which explain themselves in plain words and may have a picture ---


@dataclass(frozen=True, slots=True)
class Card:
    """One choice: a title, a sentence, and perhaps a badge."""

    title: Any
    sentence: Any
    mark: Any = ""
    picture: str = ""  # the template that draws it

    def __str__(self) -> str:
        return str(self.title)


class Cards(forms.RadioSelect):
    """Radio buttons on cards. A group of choices stays collapsed under its heading until one of them is chosen."""

    template_name = "pages/cards/cards.html"
    option_template_name = "pages/cards/card.html"


class SeveralCards(forms.CheckboxSelectMultiple):
    """Checkboxes on cards."""

    template_name = Cards.template_name
    option_template_name = Cards.option_template_name
