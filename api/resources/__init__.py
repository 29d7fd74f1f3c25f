"""The operations, by what they are about. Each module declares its own."""

from api.operations import OPERATIONS

from . import candidates, elections, log, news, people, polls, public, question_sets, roll, skills

# in the order of the page
AREAS = (
    *("Results", "Calendar", "Checkpoints", "Elections", "Candidates", "Roll", "Polls"),
    *("People", "Skills", "News", "Question sets", "Event log"),
)
OPERATIONS.sort(key=lambda operation: AREAS.index(operation.area))

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
