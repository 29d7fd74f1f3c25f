"""An election as a calendar file that every calendar program reads (iCalendar, RFC 5545)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import NAMESPACE_URL, uuid5

from django.urls import reverse
from django.utils.encoding import iri_to_uri
from django.utils.translation import gettext as _

from acts.links import absolute_url
from acts.refusals import Refusal
from elections.rules import Election

MAX_LINE_BYTES = 75  # octets, without the line's end
ALARM_LEAD_TIME = timedelta(days=1)
ESCAPES = str.maketrans({"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n"})


class NotInTheCalendar(Refusal):
    """The election has no times that a calendar could show."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An election from opening to closing: one event, so that a later file replaces it."""

    name: str
    url: str
    description: str
    opens: datetime | None
    closes: datetime | None
    changed: datetime
    sequence: int = 0  # grows with every change


def entry_of(election: Election, description: str = "") -> Entry:
    """With the moment at which voting really ended, if it has."""
    url = absolute_url(reverse("election", args=[election.name]))
    ends = election.ended or election.ends
    return Entry(election.name, url, description, election.begins, ends, election.times_changed, election.version)


def calendar(entry: Entry, now: datetime) -> bytes:
    """As a file, with an alarm a day before the end, if that is still ahead: calendars ring at once for one they
    missed."""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Plenum//Elections//EN",
        "CALSCALE:GREGORIAN",
        *_event(entry, now),
        "END:VCALENDAR",
    ]
    return b"".join(part + b"\r\n" for line in lines for part in _folded(line))


def _event(entry: Entry, now: datetime) -> list[str]:
    """Transparent, so that no one looks busy."""
    start, end, title = _span(entry.opens, entry.closes)
    text = f"{entry.description.strip()}\n\n{entry.url}".strip()
    return [
        "BEGIN:VEVENT",
        f"UID:{uuid5(NAMESPACE_URL, entry.url)}",
        f"DTSTAMP:{_utc(entry.changed)}",
        f"LAST-MODIFIED:{_utc(entry.changed)}",
        f"SEQUENCE:{entry.sequence}",
        f"DTSTART:{_utc(start)}",
        f"DTEND:{_utc(end)}" if end else "DURATION:PT1M",
        f"SUMMARY:{_text(title % {'name': entry.name})}",
        f"DESCRIPTION:{_text(text)}",
        f"URL:{iri_to_uri(_visible(entry.url))}",
        "TRANSP:TRANSPARENT",
        *_alarm(entry.name, entry.closes, now),
        "END:VEVENT",
    ]


def _span(opens: datetime | None, closes: datetime | None) -> tuple[datetime, datetime | None, str]:
    """Start, end and title of the event."""
    if opens and closes:
        if opens >= closes:
            raise NotInTheCalendar(_("This election would end before it begins."))
        return opens, closes, _("Voting: %(name)s")
    if closes:
        return closes, None, _("Voting ends: %(name)s")
    if opens:
        return opens, None, _("Voting begins: %(name)s")
    raise NotInTheCalendar(_("This election has no opening or closing time yet."))


def _alarm(name: str, closes: datetime | None, now: datetime) -> list[str]:
    if closes is None or closes - ALARM_LEAD_TIME <= now:
        return []
    text = _("Voting ends in a day: %(name)s") % {"name": name}
    return [
        "BEGIN:VALARM",
        "ACTION:DISPLAY",
        f"TRIGGER;VALUE=DATE-TIME:{_utc(closes - ALARM_LEAD_TIME)}",
        f"DESCRIPTION:{_text(text)}",
        "END:VALARM",
    ]


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def _text(text: str) -> str:
    """Text as a value: a line's end and what separates values are escaped, other control characters left out."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(map(_visible, lines)).translate(ESCAPES)


def _visible(text: str) -> str:
    return "".join(letter for letter in text if unicodedata.category(letter) not in ("Cc", "Cs") or letter == "\t")


def _folded(line: str) -> Iterator[bytes]:
    """The line in parts that are short enough, each but the first after a space; no letter is cut in two."""
    part = b""
    for letter in line:
        octets = letter.encode()
        if len(part) + len(octets) > MAX_LINE_BYTES:
            yield part
            part = b" "
        part += octets
    yield part
