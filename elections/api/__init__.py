"""Operations of the API on elections, their questions, candidates and rolls."""

from . import candidates, elections, questions, roll

__all__ = ["candidates", "elections", "questions", "roll"]
