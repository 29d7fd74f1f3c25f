"""Results in words: how an election ended, the method, how close it was, what other methods would have given; and
which parts the pages of a result have.

Pages, mails, cards and files all take the answer from here, so that none of them has to know the kinds of ballot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from elections.rules import METHODS
from foundation.tally.explain import Sentence
from foundation.tally.lots import ByLot, elected_by_lot
from foundation.tally.methods import KIND_OF, KINDS
from foundation.tally.result import VOTE, Result

from .pictures.drawing import number, voters
from .repository import OtherMethod, Report

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


LABELS = METHODS | {
    "copeland": gettext_lazy("Copeland"),
    "minimax": gettext_lazy("Minimax"),
    "plurality": gettext_lazy("First preferences"),
}
RULES = {
    "schulze": gettext_lazy(
        "Candidates are compared in pairs. If A beats B, B beats C and C beats A, the weakest of these wins "
        "count least: candidates are ordered by the strongest chain of wins between them."
    ),
    "ranked-pairs": gettext_lazy(
        "Candidates are compared in pairs. The wins are then applied from the clearest to the closest, and a "
        "win that contradicts clearer ones is left out."
    ),
    "irv": gettext_lazy(
        "Every ballot counts for its highest-ranked candidate who is still in the race. Round by round, the "
        "candidate with the fewest votes is eliminated, until one has more than half."
    ),
    "borda": gettext_lazy(
        "Every ballot gives no points to its last-ranked candidate, one to the next, and so on upwards; "
        "candidates ranked equally share the points."
    ),
    "copeland": gettext_lazy("Candidates are compared in pairs. Each win gives one point, each draw half a point."),
    "minimax": gettext_lazy(
        "Candidates are compared in pairs. A candidate nobody beats wins; otherwise the one whose worst "
        "defeat was the smallest."
    ),
    "plurality": gettext_lazy("Every ballot counts for its first choice; candidates ranked equally share it."),
    "stv-scottish": gettext_lazy(
        "Candidates who reach the quota are elected, and their surplus is passed on to the next candidates on"
        " those ballots. When nobody reaches it, the candidate with the fewest votes is eliminated. These are"
        " the rules of Scottish council elections."
    ),
    "stv-meek": gettext_lazy(
        "Candidates who reach the quota are elected and keep only as much of each vote as they need; the rest"
        " is passed on. The quota falls as ballots run out of names. These are Meek's rules."
    ),
    "majority": gettext_lazy(
        "Every voter says yes or no, or abstains. The proposal is carried if enough say yes: how many, and of whom, is "
        "fixed before the first vote."
    ),
    "most-votes": gettext_lazy(
        "Every mark is one vote. Those with most votes are elected, as many as there are seats."
    ),
    "approval": gettext_lazy(
        "Every ballot gives one vote to everybody it approves of. Those with most votes are elected, as many as there "
        "are seats."
    ),
    "star": gettext_lazy(
        "Every ballot gives each candidate 0 to 5 points. The two with most points meet in a runoff, in which every "
        "ballot counts for the one it scores higher. Several seats are filled one after the other in this way."
    ),
    "score": gettext_lazy(
        "Every ballot gives each candidate 0 to 5 points. Those with most points are elected, as many as there are "
        "seats."
    ),
    "cumulative": gettext_lazy(
        "Voters distribute points as they like. Those with most points are elected, as many as there are seats."
    ),
}
SETTLED = {  # how a tie was settled; those settled by lot are listed as lots
    "left": gettext_lazy("remains a tie"),
    "earlier round": gettext_lazy("decided by an earlier round"),
    "head to head": gettext_lazy("decided head to head"),
    "points": gettext_lazy("decided by the points"),
    "fives": gettext_lazy("decided by the ratings of five"),
}
DRAWN = {  # what a lot was drawn for
    "elimination": gettext_lazy("eliminated"),
    "transfer": gettext_lazy("transferred first"),
    "election": gettext_lazy("elected"),
    "finalists": gettext_lazy("in the runoff"),
    "runoff": gettext_lazy("elected"),
}


# Of what a sentence about a count is filled with; the rest are numbers. A share is written as a fraction.
NAMES = ("name", "names", "other", "share")


def translate(sentence: Sentence) -> str:
    values = {key: value if key in NAMES else number(value) for key, value in sentence.values.items()}
    return _(sentence.template) % values


def method_label(method: str) -> str:
    return str(LABELS[method])


def join_names(winners: tuple[str, ...]) -> str:
    return ", ".join(winners)


def outcome_line(shown: Any) -> str:
    """How it ended, in a line of a list or on a card, which know the first few winners and how many there are, or the
    numbers of a vote on yes or no; of several questions, how many have an answer."""
    if shown.questions > 1:
        values = {"decided": shown.decided, "count": shown.questions}
        return (
            ngettext(
                "%(decided)d of %(count)d question decided",
                "%(decided)d of %(count)d questions decided",
                shown.questions,
            )
            % values
        )
    if shown.vote:
        return outcome_of_vote(shown.vote).line
    if not shown.winners:
        return _("There were no votes to count.")
    values = {"names": join_names(shown.winners), "count": shown.winner_count - len(shown.winners)}
    if values["count"] > 0:
        values["names"] = _("%(names)s and %(count)d more") % values
    if shown.by_lot and len(shown.by_lot) == shown.winner_count:
        heading = _("Elected by lot") if shown.seats > 1 else _("Winner by lot")
        return f"{heading}: {values['names']}"
    if shown.by_lot:
        values["names"] = with_those_by_lot(values["names"], shown.by_lot)
    if shown.seats > 1:
        return _("Elected: %(names)s") % values
    return (_("A tie: %(names)s") if shown.winner_count > 1 else _("Winner: %(names)s")) % values


def how_close(report: Report) -> str:
    close, total = report.closeness, report.result.total
    if close.ballots is None:
        return _("No change to the ballots could have changed the result.") if close.exact else ""
    if total == 1:
        return _("A change to the only ballot would have changed the result.")
    before, after = report.result.winners, close.new_winners
    values = {
        "count": close.ballots,
        "total": total,
        "names": list_in_sentence(after),
        "new": list_in_sentence([name for name in after if name not in before]),
        "gone": list_in_sentence([name for name in before if name not in after]),
    }
    sentence = _would_be(report) % values
    if close.ballots == 1:
        return sentence
    enough = _("Fewer would not have been enough.")
    perhaps = _("Fewer might have been enough.")
    return f"{sentence} {enough if close.exact else perhaps}"


def _would_be(report: Report) -> str:
    """The sentence with its places still open."""
    close = report.closeness
    before, after, many = set(report.result.winners), set(close.new_winners), close.ballots or 0
    if report.result.method == "majority":
        return _other_decision(bool(after), many)
    if not after:
        return ngettext(
            "If %(count)d of the %(total)d votes had been different, nobody would have been elected.",
            "If %(count)d of the %(total)d votes had been different, nobody would have been elected.",
            many,
        )
    if report.result.seats > 1:
        return _other_seats(len(before - after) == len(after - before) > 0, many)
    if len(after) > 1:
        return ngettext(
            "If %(count)d of the %(total)d votes had been different, it would have been a tie between %(names)s.",
            "If %(count)d of the %(total)d votes had been different, it would have been a tie between %(names)s.",
            many,
        )
    if after < before:
        return ngettext(
            "If %(count)d of the %(total)d votes had been different, %(names)s would have won alone.",
            "If %(count)d of the %(total)d votes had been different, %(names)s would have won alone.",
            many,
        )
    return ngettext(
        "If %(count)d of the %(total)d votes had been different, %(names)s would have won.",
        "If %(count)d of the %(total)d votes had been different, %(names)s would have won.",
        many,
    )


def _other_decision(carried: bool, many: int) -> str:
    if carried:
        return ngettext(
            "If %(count)d of the %(total)d votes had been different, the proposal would have been carried.",
            "If %(count)d of the %(total)d votes had been different, the proposal would have been carried.",
            many,
        )
    return ngettext(
        "If %(count)d of the %(total)d votes had been different, the proposal would not have been carried.",
        "If %(count)d of the %(total)d votes had been different, the proposal would not have been carried.",
        many,
    )


def _other_seats(swapped: bool, many: int) -> str:
    if swapped:
        return ngettext(
            "If %(count)d of the %(total)d votes had been different, %(new)s would have been elected in place of "
            "%(gone)s.",
            "If %(count)d of the %(total)d votes had been different, %(new)s would have been elected in place of "
            "%(gone)s.",
            many,
        )
    return ngettext(
        "If %(count)d of the %(total)d votes had been different, these would have been elected: %(names)s.",
        "If %(count)d of the %(total)d votes had been different, these would have been elected: %(names)s.",
        many,
    )


def comparison_sentence(report: Report) -> str:
    """One sentence about what the other methods would have decided."""
    if not report.result.total - report.result.blank:
        return _("There are no votes to compare the methods with.")
    if not (others := differing(report)):
        return _("Every other method gives the same result.")
    values = {"methods": ", ".join(method_label(each.method) for each in others)}
    return _("These methods give a different result: %(methods)s.") % values


def differing(report: Report) -> list[OtherMethod]:
    """The methods that elect someone else."""
    return [each for each in comparable(report) if set(each.winners) != set(report.result.winners)]


def comparable(report: Report) -> list[OtherMethod]:
    """The other methods that fill as many seats, for kinds of ballot that are counted by many."""
    if not parts_of(report.result).comparisons:
        return []
    several = report.result.seats > 1
    others = [each for each in report.others if each.method != report.result.method]
    return [each for each in others if not several or each.method.startswith("stv")]
