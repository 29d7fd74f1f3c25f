"""What the pages of a poll need to show a vote: as a form to fill in, and as it was given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from foundation.ranking.candidates import Candidate
from foundation.ranking.marks import (
    ShownBallot,
    choices_of,
    how_to_vote,
    shown_ballot,
    shown_ranking,
    takes_one,
    unranked_sentence,
)

from .rules import Poll

HOW_TO_VOTE = {
    "approval": gettext_lazy("Tick every option that suits you, as many as you like."),
    "score": gettext_lazy("Score each option from 0, the worst, to 5, the best."),
}


def form_context(poll: Poll, candidates: Sequence[Candidate], marks: Mapping[int, Any]) -> dict[str, Any]:
    """The options as listed, with what was marked so far, valid or not."""
    return {
        "election": poll,  # as the parts of a ballot call it
        "choices": choices_of(candidates, marks),
        "ranks": len(candidates),
        "how_to_vote": HOW_TO_VOTE.get(poll.kind) or how_to_vote(poll),
        "explanation": _explanation(poll),
        "takes_one": takes_one(poll),
        "unranked_sentence": unranked_sentence(poll.unranked, options=True),
    }


def _explanation(poll: Poll) -> list[str]:
    """What a mark means, and what is too many."""
    if poll.kind == "score":
        return [_("No score counts as 0. You may give the same score more than once.")]
    if poll.kind == "approval":
        return [_("Every option you tick gets one vote.")]
    if poll.most > 1:
        return [_("Every option you choose gets one vote. More than %(most)d are not accepted.") % {"most": poll.most}]
    return []


def shown_vote(poll: Poll, vote: str) -> ShownBallot:
    if poll.kind == "ranked":
        return shown_ranking(vote, poll.candidates, unranked_sentence(poll.unranked, options=True))
    return shown_ballot(vote, poll.candidates, poll)
