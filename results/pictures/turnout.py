"""How the turnout grew, until the election closed."""

from __future__ import annotations

from datetime import UTC, datetime

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from elections.rules import Election
from elections.turnout.counts import Turnout, tells_who
from foundation.pages import times

from .drawing import Picture, Table, fluid, tag, text, text_at_right

HEAD_PX, PLOT_HEIGHT_PX, FOOT_PX = 26, 160, 42


def turnout_pictures(election: Election, turnout: Turnout) -> list[Picture]:
    """None where there is nothing to show, or where the picture would reveal how people voted."""
    if not turnout.steps or not tells_who(election, turnout.voted):
        return []
    title, notes = _("Turnout"), _("%(voted)s voted") % {"voted": turnout.voted}
    if election.entitled:
        values = {"voted": turnout.voted, "voters": election.entitled, "percent": turnout.percent(election.entitled)}
        notes = _("%(voted)s of %(voters)s voted, %(percent)s%%") % values
    drawn = _curve(election, turnout), *_axis(election, turnout), text(notes, 0, 16, "number")
    rows = tuple((_moment(election, moment), str(count)) for moment, count in turnout.steps)
    paper = _("On paper: %(paper)s.") % {"paper": turnout.paper} if turnout.paper else ""
    picture = fluid(HEAD_PX + PLOT_HEIGHT_PX + FOOT_PX, title, notes, *drawn, kind="turnout")
    return [Picture(title, picture, paper, Table((_("Until"), _("Voted")), rows), "narrow")]


def _curve(election: Election, turnout: Turnout) -> SafeString:
    """Forty units high, a hundred across, stretched to the room there is."""
    line = turnout.curve(election.entitled, turnout.steps[-1][0])
    return tag(
        "svg",
        tag("polygon", points=f"0,40 {line} 100,40", class_="below"),
        tag("line", x1=0, x2=100, y1=0, y2=0, class_="everybody", vector_effect="non-scaling-stroke"),
        tag("polyline", points=line, class_="grown", vector_effect="non-scaling-stroke"),
        tag("line", x1=0, x2=100, y1=40, y2=40, class_="floor", vector_effect="non-scaling-stroke"),
        viewBox="0 0 100 40",
        preserveAspectRatio="none",
        y=HEAD_PX,
        width="100%",
        height=PLOT_HEIGHT_PX,
    )


def _axis(election: Election, turnout: Turnout) -> list[SafeString]:
    """What the top is, and when the first and the last vote came, to the hour or the day; on two lines, for phones."""
    top = max(election.entitled or 0, *(count for _moment, count in turnout.steps))
    below = HEAD_PX + PLOT_HEIGHT_PX + 18
    marks = [text(top, 0, HEAD_PX + 14, "small")]
    if len(turnout.steps) > 1:
        marks.append(text(_moment(election, turnout.steps[0][0]), 0, below, "small"))
    return [*marks, text_at_right(_moment(election, turnout.steps[-1][0]), below + 18, "small")]


def _moment(election: Election, moment: datetime) -> str:
    """To the hour or the day, at whose end votes are counted; but none came after the close."""
    moment = min(moment, election.ended or moment)
    try:
        return times.moment_text(times.local_time(moment, election.time_zone))
    except times.UnknownZone:
        return times.moment_text(moment.astimezone(UTC))
