"""Times in elections: the available zones, what a typed time means in one, how much time is left, and all on pages."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from enum import Enum
from functools import cache, lru_cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zoneinfo import TZPATH, ZoneInfo, available_timezones

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext_lazy, ngettext_lazy
from django.utils.translation import gettext as _

from foundation.store.log import as_text, utc_now

AOE = "AoE"
FIRST_YEAR, LAST_YEAR = 2000, 2199

FIXED: dict[str, tzinfo] = {AOE: timezone(timedelta(hours=-12), AOE), "UTC": UTC}
REGIONS = {
    "Africa": gettext_lazy("Africa"),
    "America": gettext_lazy("America"),
    "Antarctica": gettext_lazy("Antarctica"),
    "Arctic": gettext_lazy("Arctic"),
    "Asia": gettext_lazy("Asia"),
    "Atlantic": gettext_lazy("Atlantic"),
    "Australia": gettext_lazy("Australia"),
    "Europe": gettext_lazy("Europe"),
    "Indian": gettext_lazy("Indian Ocean"),
    "Pacific": gettext_lazy("Pacific"),
}


class UnknownZone(ValidationError):
    """An unknown time zone."""


# --- zones ---


@dataclass(frozen=True, slots=True)
class Zone:
    """A zone that people can choose, named after a place, with today's offset from UTC."""

    name: str
    region: str
    city: str
    offset: timedelta

    @property
    def label(self) -> str:
        return f"{self.city} ({offset_text(self.offset)})"


@cache
def zone(name: str) -> tzinfo:
    """The zone of that name: a place, UTC or AoE; not a machine's own local time, nor a mere offset."""
    if name in FIXED:
        return FIXED[name]
    if name not in _known_zones():
        raise UnknownZone(_("No time zone has this name."), code="zone")
    return ZoneInfo(name)


def selectable_zones(now: datetime) -> list[Zone]:
    """The places to choose from, by region and city, without outdated spellings."""
    zones = []
    for name in _selectable_names():
        region, *parts = name.replace("_", " ").split("/")
        offset = now.astimezone(zone(name)).utcoffset() or timedelta()
        zones.append(Zone(name, region, ", ".join(reversed(parts)), offset))
    return sorted(zones, key=lambda each: (each.region, each.city))


def is_selectable(name: str) -> bool:
    return name in FIXED or name in _selectable_names()


def zone_label(name: str) -> str:
    """A zone's name for the reader: America/New York, Anywhere on Earth."""
    return _("Anywhere on Earth") if name == AOE else name.replace("_", " ")


def offset_text(offset: timedelta) -> str:
    """UTC+05:30, or just UTC."""
    if not offset:
        return "UTC"
    minutes = round(abs(offset) / timedelta(minutes=1))
    return f"UTC{'+' if offset > timedelta() else '-'}{minutes // 60:02}:{minutes % 60:02}"


@cache
def _known_zones() -> frozenset[str]:
    return frozenset(name for name in available_timezones() if name.partition("/")[0] in REGIONS)


@cache
def _selectable_names() -> frozenset[str]:
    """Those in the zone database's own list of places, which omits spellings kept for old programs."""
    folders: list[Any] = [*map(Path, TZPATH), *([files("tzdata") / "zoneinfo"] if find_spec("tzdata") else [])]
    for folder in folders:
        if (table := folder / "zone.tab").is_file():
            rows = table.read_text(encoding="utf-8").splitlines()
            return _known_zones() & {row.split("\t")[2] for row in rows if not row.startswith("#")} or _known_zones()
    return _known_zones()


# --- what a typed time means ---


class Edge(Enum):
    """Whether a time is the start or the end of the voting, or the start of a publication."""

    OPENING = "opening"
    CLOSING = "closing"
    APPEARING = "appearing"


class ClockChange(Enum):
    """What is special about a typed time."""

    PLAIN = "plain"
    GAP = "gap"
    REPEATED = "repeated"


@dataclass(frozen=True, slots=True)
class InterpretedTime:
    """A typed time and its interpretation."""

    typed: datetime
    zone_name: str
    edge: Edge
    moment: datetime  # in UTC
    note: ClockChange

    @property
    def shown(self) -> datetime:
        """The time as the election's pages will show it."""
        return local_time(self.moment, self.zone_name)

    @property
    def stored(self) -> str:
        return as_text(self.moment)

    @property
    def sentence(self) -> str:
        """How the time was interpreted, for the person who typed it."""
        return SENTENCES[self.note, self.edge] % {
            "typed": date_format(self.typed, "DATETIME_FORMAT"),
            "zone": zone_label(self.zone_name),
            "taken": moment_text(self.shown),
        }


PLAIN = gettext_lazy("%(taken)s (%(zone)s).")
GAP = gettext_lazy(
    "%(typed)s does not exist in this time zone (%(zone)s): the clocks go forward and skip it. We used %(taken)s "
    "instead."
)
SENTENCES = {
    **{(ClockChange.PLAIN, edge): PLAIN for edge in Edge},
    **{(ClockChange.GAP, edge): GAP for edge in Edge},
    (ClockChange.REPEATED, Edge.OPENING): gettext_lazy(
        "%(typed)s occurs twice in this time zone (%(zone)s), because the clocks go back. We used the first, "
        "%(taken)s, so that nobody who arrives on time finds voting closed."
    ),
    (ClockChange.REPEATED, Edge.CLOSING): gettext_lazy(
        "%(typed)s occurs twice in this time zone (%(zone)s), because the clocks go back. We used the second, "
        "%(taken)s, so that nobody loses time."
    ),
    (ClockChange.REPEATED, Edge.APPEARING): gettext_lazy(
        "%(typed)s occurs twice in this time zone (%(zone)s), because the clocks go back. We used the first, %(taken)s."
    ),
}


def interpret(local: datetime, zone_name: str, edge: Edge) -> InterpretedTime:
    """What a time typed without a zone means in this one.

    A time that occurs twice opens at its first and closes at its second occurrence, so people who go by their own clock
    are never shut out. A time skipped by the clocks moves forward by as much as they do, as in calendars.
    """
    check_year(local.year)
    first = local.replace(tzinfo=zone(zone_name), fold=0)
    second = first.replace(fold=1)
    before, after = first.utcoffset() or timedelta(), second.utcoffset() or timedelta()
    note = ClockChange.PLAIN  # both folds agree, unless the clocks go forward over the time or back to it (see PEP 495)
    if before != after:
        note = ClockChange.REPEATED if before > after else ClockChange.GAP
    chosen = second if (note, edge) == (ClockChange.REPEATED, Edge.CLOSING) else first
    return InterpretedTime(local, zone_name, edge, chosen.astimezone(UTC), note)


def check_year(year: int) -> None:
    if not FIRST_YEAR <= year <= LAST_YEAR:
        years = {"first": FIRST_YEAR, "last": LAST_YEAR}
        raise ValidationError(_("The year must be between %(first)d and %(last)d."), code="year", params=years)


# --- showing and storing times ---


def local_time(moment: datetime, zone_name: str) -> datetime:
    """The time in a zone."""
    return moment.astimezone(zone(zone_name))


def form_time(moment: datetime, zone_name: str) -> datetime:
    """The time as a person in the zone would type it, as a form's initial value."""
    return local_time(moment, zone_name).replace(tzinfo=None)


def moment_text(local: datetime) -> str:
    """Date, time and the zone's abbreviation; many zones only have their offset."""
    letters = local.tzname() or ""
    zone_text = letters if letters.isalpha() else offset_text(local.utcoffset() or timedelta())
    return f"{date_format(local, 'DATETIME_FORMAT')} {zone_text}"


def moment_with_zone(moment: datetime, zone_name: str) -> str:
    """The time in a zone, and the zone, unless that is UTC, which the time says itself."""
    text = moment_text(local_time(moment, zone_name))
    return text if zone_name == "UTC" else f"{text} ({zone_label(zone_name)})"


def from_text(stored: str) -> datetime:
    """A time from its stored text: the inverse of `as_text`."""
    return datetime.fromisoformat(stored).astimezone(UTC)


# --- how much time is left ---

SECONDS_PER_DAY, SECONDS_PER_HOUR, SECONDS_PER_MINUTE = 24 * 3600, 3600, 60
UNITS = {
    SECONDS_PER_DAY: ngettext_lazy("%(count)d day", "%(count)d days", "count"),
    SECONDS_PER_HOUR: ngettext_lazy("%(count)d hour", "%(count)d hours", "count"),
    SECONDS_PER_MINUTE: ngettext_lazy("%(count)d minute", "%(count)d minutes", "count"),
    1: ngettext_lazy("%(count)d second", "%(count)d seconds", "count"),
}


@dataclass(frozen=True, slots=True)
class Duration:
    """A number of days, hours, minutes or seconds."""

    count: int
    unit: int

    def __str__(self) -> str:
        return UNITS[self.unit] % {"count": self.count}


def seconds_left(until: datetime, now: datetime) -> int:
    """Whole seconds, rounded up: zero only when it is over."""
    return max(0, -((now - until) // timedelta(seconds=1)))


def split_seconds(seconds: int) -> list[Duration]:
    """The largest unit and the next one, if it is not zero: 3 days 4 hours; 59 minutes; 5 seconds."""
    units = list(UNITS)
    at = next((at for at, unit in enumerate(units) if seconds >= unit), len(units) - 1)
    found = [Duration(seconds // units[at], units[at])]
    if rest := seconds % units[at] // units[at + 1] if at + 1 < len(units) else 0:
        found.append(Duration(rest, units[at + 1]))
    return found


# --- on pages of elections ---

# In the election's zone and in UTC; where scripts run, in the reader's own zone instead of UTC.
TIME = (
    '<span><time datetime="{}" data-local data-offset="{}" data-yours="{}">{}</time>{}'
    "<span data-elsewhere>{}</span></span>"
)
# A script keeps counting, by the server's clock; screen readers read it on demand, not every second.
COUNTDOWN = (
    '<span class="countdown{}" role="timer" data-edge="{}" data-until="{}" data-now="{}" data-words="{}" '
    'data-over="{}">{}</span>'
)
NOW = "{now}"


def moment(stored: str | int) -> datetime:
    """A stored time, text or seconds, as a datetime for `date` and `timesince`."""
    return datetime.fromtimestamp(stored, UTC) if isinstance(stored, int) else datetime.fromisoformat(stored)


def day(stored: str, zone_name: str = "") -> str:
    """The calendar day of a stored time in a zone; without one, the site's."""
    return date_format(_local_time(from_text(stored), zone_name)[0], "DATE_FORMAT")


def in_zone(moment: datetime | str, zone_name: str = "") -> str:
    """Date, time and the zone's abbreviation, in a zone; without one, the site's."""
    return moment_text(_local_time(_moment(moment), zone_name)[0])


def clock_in_zone(moment: datetime | str, zone_name: str) -> str:
    """Only the time of day, in a zone."""
    return date_format(_local_time(_moment(moment), zone_name)[0], "TIME_FORMAT")


def election_time(moment: datetime | str, zone_name: str) -> SafeString:
    """A time, or its stored text, in the election's zone; a script adds the reader's own time."""
    moment = _moment(moment)
    local, zone_name = _local_time(moment, zone_name)
    offset = local.utcoffset() or timedelta()
    zone = "" if zone_name == "UTC" else f" ({zone_label(zone_name)})"
    universal = moment.astimezone(UTC)
    text = date_format(universal, "TIME_FORMAT" if universal.date() == local.date() else "DATETIME_FORMAT")
    elsewhere = f", {text} UTC" if offset else ""
    yours = _("%(time)s your time") % {"time": "{time}"}
    minutes = round(offset / timedelta(minutes=1))
    return format_html(TIME, as_text(moment), minutes, yours, moment_text(local), zone, elsewhere)


def countdown(until: datetime | str, edge: str = Edge.CLOSING.value, now: datetime | None = None) -> SafeString:
    """How much time is left until voting ends or, with the edge "opening", until it begins; a script keeps counting."""
    until, now = _moment(until), now or utc_now()
    left = seconds_left(until, now)
    is_ending = edge == Edge.CLOSING.value and left < SECONDS_PER_HOUR
    amounts = tuple(split_seconds(left)) if left else ()
    before, after = _around_now(as_text(until), edge, is_ending, amounts, get_language())
    return SafeString(f"{before}{as_text(now)}{after}")


@lru_cache(1000)
def _around_now(
    until: str, edge: str, is_ending: bool, amounts: tuple[Duration, ...], language: str | None
) -> tuple[str, str]:
    """A countdown without the present time. The rest stays as it is for an hour or a minute."""
    opening = Edge(edge) is Edge.OPENING
    label = (_("Opens in %(time)s") if opening else _("%(time)s left")) % {"time": "{time}"}
    over = _("Voting has begun.") if opening else _("Voting has ended.")
    parts = (str(each).partition(str(each.count)) for each in amounts)
    counts = format_html_join(" ", "<span>{}<b>{}</b>{}</span>", parts)
    first, _time, last = label.partition("{time}")
    text = format_html("{}{}{}", first, counts, last) if amounts else over
    kind = " ending" if is_ending else ""
    before, _now, after = format_html(COUNTDOWN, kind, edge, until, NOW, label, over, text).partition(NOW)
    return before, after


def _moment(moment: datetime | str) -> datetime:
    return from_text(moment) if isinstance(moment, str) else moment


def _local_time(moment: datetime, zone_name: str) -> tuple[datetime, str]:
    """Shows the time even if this machine does not know the election's zone."""
    zone_name = zone_name or settings.SITE_TIME_ZONE or "UTC"
    try:
        return local_time(moment, zone_name), zone_name
    except UnknownZone:
        return moment.astimezone(UTC), "UTC"
