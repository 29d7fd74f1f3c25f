"""All head-to-head contests as a table: rows and columns in the order of the result, shaded where the row won."""

from __future__ import annotations

from tally.result import Result

Cell = tuple[int, str]  # ballots that rank the row above the column, and how the row did: a CSS class
MAX_CANDIDATES = 60  # the files have all of them
SHADES = (0.05, 0.15, 0.3, 0.5)  # shares of the ballots that prefer either, from which a margin is shaded darker


def contest_rows(result: Result) -> list[tuple[str, list[Cell | None]]]:
    """Nothing for methods that do not compare candidates in pairs, and for two, whose one contest is drawn."""
    if not result.pairwise or len(result.candidates) < 3:
        return []
    index = {name: position for position, name in enumerate(result.candidates)}
    order = [name for name, _place in result.places[:MAX_CANDIDATES]]

    def cell(name: str, other: str) -> Cell | None:
        if name == other:
            return None
        assert result.pairwise is not None
        i, j = index[name], index[other]
        return result.pairwise[i][j], outcome(result.pairwise[i][j], result.pairwise[j][i])

    return [(name, [cell(name, other) for other in order]) for name in order]


def outcome(votes: int, against: int) -> str:
    if votes <= against:
        return "tied" if votes == against else "lost"
    return f"won won-{sum(votes - against >= share * (votes + against) for share in SHADES)}"
