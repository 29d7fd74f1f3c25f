"""The operations, by what they are about. Each module declares its own."""

from api.operations import AREAS, OPERATIONS

from . import candidates, elections, log, news, people, polls, public, question_sets, roll, skills

OPERATIONS.sort(key=lambda operation: list(AREAS).index(operation.area))

__all__ = [
    "OPERATIONS",
    "candidates",
    "elections",
    "log",
    "news",
    "people",
    "polls",
    "public",
    "question_sets",
    "roll",
    "skills",
]
