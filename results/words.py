"""What a results page says in words: the rule, how close it was, and what other methods would have said."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from elections.rules import METHODS, UNRANKED
from ranking import explanations
from tally.explain import Sentence

from .pictures.drawing import exact
from .report import Other, Report

LABELS = METHODS | {
    "copeland": gettext_lazy("Copeland"),
    "minimax": gettext_lazy("Minimax"),
    "plurality": gettext_lazy("First preferences"),
}
RULES = {
    "schulze": gettext_lazy(
        "Every two candidates are compared one to one; whoever has a stronger chain of won contests to another than "
        "the other has back is placed above."
    ),
    "ranked-pairs": gettext_lazy(
        "Every two candidates are compared one to one; contests are taken in the order of their strength, and one that "
        "would contradict stronger ones is left out."
    ),
    "irv": gettext_lazy(
        "Every ballot counts for the candidate it likes best of those still in; whoever has the fewest votes is "
        "eliminated, round by round, until one has more than half."
    ),
    "borda": gettext_lazy(
        "Every ballot gives the candidate it ranks last no point, the next one point, and so on; equals share."
    ),
    "copeland": gettext_lazy(
        "Every two candidates are compared one to one; a won contest gives a point, a drawn one half a point."
    ),
    "minimax": gettext_lazy(
        "Every two candidates are compared one to one; whoever was never beaten wins, or else whoever has the "
        "smallest worst defeat."
    ),
    "plurality": gettext_lazy("Every ballot counts for the candidate it likes best; equals share it."),
    "stv-scottish": gettext_lazy(
        "Whoever reaches the quota is elected, and what they have above it is passed on to the next on those ballots; "
        "when nobody does, whoever has the fewest votes is eliminated. By the rules of Scottish councils."
    ),
    "stv-meek": gettext_lazy(
        "Whoever reaches the quota is elected and keeps only as much of each vote as it takes; the rest is passed on. "
        "The quota falls as ballots run out of names. By Meek's rules."
    ),
}


NAMES = ("name", "names", "other")  # of what a sentence about a count is filled with; the rest are numbers


def said(sentence: Sentence) -> str:
    values = {key: value if key in NAMES else exact(value) for key, value in sentence.values.items()}
    return explanations.said(Sentence(sentence.template, values))


def label(method: str) -> str:
    return str(LABELS[method])


def unranked(report: Report) -> str:
    return str(UNRANKED[report.result.unranked])


def names(winners: tuple[str, ...]) -> str:
    return ", ".join(winners)


def ended(shown: Any) -> str:
    """How it ended, in a line of a list or on a card, which know the first few winners and how many there are."""
    if not shown.winners:
        return _("There was nothing to count.")
    words = {"names": names(shown.winners), "count": shown.winner_count - len(shown.winners)}
    if words["count"] > 0:
        words["names"] = _("%(names)s and %(count)d more") % words
    if shown.seats > 1:
        return _("Elected: %(names)s") % words
    return (_("A tie: %(names)s") if shown.winner_count > 1 else _("Winner: %(names)s")) % words


def how_close(report: Report) -> str:
    close = report.closeness
    if close.ballots is None:
        return _("No number of changed ballots was found that would have changed who won.")
    words = {"count": close.ballots, "names": names(close.new_winners)}
    sentence = ngettext(
        "If %(count)d ballot had been different, the outcome could have been: %(names)s.",
        "If %(count)d ballots had been different, the outcome could have been: %(names)s.",
        close.ballots,
    )
    exact = _("With fewer it could not.")
    found = _("Perhaps fewer would have been enough: this is the best that was found.")
    return f"{sentence % words} {exact if close.exact else found}"


def all_methods(report: Report) -> str:
    """One sentence about what the others would have said."""
    if not report.result.total - report.result.blank:
        return _("There is nothing for any method to count.")
    differing = [each for each in comparable(report) if set(each.winners) != set(report.result.winners)]
    if not differing:
        return _("Every other method would have given the same.")
    words = {"methods": ", ".join(label(each.method) for each in differing)}
    return _("These would have given something else: %(methods)s.") % words


def comparable(report: Report) -> list[Other]:
    """The other methods that fill as many seats."""
    several = report.result.seats > 1
    others = [each for each in report.others if each.method != report.result.method]
    return [each for each in others if not several or each.method.startswith("stv")]
