"""Whether what was said is what is there: acknowledged, stored, on the roll, through the gates and in the log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ballots import repository
from elections import rolls
from elections.turnout.counts import turnout
from foundation.acts.storage import use_table
from foundation.store.log import layout
from tests.ballots.history import CLOSED, Act

from .casting import Rush
from .site import Site, found


@dataclass(frozen=True)
class Judgement:
    """Of one election after its rush."""

    acknowledged: int
    stored: int
    on_the_roll: int
    through_the_gates: int
    in_the_log: int
    lost: int  # acknowledged, and not there
    doubled: int  # more than one of somebody
    unsaid: int  # there, though nobody was told
    after_the_close: int  # accepted, though they came when somebody had been told that it is closed

    @property
    def is_right(self) -> bool:
        numbers = {self.acknowledged, self.stored, self.on_the_roll, self.through_the_gates, self.in_the_log}
        return len(numbers) == 1 and not (self.lost or self.doubled or self.unsaid or self.after_the_close)


def judged(site: Site, name: str, rush: Rush, close: Act | None = None) -> Judgement:
    """Looked at by somebody for whom no time passes, when everybody has gone."""
    with use_table(site.looking()) as _:
        cast = Counter(act.actor for act in rush.done)
        codes = {act.code for act in rush.done if act.code}
        there = [ballot.confirmation for ballot in repository.every_ballot(found(name))]
        voted = {voter.name for voter in rolls.every_voter(found(name)) if voter.voted}
        events = Counter(_voters_in_log(site, name))
        return Judgement(
            acknowledged=len(cast),
            stored=len(there),
            on_the_roll=len(voted),
            through_the_gates=turnout(name).voted,
            in_the_log=sum(events.values()),
            lost=len(codes - set(there)) + len(cast.keys() - voted) + len(cast.keys() - events.keys()),
            doubled=len(there) - len(set(there)) + sum(count > 1 for count in (*cast.values(), *events.values())),
            unsaid=len(voted - cast.keys()),
            after_the_close=_late(rush.done, _told_closed(rush.acts, close)),
        )


def _voters_in_log(site: Site, name: str) -> list[str]:
    every = layout.each(site.looking())
    told = [event["event_data"] for event in every if event["event_type"] == "BallotCast"]
    return [said["voter_name"] for said in told if said["election_name"] == name]


def _told_closed(acts: Sequence[Act], close: Act | None) -> float:
    """When the first was told that it is closed: the organiser, or a voter who came too late."""
    met = [act.answered for act in acts if act.answer == CLOSED]
    return min([*met, *([close.answered] if close else [])], default=float("inf"))


def _late(done: Sequence[Act], closed: float) -> int:
    return sum(act.called > closed for act in done)
