"""How an election ended, in the words of its kind of ballot, and which parts the pages of its result have.

Pages, mails, cards and files all take the answer from here, so that none of them has to know the kinds of ballot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tally.methods import KIND_OF, KINDS
from tally.result import VOTE, Result

from .pictures.drawing import voters


@dataclass(frozen=True, slots=True)
class Parts:
    """What the pages of a result have besides the answer, the charts, the reasons and the ways to check it."""

    chart_first: bool = True  # whether the charts are beside the answer, or below the reasons
    comparisons: bool = False  # all places, the other methods, candidates head to head, and what if
    unranked: bool = False  # what leaving a candidate out of a ranking means


PARTS = dict.fromkeys(KINDS, Parts()) | {"ranked": Parts(chart_first=False, comparisons=True, unranked=True)}


def parts_of(result: Result) -> Parts:
    return PARTS[KIND_OF[result.method]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The answer: a heading, and whom it names, or a sentence."""

    heading: str
    names: tuple[str, ...] = ()
    sentence: str = ""

    @property
    def line(self) -> str:
        """All of it in one line; the sentence ends with a full stop, a list of names does not."""
        return (
            f"{self.heading}: {', '.join(self.names) or self.sentence}" if self.names or self.sentence else self.heading
        )


def outcome_of(result: Result) -> Outcome:
    if result.vote:
        return outcome_of_vote(result.vote)
    if not voters(result):
        heading = _("Nothing to count") if KIND_OF[result.method] == "ranked" else _("No decision")
        elected = result.winners if result.seats > 1 else ()  # by lot, as some rules require
        return Outcome(heading, elected, _("Every ballot is blank.") if result.total else _("Nobody voted."))
    if not result.winners:
        return Outcome(_("Nobody was elected"))
    several = _("A tie") if len(result.winners) > 1 else _("Winner")
    return Outcome(_("Elected") if result.seats > 1 else several, result.winners)


def outcome_of_vote(vote: Sequence[int]) -> Outcome:
    """Of the numbers in `VOTE`."""
    values = dict(zip(VOTE, vote, strict=True))
    sentence = ngettext(
        "%(yes)d yes, %(no)d no, %(abstain)d abstention; %(needed)d needed.",
        "%(yes)d yes, %(no)d no, %(abstain)d abstentions; %(needed)d needed.",
        values["abstain"],
    )
    is_carried = values["yes"] >= values["needed"]
    return Outcome(_("Carried") if is_carried else _("Not carried"), sentence=sentence % values)
