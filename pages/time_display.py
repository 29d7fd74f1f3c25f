"""Times as pages of elections show them: in the election's zone and the reader's, and how much time is left."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache

from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from store.log import as_text, utc_now

from . import times
from .fragments import fragment
from .times import HOUR, Amount, Edge, UnknownZone


def moment(stored: str | int) -> datetime:
    """A stored time, text or seconds, as one that `date` and `timesince` understand."""
    return datetime.fromtimestamp(stored, UTC) if isinstance(stored, int) else datetime.fromisoformat(stored)


def day(stored: str, zone_name: str) -> str:
    """The day of a stored time on the calendars of a zone."""
    return date_format(_shown(times.from_text(stored), zone_name)[0], "DATE_FORMAT")


def in_zone(moment: datetime | str, zone_name: str) -> str:
    """Date, time and the zone's letters, on the clocks of a zone."""
    return times.moment_text(_shown(_moment(moment), zone_name)[0])


def clock_in_zone(moment: datetime | str, zone_name: str) -> str:
    """The time of day alone, on the clocks of a zone."""
    return date_format(_shown(_moment(moment), zone_name)[0], "TIME_FORMAT")


def zone_label(zone_name: str) -> str:
    return times.zone_label(zone_name)


def election_time(moment: datetime | str, zone_name: str) -> SafeString:
    """A moment, or the text it is stored as, in the election's zone; a script adds the reader's own time."""
    moment = _moment(moment)
    shown, zone_name = _shown(moment, zone_name)
    offset = shown.utcoffset() or timedelta()
    context = {
        "stored": as_text(moment),
        "text": times.moment_text(shown),
        "zone": "" if zone_name == "UTC" else times.zone_label(zone_name),
        "offset": round(offset / timedelta(minutes=1)),
        "universal": _universal(moment, shown) if offset else "",
        "yours": _("%(time)s your time") % {"time": "{time}"},
    }
    return fragment("pages/parts/time.html", context)


def countdown(until: datetime | str, edge: str = Edge.CLOSING.value, now: datetime | None = None) -> SafeString:
    """How much time is left until voting ends or, with the edge "opening", until it begins; a script counts on."""
    until, now = _moment(until), now or utc_now()
    left = times.seconds_left(until, now)
    words, over = _words(edge, get_language())
    before, _time, after = words.partition("{time}")
    context = {
        "until": as_text(until),
        "now": as_text(now),
        "words": words,
        "before": before,
        "amounts": [_with_bold_count(amount, get_language()) for amount in times.amounts(left)],
        "after": after,
        "over": over,
        "left": left,
        "edge": edge,
        "is_ending": edge == Edge.CLOSING.value and left < HOUR,
    }
    return fragment("pages/parts/countdown.html", context)


def _moment(moment: datetime | str) -> datetime:
    return times.from_text(moment) if isinstance(moment, str) else moment


def _shown(moment: datetime, zone_name: str) -> tuple[datetime, str]:
    """A machine that does not know the election's zone shows the time all the same."""
    try:
        return times.shown(moment, zone_name), zone_name
    except UnknownZone:
        return moment.astimezone(UTC), "UTC"


def _universal(moment: datetime, shown: datetime) -> str:
    universal = moment.astimezone(UTC)
    same_day = universal.date() == shown.date()
    return f"{date_format(universal, 'TIME_FORMAT' if same_day else 'DATETIME_FORMAT')} UTC"


@lru_cache(1000)
def _words(edge: str, language: str | None) -> tuple[str, str]:
    """In the language that is spoken here."""
    if Edge(edge) is Edge.OPENING:
        return _("Opens in %(time)s") % {"time": "{time}"}, _("Voting has begun.")
    return _("%(time)s left") % {"time": "{time}"}, _("Voting has ended.")


@lru_cache(1000)
def _with_bold_count(amount: Amount, language: str | None) -> SafeString:
    before, count, after = str(amount).partition(str(amount.count))
    return format_html("{}<b>{}</b>{}", before, count, after)
