"""An example for visitors: a question whose options they rank, and the ballots with which theirs is counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from foundation.ranking.candidates import Candidate
from foundation.ranking.marks import Choice, ranked_names, unranked_sentence

QUESTION = _("What shall we eat at the summer party?")
OPTIONS = (_("Pizza"), _("Curry"), _("Barbecue"), _("Sushi"), _("Salad"))
# Pizza and curry are level, so the visitor decides. Barbecue has the most first choices and loses to both.
BALLOTS = {"2>0>1": 11, "0>1>3>4": 4, "1>4>0>3": 7, "4>1>0>3": 5, "3>1>0>4": 3}


def candidates() -> list[Candidate]:
    return [Candidate(str(name), number=number) for number, name in enumerate(OPTIONS)]


def form_context(typed: Mapping[int, str] | None = None) -> dict[str, Any]:
    """Context of `results/parts/example.html`, with the ranks typed so far."""
    ranks = typed or {}
    return {
        "example": QUESTION,
        "choices": [Choice(each.number, each.name, "", "", ranks.get(each.number, "")) for each in candidates()],
        "ranks": len(OPTIONS),
        "draft_key": "",
        "unranked_sentence": unranked_sentence("below", options=True),
        "other_ballots": sum(BALLOTS.values()),
    }


def ballots_text(ranking: str) -> str:
    """All ballots as the sandbox reads them; the visitor's is the last line."""
    named = candidates()
    lines = ((count, ranked_names(each, named)) for each, count in [*BALLOTS.items(), (ranking, 1)])
    return "".join(f"{count}: {' > '.join(map(' = '.join, groups))}\n" for count, groups in lines)
