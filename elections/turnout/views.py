"""The turnout on pages, and its chart over time, which a template draws.

Widths of the chart are percentages, heights pixels, so that it stretches and its labels do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from elections.access import election_context, organiser_page
from elections.rules import Action, Election, State
from foundation.acts.storage import now_text
from foundation.pages import times
from foundation.store.log import as_text

from .counts import Turnout, turnouts

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
    start = max((moment for moment in (election.opened, election.begins) if moment is not None), default=None)
    if counted.steps:
        first = counted.steps[0][0] - timedelta(hours=1)
        start = min(start or first, first)
    if start is None or start >= now:
        return None
    over = election.state(as_text(now)) == State.CLOSED
    end = max((election.ended if over else election.ends) or now, start + timedelta(minutes=5))
    return Window(start, end, end if over else min(now, end))


def draw_chart(election: Election, counted: Turnout, when: Window, quorum: int | None = None) -> Chart:
    voters = election.electors if election.electorate == "listed" else 0  # unknown: votes instead of shares
    is_open = when.now < when.end
    # Of a window that has just begun, its first part: what has happened so far takes a quarter of the width.
    when = replace(when, end=min(when.end, when.start + max(4 * (when.now - when.start), timedelta(hours=1))))
    needed = _height(quorum, voters) if quorum else 0
    top = _top(max(_height(counted.voted, voters), needed), is_share=bool(voters))
    # From zero to the current count; the hour or day in progress ends now.
    counts = [(when.start, 0), *((min(moment, when.now), count) for moment, count in counted.steps)]
    line = [(when.across(at), min(_height(n, voters), top)) for at, n in (*counts, (when.now, counted.voted))]
    label = _("%(percent)s%%") if voters else "%(percent)s"
    return Chart(
        " ".join(f"{across:g},{round(100 - 100 * height / top, 2):g}" for across, height in line),
        when.across(when.now),
        tuple(_days(when, election.time_zone)),
        tuple(Tick(label % {"percent": int(height)}, down=_down(height, top)) for height in (top, top / 2)),
        Tick(str(quorum), down=_down(needed, top)) if needed else None,
        Tick(_("now"), across=when.across(when.now)) if is_open else None,
        times.zone_label(election.time_zone),
    )


def _height(count: int, voters: int) -> float:
    return 100 * count / voters if voters else float(count)


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


def _down(height: float, top: float) -> float:
    return round(HEAD_PX + PLOT_HEIGHT_PX * (1 - min(height, top) / top), 1)


def _days(when: Window, zone_name: str) -> Iterator[Tick]:
    """At round times of the election's zone: midnights, or whole hours, as few as fit a phone. Where the clocks change,
    a day still begins at midnight."""
    span = when.end - when.start
    pace = next((each for each in PACES if span / each <= MAX_TICKS), span)
    by_day = pace >= timedelta(days=1)
    try:
        start = times.local_time(when.start, zone_name)
    except times.UnknownZone:
        start = when.start.astimezone(UTC)
    at = start.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    while (moment := at.replace(tzinfo=start.tzinfo)).astimezone(UTC) <= when.end:
        if moment.astimezone(UTC) >= when.start:
            label = date_format(moment, _("j M") if by_day else "H:i")
            yield Tick(label, across=when.across(moment.astimezone(UTC)))
        at += pace


@organiser_page(Action.SEE_ROLL)
@require_safe
def turnout_part(request: HttpRequest, election: Election) -> HttpResponse:
    """The turnout alone, for a page that shows it live."""
    context = election_context(request, election, **turnout_context(election))
    return render(request, "elections/parts/turnout_now.html", context)


def turnout_context(election: Election) -> dict[str, Any]:
    """The context of the turnout part; empty for a draft."""
    if election.stored_state == State.DRAFT:
        return {}
    counted = turnouts(election, to_show=True)[0]
    when = window(election, counted, datetime.fromisoformat(now_text()))
    quorum = election.convened.quorum_number if election.convened else None
    is_any = counted.voted or counted.steps  # when the first of them voted may not have been counted yet
    return {
        "turnout": counted,
        "percent": counted.percent(election.electors),
        "picture": draw_chart(election, counted, when, quorum) if when and is_any else None,
    }
