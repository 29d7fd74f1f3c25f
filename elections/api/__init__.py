"""Operations of the API on elections, their candidates and rolls, and on ballots with several questions."""

from . import candidates, elections, roll

__all__ = ["candidates", "elections", "roll"]
