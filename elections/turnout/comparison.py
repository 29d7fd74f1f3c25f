"""Turnout compared with the last election of the same group: at the same point, and at the end.

Only closed elections are compared, and only if that reveals no one's vote.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from acts.storage import table
from elections import repository
from elections.rules import Election, State
from store import keys

from .chart import Window, window
from .counts import Turnout, tells_who

MAX_RECENT_USES = 20  # uses of a group, the newest, among which the election before another is looked for


@dataclass(frozen=True, slots=True)
class Comparison:
    """Another election's turnout: in percent at the same time of its window, and at its end."""

    name: str
    then: int | None  # nothing, once the own one has ended
    at_the_end: int
    progress: tuple[tuple[float, float], ...]  # which part of its window had passed, and which part had voted

    @property
    def sentence(self) -> str:
        values = {"name": self.name, "then": self.then, "end": self.at_the_end}
        if self.then is None:
            return _("The last election of this group, “%(name)s”, had a turnout of %(end)s%%.") % values
        return (
            _(
                "The last election of this group, “%(name)s”, had a turnout of %(then)s%% at this point, and "
                "%(end)s%% at the end."
            )
            % values
        )


def compare(other: Election, counted: Turnout, own: Window | None, now: datetime) -> Comparison | None:
    """None if there is nothing to compare, or it must not be shown."""
    when = window(other, counted, now)
    is_known = other.electorate == "listed" and other.entitled and other.stored_state == State.CLOSED
    if not is_known or when is None or not tells_who(other, counted.voted):
        return None
    progress = (
        (0.0, 0.0),
        *((when.across(moment) / 100, count / other.entitled) for moment, count in counted.steps),
    )
    progress = (*progress, (1.0, counted.voted / other.entitled))
    is_under_way = own is not None and own.now < own.end
    then = round(100 * share_at(progress, own.passed)) if own is not None and is_under_way else None
    return Comparison(other.name, then, counted.percent(other.entitled), progress)


def share_at(progress: tuple[tuple[float, float], ...], passed: float) -> float:
    """The share that had voted when this part of the window had passed, interpolated between counts."""
    before = max((each for each in progress if each[0] <= passed), default=progress[0])
    after = min((each for each in progress if each[0] > passed), default=before)
    span = after[0] - before[0]
    return before[1] + (after[1] - before[1]) * ((passed - before[0]) / span if span else 0)


def last_election(group_id: str, before: Election) -> Election | None:
    """The newest earlier election that used the group and was opened, if any."""
    earlier = keys.group_uses_before(group_id, before.created_at)
    for use in table().page(earlier, limit=MAX_RECENT_USES, backwards=True).items if group_id else ():
        found = repository.find_created(use["election_name"], use["created_at"])
        if found is not None and found.stored_state != State.DRAFT:
            return found
    return None
