"""What the pages of a ballot need to show it as a form to fill in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from elections.panels import answers_with_candidates
from elections.rules import Election
from foundation.ranking.candidates import Candidate
from foundation.ranking.marks import choices_of, explanation, field_prefix, labelled, takes_one, unranked_sentence


def form_context(
    question: Election, candidates: Sequence[Candidate], marks: Mapping[int, Any], *, skips: bool
) -> dict[str, Any]:
    """The candidates of a question as listed, with what was marked so far, valid or not. For a voter with several
    questions, marking nothing `skips` this one."""
    proposal = [question.majority_sentence] if question.kind == "yes-no" else []
    return {
        "question": question,
        "prefix": field_prefix(question.number),
        "candidate_answers": answers_with_candidates(question),
        "choices": choices_of(labelled(candidates, question.kind), marks),
        "ranks": len(candidates),
        "how_to_vote": question.how_to_vote,
        "explanation": [*explanation(question, skips=skips), *proposal],
        "skips": skips,
        "takes_one": takes_one(question),
        "unranked_sentence": unranked_sentence(question.unranked),
    }
