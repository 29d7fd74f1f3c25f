"""The methods in plain words: what each does and when to choose it; and what becomes of those left out."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

from pages.cards import Card

ONE_WINNER = Card(
    _("One winner"),
    _(
        "Elects whoever would win against each of the others, one to one. This is the Schulze method, and good for "
        "nearly everything."
    ),
    mark=_("recommended"),
)
SEVERAL = Card(
    _("Several seats, proportional"),
    _(
        "A group of voters that is a third of all gets about a third of the seats. The single transferable vote (STV), "
        "as Scottish councils count it."
    ),
)
MORE = {
    "ranked-pairs": Card(
        _("Ranked pairs"),
        _(
            "One winner, one to one as above. Clear contests are taken first, which makes it easier to follow by hand. "
            "Choose it if your rules name it (also called Tideman)."
        ),
    ),
    "irv": Card(
        _("Instant runoff"),
        _(
            "One winner. Whoever has the fewest first places is dropped, round by round, until one has more than half. "
            "Choose it if your rules or your voters know it; a compromise that is nobody's first choice goes out early."
        ),
    ),
    "borda": Card(
        _("Borda"),
        _(
            "One winner, by points for every place on a ballot. Choose it for tastes and prizes among friends: whoever "
            "ranks a rival last on purpose has more weight."
        ),
    ),
    "stv-meek": Card(
        _("STV (Meek)"),
        _(
            "Several seats, proportional, and a little fairer to the last vote; it cannot be counted by hand. Choose "
            "it if your rules name it."
        ),
    ),
}
METHOD_CHOICES: list[Any] = [
    ("schulze", ONE_WINNER),
    ("stv-scottish", SEVERAL),
    (_("More methods"), list(MORE.items())),
]
UNRANKED_CARDS = {
    "below": Card(
        _("Below all who are ranked"),
        _("Leaving somebody out means: everybody I ranked is better. That is how most people mean it."),
        mark=_("recommended"),
        picture="elections/pictures/left_out_below.html",
    ),
    "no-opinion": Card(
        _("No opinion"),
        _("Leaving something out means: I cannot judge it. Good for long lists that nobody knows by heart."),
        picture="elections/pictures/left_out_no_opinion.html",
    ),
}
