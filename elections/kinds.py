"""Which settings belong to each kind of ballot, and the majorities that a proposal may need, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from foundation.ranking.marks import MAX_POINTS
from foundation.tally import methods
from foundation.tally.majorities import Majority, Of, majority_of, parse_majority

USUAL_POINTS = 10  # that a voter has to distribute
SETTINGS = ("kind", "method", "seats", "fewest", "most", "majority", "unranked")  # of ballots and their count

SHARES = {
    "1/2": gettext_lazy("more than half"),
    "2/3": gettext_lazy("at least two thirds"),
    "3/4": gettext_lazy("at least three quarters"),
    "4/5": gettext_lazy("at least four fifths"),
}
BASES = {
    Of.CAST: gettext_lazy("of the votes cast"),
    Of.PRESENT: gettext_lazy("of all who vote"),
    Of.ENTITLED: gettext_lazy("of everyone on the roll"),
}
NEEDS_A_ROLL = gettext_lazy(
    "Where everybody here may vote there is no roll to take a share of. Choose another base, or list the voters."
)
ABSTENTIONS = {
    Of.CAST: gettext_lazy("Abstentions count neither for nor against."),
    Of.PRESENT: gettext_lazy("Abstaining has the effect of a no."),
    Of.ENTITLED: gettext_lazy("Abstaining, or not voting, has the effect of a no."),
}


def settings_of_kind(values: Mapping[str, Any]) -> dict[str, Any]:
    """The settings, with those that the kind of ballot does not have at their defaults, and those it needs filled
    in. Refused where they contradict each other."""
    kind, seats = values["kind"], 1 if values["kind"] == "yes-no" else values.get("seats") or 1
    counting = methods.KINDS[kind]
    fewest = (values.get("fewest") or 0) if kind == "choose" else 0
    usual_most = {"choose": max(seats, fewest), "points": USUAL_POINTS}.get(kind, 0)
    settings: dict[str, Any] = {
        "seats": seats,
        "method": values.get("method") if values.get("method") in counting else counting[0],
        "fewest": fewest,
        "most": usual_most and (values.get("most") or usual_most),
        "majority": "",
        "unranked": (values.get("unranked") or "below") if kind == "ranked" else "below",
    }
    if kind == "yes-no":
        try:  # as it is stored: 2/4 is 1/2
            settings["majority"] = str(parse_majority(values.get("majority") or str(Majority())))
        except ValueError:
            sentence = _("A majority is a share from 1/2 to 1/1, such as 3/5 or 60%.")
            raise ValidationError({"majority": sentence}) from None
    if settings["majority"].endswith(Of.ENTITLED) and values.get("electorate", "listed") != "listed":
        raise ValidationError({"majority": NEEDS_A_ROLL})
    if fewest > settings["most"]:
        raise ValidationError({"fewest": _("This is more than voters may choose.")})
    if kind == "points" and settings["most"] > MAX_POINTS:
        raise ValidationError({"most": _("Voters can have at most %(most)d points.") % {"most": MAX_POINTS}})
    return {**values, **settings}


def majority_text(text: str) -> str:
    """Such as “at least two thirds of the votes cast”."""
    majority = majority_of(text)
    own = _("100%") if majority.share == "1/1" else _("at least %(share)s") % {"share": majority.share}
    share = SHARES.get(majority.share, own)
    return _("%(share)s %(of)s") % {"share": share, "of": BASES[majority.of]}


def majority_sentence(text: str) -> str:
    """What a proposal needs, and what abstaining does."""
    needed = _("Carried by %(majority)s.") % {"majority": majority_text(text)}
    return f"{needed} {ABSTENTIONS[majority_of(text).of]}"
