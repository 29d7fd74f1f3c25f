"""The operations, by what they are about. Each module declares its own."""

from api.operations import OPERATIONS

from . import candidates, elections, polls, public, roll

AREAS = ("Results", "Checkpoints", "Elections", "Candidates", "Roll", "Polls")  # in the order of the page
OPERATIONS.sort(key=lambda operation: AREAS.index(operation.area))

__all__ = ["OPERATIONS", "candidates", "elections", "polls", "public", "roll"]
