"""Times as pages of elections show them: in the election's zone and the reader's, and how much time is left."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache

from django.conf import settings
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from foundation.store.log import as_text, utc_now

from . import times
from .times import SECONDS_PER_HOUR, Duration, Edge, UnknownZone

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
    return date_format(_local_time(times.from_text(stored), zone_name)[0], "DATE_FORMAT")


def in_zone(moment: datetime | str, zone_name: str = "") -> str:
    """Date, time and the zone's abbreviation, in a zone; without one, the site's."""
    return times.moment_text(_local_time(_moment(moment), zone_name)[0])


def clock_in_zone(moment: datetime | str, zone_name: str) -> str:
    """Only the time of day, in a zone."""
    return date_format(_local_time(_moment(moment), zone_name)[0], "TIME_FORMAT")


def election_time(moment: datetime | str, zone_name: str) -> SafeString:
    """A time, or its stored text, in the election's zone; a script adds the reader's own time."""
    moment = _moment(moment)
    local, zone_name = _local_time(moment, zone_name)
    offset = local.utcoffset() or timedelta()
    zone = "" if zone_name == "UTC" else f" ({times.zone_label(zone_name)})"
    universal = moment.astimezone(UTC)
    text = date_format(universal, "TIME_FORMAT" if universal.date() == local.date() else "DATETIME_FORMAT")
    elsewhere = f", {text} UTC" if offset else ""
    yours = _("%(time)s your time") % {"time": "{time}"}
    minutes = round(offset / timedelta(minutes=1))
    return format_html(TIME, as_text(moment), minutes, yours, times.moment_text(local), zone, elsewhere)


def countdown(until: datetime | str, edge: str = Edge.CLOSING.value, now: datetime | None = None) -> SafeString:
    """How much time is left until voting ends or, with the edge "opening", until it begins; a script keeps counting."""
    until, now = _moment(until), now or utc_now()
    left = times.seconds_left(until, now)
    is_ending = edge == Edge.CLOSING.value and left < SECONDS_PER_HOUR
    amounts = tuple(times.split_seconds(left)) if left else ()
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
    return times.from_text(moment) if isinstance(moment, str) else moment


def _local_time(moment: datetime, zone_name: str) -> tuple[datetime, str]:
    """Shows the time even if this machine does not know the election's zone."""
    zone_name = zone_name or settings.SITE_TIME_ZONE or "UTC"
    try:
        return times.local_time(moment, zone_name), zone_name
    except UnknownZone:
        return moment.astimezone(UTC), "UTC"
