"""The pass over the ballots with NumPy, where it is installed and pays: the same whole numbers as plain Python.

The texts of a few thousand rankings at a time become one array of bytes, the bytes a matrix of ranks; two rows of it
compared give, for all these rankings at once, who is above whom. Numbers of ballots are added bit by bit of the count
(all rankings with an odd count, then those whose count has a 2 in it, and so on), so that there is nothing to round.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from typing import Any

from .ballots import BadBallot, Ballots

AT_ONCE = 32_768
PAYS_FROM = 50_000  # distinct rankings; below, plain Python is done before NumPy is loaded
NEWLINE, ZERO, ABOVE = b"\n0>"

Matrix = tuple[tuple[int, ...], ...]


def installed() -> bool:
    return find_spec("numpy") is not None


def pays(ballots: Ballots) -> bool:
    """Whether there is enough to count. Numbers that do not fit in 62 bits are left to plain Python."""
    return len(ballots.counts) >= PAYS_FROM and ballots.total < 1 << 62 and installed()


def matrices(ballots: Ballots) -> tuple[Matrix, Matrix, tuple[int, ...]]:
    """A, E and T as in tally/pairwise.py."""
    np: Any = import_module("numpy")
    size = len(ballots.candidates)
    above, equal = np.zeros((size, size), np.int64), np.zeros((size, size), np.int64)
    ranked = np.zeros(size, np.int64)
    rankings, counts = iter(ballots.counts), iter(ballots.counts.values())
    while some := list(islice(rankings, AT_ONCE)):
        text = "\n".join([*some, ""]).encode()
        high, low = _ranks(np, text, len(some), size)
        weights = np.fromiter(islice(counts, AT_ONCE), np.int64, len(some))
        for bit in range(int(weights.max()).bit_length()):
            chosen = np.flatnonzero(weights >> bit & 1)
            parts = high.take(chosen, axis=1), low.take(chosen, axis=1)
            _add(np, (above, equal, ranked), *parts, 1 << bit, b"=" in text)
    rows = [tuple(tuple(row) for row in matrix.tolist()) for matrix in (above, equal + equal.T)]
    return rows[0], rows[1], tuple(ranked.tolist())


def _ranks(np: Any, text: bytes, lines: int, size: int) -> tuple[Any, Any]:
    """Ranks by candidate and line, 0 the best; the unranked lie past the last in one matrix, before the first in the
    other, so that comparing a row of the first with a row of the second never finds somebody unranked."""
    letters = np.frombuffer(text, np.uint8)
    digits = letters - ZERO  # whatever is no digit becomes more than 9
    digit = digits < 10
    ends = np.flatnonzero(digit[:-1] & ~digit[1:])
    numbers, left, place = digits[ends].astype(np.int64), ends - 1, 1
    while (longer := digit[left]).any():
        numbers[longer] += digits[left[longer]].astype(np.int64) * 10**place
        left, place = np.where(longer, left - 1, -1), place + 1  # the last letter ends a line and is no digit
    newline, step = letters == NEWLINE, np.cumsum(letters == ABOVE, dtype=np.int32)
    line = np.cumsum(newline, dtype=np.int32)[ends]
    rank = step[ends] - np.concatenate(([0], step[newline]))[line]
    if len(numbers) and int(numbers.max()) >= size:
        raise BadBallot("A candidate is ranked who does not stand.")
    small = np.int8 if size < 127 else np.int16 if size < 32_767 else np.int32
    high = np.full(size * lines, size, small)
    high[numbers * lines + line] = rank
    high = high.reshape(size, lines)
    return high, np.where(high < size, high, np.array(-1, small))


def _add(np: Any, matrices: tuple[Any, Any, Any], high: Any, low: Any, weight: int, ties: bool) -> None:
    above, equal, ranked = matrices
    count = np.count_nonzero
    everyone = range(len(high))
    for i in everyone:
        row = high[i]
        ranked[i] += weight * count(low[i] >= 0)
        for j in everyone:
            if i != j:
                above[i, j] += weight * count(row < low[j])
            if ties and i < j:
                equal[i, j] += weight * count(row == low[j])
