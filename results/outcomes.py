"""How an election ended, in the words of its kind of ballot, and which parts the pages of its result have.

Pages, mails, cards and files all take the answer from here, so that none of them has to know the kinds of ballot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from foundation.tally.lots import ByLot, elected_by_lot
from foundation.tally.methods import KIND_OF, KINDS
from foundation.tally.result import VOTE, Result

from .pictures.drawing import number, voters

MAX_NAMES_PER_LOT = 3  # of those whom a lot elected, and of those who were tied with them


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
    """The answer: a heading, and whom it names, or a sentence; and of these, whom a lot has elected."""

    heading: str
    names: tuple[str, ...] = ()
    sentence: str = ""
    lots: tuple[ByLot, ...] = ()

    @property
    def is_by_lot(self) -> bool:
        """Whether one lot has elected all whom it names, as the heading then says."""
        return is_all_by_lot(len(self.names), self.lots)

    @property
    def line(self) -> str:
        """All of it in one line; the sentence ends with a full stop, a list of names does not."""
        answer = ", ".join(self.names) or self.sentence
        if self.lots:
            answer += (", " if self.is_by_lot else "; ") + describe_lots(self.lots, whole=self.is_by_lot)
        return f"{self.heading}: {answer}" if answer else self.heading

    @property
    def brief(self) -> str:
        """Whom it names, and who of them was elected by lot, if the heading does not say so."""
        if not self.lots or self.is_by_lot:
            return ", ".join(self.names)
        return with_those_by_lot(", ".join(self.names), [name for lot in self.lots for name in lot.names])

    @property
    def lot_sentence(self) -> str:
        """Who was tied with whom, in a sentence below the names."""
        if self.is_by_lot:
            return _("Tied with %(others)s at %(votes)s.") % _tie_of(self.lots[0])
        return f"{describe_lots(self.lots)}." if self.lots else ""


def outcome_of(result: Result) -> Outcome:
    if result.vote:
        return outcome_of_vote(result.vote)
    if not voters(result):
        heading = _("Nothing to count") if KIND_OF[result.method] == "ranked" else _("No decision")
        elected = result.winners if result.seats > 1 else ()  # where there are seats for all
        return Outcome(heading, elected, _("Every ballot is blank.") if result.total else _("Nobody voted."))
    if not result.winners:
        return Outcome(_("Nobody was elected"))
    whole = is_all_by_lot(len(result.winners), lots := elected_by_lot(result))
    if result.seats > 1:
        heading = _("Elected by lot") if whole else _("Elected")
    elif len(result.winners) > 1:
        heading = _("A tie")
    else:
        heading = _("Winner by lot") if whole else _("Winner")
    return Outcome(heading, result.winners, lots=lots)


def is_all_by_lot(winners: int, lots: Sequence[ByLot]) -> bool:
    """Whether one tie was behind all seats."""
    return len(lots) == 1 and len(lots[0].names) == winners


def with_those_by_lot(names: str, by_lot: Sequence[str]) -> str:
    few = by_lot[:MAX_NAMES_PER_LOT]
    drawn = list_in_sentence(few, len(by_lot) - len(few))
    return _("%(names)s; by lot: %(drawn)s") % {"names": names, "drawn": drawn}


def describe_lots(lots: Sequence[ByLot], *, whole: bool = False) -> str:
    """Who was elected by lot, and with whom they were tied; if that is everybody who was elected, only the latter."""
    if whole:
        return _("tied with %(others)s at %(votes)s") % _tie_of(lots[0])
    return "; ".join(_("%(names)s by lot, tied with %(others)s at %(votes)s") % _tie_of(lot) for lot in lots)


def _tie_of(lot: ByLot) -> dict[str, str]:
    few, shown = lot.cut(MAX_NAMES_PER_LOT), number(lot.number)
    plural = 1 if shown == "1" else 2  # of a fraction too
    votes = ngettext("%(count)s vote", "%(count)s votes", plural)
    points = ngettext("%(count)s point", "%(count)s points", plural)
    return {
        "names": list_in_sentence(few.names, few.more_names),
        "others": list_in_sentence(few.tied_with, few.more_tied),
        "votes": (votes if lot.unit == "votes" else points) % {"count": shown},
    }


def list_in_sentence(people: Sequence[str], more: int = 0) -> str:
    """Names in a sentence: A; A and B; A, B and C; A, B and 3 more."""
    if more:
        return _("%(names)s and %(count)d more") % {"names": ", ".join(people), "count": more}
    if len(people) < 2:
        return "".join(people)
    return _("%(names)s and %(last)s") % {"names": ", ".join(people[:-1]), "last": people[-1]}


def outcome_of_vote(vote: Sequence[int]) -> Outcome:
    """Of the numbers in `VOTE`."""
    values = dict(zip(VOTE, vote, strict=True))
    sentence = ngettext(
        "%(yes)d yes, %(no)d no, %(abstain)d abstention; %(needed)d needed.",
        "%(yes)d yes, %(no)d no, %(abstain)d abstentions; %(needed)d needed.",
        values["abstain"],
    )
    if not (values["yes"] or values["no"] or values["abstain"]):
        return Outcome(_("Not carried"), sentence=_("Nobody voted."))
    is_carried = values["yes"] >= values["needed"]
    return Outcome(_("Carried") if is_carried else _("Not carried"), sentence=sentence % values)
