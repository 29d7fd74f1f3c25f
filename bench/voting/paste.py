"""The figures once more, as tables to be pasted into the documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..report import Report, readable

FILE = "voting.md"

Cell = str | float | None


def begin(report: Report) -> None:
    (report.build / FILE).write_text("")


def paste(report: Report, columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    lines = [columns, ["---"] * len(columns), *([_written(cell) for cell in row] for row in rows)]
    with (report.build / FILE).open("a") as file:
        file.writelines(f"| {' | '.join(line)} |\n" for line in lines)
        file.write("\n")


def _written(cell: Cell) -> str:
    return "-" if cell is None else cell if isinstance(cell, str) else readable(cell)
