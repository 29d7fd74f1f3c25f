"""The operations, by what they are about. Each module declares its own."""

from api.operations import AREAS, OPERATIONS

from . import (
    candidates,
    elections,
    live_sessions,
    log,
    multi_question_ballots,
    news,
    people,
    polls,
    public,
    question_sets,
    roll,
    skills,
)

OPERATIONS.sort(key=lambda operation: list(AREAS).index(operation.area))

__all__ = [
    "OPERATIONS",
    "candidates",
    "elections",
    "live_sessions",
    "log",
    "multi_question_ballots",
    "news",
    "people",
    "polls",
    "public",
    "question_sets",
    "roll",
    "skills",
]
