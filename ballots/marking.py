"""What the pages of a ballot need to show it as a form to fill in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from elections.answers import answers_with_candidates
from elections.rules import Election
from foundation.ranking.candidates import Candidate
from foundation.ranking.marks import choices_of, explanation, labelled, takes_one, unranked_sentence


def form_context(
    election: Election, candidates: Sequence[Candidate], marks: Mapping[int, Any], *, skips: bool = False
) -> dict[str, Any]:
    """The candidates as listed, with what was marked so far, valid or not. On a ballot with several questions, marking
    nothing `skips` this one."""
    proposal = [election.majority_sentence] if election.kind == "yes-no" else []
    return {
        "candidate_answers": answers_with_candidates(election),
        "choices": choices_of(labelled(candidates, election.kind), marks),
        "ranks": len(candidates),
        "how_to_vote": election.how_to_vote,
        "explanation": [*explanation(election, skips=skips), *proposal],
        "skips": skips,
        "takes_one": takes_one(election),
        "unranked_sentence": unranked_sentence(election.unranked),
    }
