"""Chart of the turnout over time: pure geometry, drawn by a template.

Widths are percentages, heights pixels, so that the chart stretches and its labels do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from elections.rules import Election, State
from foundation.pages import times
from foundation.store.log import as_text

from .counts import Turnout

HEAD_PX, PLOT_HEIGHT_PX, FOOT_PX = 20, 190, 26
MAX_TICKS = 5
PACES = (
    *(timedelta(minutes=each) for each in (5, 10, 15, 30)),
    *(timedelta(hours=each) for each in (1, 2, 3, 6, 12)),
    *(timedelta(days=each) for each in (1, 2, 3, 7, 14, 30, 60, 120, 365)),
)
TOPS = (10, 20, 50, 100)  # percent, each with a whole half


@dataclass(frozen=True, slots=True)
class Window:
    """The voting window; `now` is within it, or at its end."""

    start: datetime
    end: datetime
    now: datetime

    def across(self, moment: datetime) -> float:
        """Where a moment is, in percent of the whole."""
        share = (moment - self.start) / (self.end - self.start)
        return round(100 * min(1.0, max(0.0, share)), 2)


@dataclass(frozen=True, slots=True)
class Tick:
    label: str
    across: float = 0  # in percent
    down: float = 0  # in pixels

    @property
    def x(self) -> str:
        """As a drawing has it, whatever the reader's decimal point is."""
        return f"{self.across:g}%"

    @property
    def y(self) -> str:
        return f"{self.down:g}"

    @property
    def anchor(self) -> str:
        """Writing near an edge stays inside."""
        return "start" if self.across < 7 else "end" if self.across > 93 else "middle"


@dataclass(frozen=True, slots=True)
class Chart:
    line: str  # points, 100 across and 100 down
    until: float  # how far the line reaches, in percent
    days: tuple[Tick, ...]
    shares: tuple[Tick, ...]
    quorum: Tick | None
    now: Tick | None
    zone: str  # of the times
    head: int = HEAD_PX
    tall: int = PLOT_HEIGHT_PX
    floor: int = HEAD_PX + PLOT_HEIGHT_PX
    height: int = HEAD_PX + PLOT_HEIGHT_PX + FOOT_PX

    @property
    def below(self) -> str:
        return f"0,100 {self.line} {self.until:g},100"

    @property
    def below_writing(self) -> int:
        return self.floor + 18


def window(election: Election, counted: Turnout, now: datetime) -> Window | None:
    """None if there is nothing to draw: before the start, or if the start is unknown."""
    start = _start(election, counted)
    if start is None or start >= now:
        return None
    over = election.state(as_text(now)) == State.CLOSED
    end = max((election.ended if over else election.ends) or now, start + timedelta(minutes=5))
    return Window(start, end, end if over else min(now, end))


def _start(election: Election, counted: Turnout) -> datetime | None:
    known = [moment for moment in (election.opened, election.begins) if moment is not None]
    first = counted.steps[0][0] - timedelta(hours=1) if counted.steps else None
    if not known:
        return first
    return min(max(known), first) if first else max(known)


def draw_chart(election: Election, counted: Turnout, when: Window, quorum: int | None = None) -> Chart:
    voters = election.electors if election.electorate == "listed" else 0  # unknown: votes instead of shares
    whole, when = when, _begun(when)
    needed = _height(quorum, voters) if quorum else 0
    top = _top(max(_height(counted.voted, voters), needed), is_share=bool(voters))
    line = [(when.across(moment), _height(count, voters)) for moment, count in _reached(counted, when)]
    is_open = when.now < whole.end
    return Chart(
        _points(line, top),
        when.across(when.now),
        tuple(_days(when, election.time_zone)),
        tuple(_shares(top, is_share=bool(voters))),
        Tick(str(quorum), down=_down(needed, top)) if needed else None,
        Tick(_("now"), across=when.across(when.now)) if is_open else None,
        times.zone_label(election.time_zone),
    )


def _begun(when: Window) -> Window:
    """Of a window that has just begun, its first part: what has happened so far takes a quarter of the width."""
    return replace(when, end=min(when.end, when.start + max(4 * (when.now - when.start), timedelta(hours=1))))


def _height(count: int, voters: int) -> float:
    return 100 * count / voters if voters else float(count)


def _reached(counted: Turnout, when: Window) -> Iterator[tuple[datetime, int]]:
    """From zero to the current count; the hour or day in progress ends now."""
    yield when.start, 0
    for moment, count in counted.steps:
        yield min(moment, when.now), count
    yield when.now, counted.voted


def _top(reached: float, *, is_share: bool) -> float:
    """The value of the upper edge: a round number not exceeded, with a whole half."""
    if is_share:
        return next((top for top in TOPS if reached <= top), 100)
    power = 1
    while True:
        for each in (2, 4, 10):
            if reached <= each * power:
                return each * power
        power *= 10


def _points(pairs: Iterable[tuple[float, float]], top: float) -> str:
    return " ".join(f"{across:g},{round(100 - 100 * min(height, top) / top, 2):g}" for across, height in pairs)


def _down(height: float, top: float) -> float:
    return round(HEAD_PX + PLOT_HEIGHT_PX * (1 - min(height, top) / top), 1)


def _shares(top: float, *, is_share: bool) -> Iterator[Tick]:
    for height in (top, top / 2):
        label = _("%(percent)s%%") % {"percent": int(height)} if is_share else str(int(height))
        yield Tick(label, down=_down(height, top))


def _days(when: Window, zone_name: str) -> Iterator[Tick]:
    """At round times of the election's zone: midnights, or whole hours, as few as fit a phone."""
    span = when.end - when.start
    pace = next((each for each in PACES if span / each <= MAX_TICKS), span)
    by_day = pace >= timedelta(days=1)
    for moment in _round_times(when, zone_name, pace):
        label = date_format(moment, _("j M") if by_day else "H:i")
        yield Tick(label, across=when.across(moment.astimezone(UTC)))


def _round_times(when: Window, zone_name: str, pace: timedelta) -> Iterator[datetime]:
    """Wall-clock times: where the clocks change, a day still begins at midnight."""
    start = _local(when.start, zone_name)
    zone, at = start.tzinfo, start.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    while (moment := at.replace(tzinfo=zone)).astimezone(UTC) <= when.end:
        if moment.astimezone(UTC) >= when.start:
            yield moment
        at += pace


def _local(moment: datetime, zone_name: str) -> datetime:
    try:
        return times.local_time(moment, zone_name)
    except times.UnknownZone:
        return moment.astimezone(UTC)
