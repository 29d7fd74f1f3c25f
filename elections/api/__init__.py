"""Operations of the API on elections, their candidates and rolls, and on ballots with several questions."""

from . import candidates, elections, multi_question_ballots, roll

__all__ = ["candidates", "elections", "multi_question_ballots", "roll"]
