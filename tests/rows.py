"""Big tables as one test: where a row needs nothing but itself, all of them are tried, and whichever fails is named."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import pytest

Test = Callable[..., None]
MAX_ROWS_NAMED = 10  # rows named in the sentence; each that failed has its own report below it


def every_row(names: str | tuple[str, ...], rows: Iterable[Any]) -> Callable[[Test], Test]:
    """Like `pytest.mark.parametrize`, for rows that leave nothing behind."""
    table = [(row,) if isinstance(names, str) else tuple(row) for row in rows]
    columns = (names,) if isinstance(names, str) else names

    def as_one_test(test: Test) -> Test:
        asked = inspect.signature(test)
        others = [each for name, each in asked.parameters.items() if name not in columns]

        @wraps(test)
        def try_all(*drawn: Any, **fixtures: Any) -> None:
            """Hypothesis gives what it has drawn in order, pytest its fixtures by name."""
            assert table, "a table without rows says nothing"
            fixtures |= {each.name: value for each, value in zip(others, drawn, strict=False)}
            failed = [error for row in table if (error := _tried(test, dict(zip(columns, row, strict=True)), fixtures))]
            if failed:
                shown = "; ".join(error.__notes__[-1] for error in failed[:MAX_ROWS_NAMED])
                raise BaseExceptionGroup(f"{len(failed)} of {len(table)} rows fail: {shown}", failed)

        try_all.__signature__ = asked.replace(parameters=others)  # type: ignore[attr-defined]
        return try_all

    return as_one_test


def _tried(test: Test, row: dict[str, Any], fixtures: dict[str, Any]) -> BaseException | None:
    try:
        test(**row, **fixtures)
    except (Exception, pytest.fail.Exception) as error:
        error.add_note(", ".join(f"{name}={value!r}" for name, value in row.items()))
        return error
    return None
