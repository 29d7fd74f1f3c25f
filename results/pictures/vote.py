"""A vote on yes or no: a bar for each answer, and a line at the number of votes that a proposal needs."""

from __future__ import annotations

from fractions import Fraction

from django.utils.translation import gettext as _

from foundation.ranking.marks import ANSWERS, answer_label
from foundation.tally.majorities import ABSTAIN, YES, Of, majority_of
from foundation.tally.result import Result

from .bars import Bar, draw
from .drawing import Picture, Table, share
from .points import score


def vote(result: Result) -> Picture:
    numbers = {name: int(result.reasons[name]) for name in ("base", "needed")}
    bars = [_bar(result, name) for name in ANSWERS]
    if majority_of(result.reasons["majority"]).of == Of.ENTITLED:
        absent = Fraction(numbers["base"] - result.total)
        bars.append(Bar(_("Did not vote"), absent, str(absent), kind="nobody", is_name=False))
    whole = max([Fraction(1), *map(Fraction, numbers.values()), *(bar.length for bar in bars)]) * Fraction(103, 100)
    drawn = draw(bars, whole, Fraction(numbers["needed"]))
    rows = tuple((bar.label, bar.shown, share(bar.length, max(1, result.total))) for bar in bars[: len(ANSWERS)])
    head = _("Answer"), _("Votes"), _("Share of all votes")
    note = _("The line shows how many votes of yes were needed: %(needed)d.") % numbers
    return Picture(_("Votes"), drawn, note, Table(head, rows), "narrow")


def _bar(result: Result, name: str) -> Bar:
    carried = name == YES and result.reasons["carried"]
    kind = "won" if carried else "other" if name == YES else "nobody" if name == ABSTAIN else "against"
    counted, mark = score(result, name), "elected" if carried else ""
    label = answer_label(name, "yes-no")
    return Bar(label, counted.length, counted.shown, mark, kind, is_name=False, spoken=_("carried"))
