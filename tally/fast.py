"""Sorting and counting rankings with NumPy, where it is installed and pays: the same results as in plain Python.

The texts of a few thousand rankings at a time become one array of bytes, the bytes a matrix of ranks; two rows of it
compared give, for all these rankings at once, who is above whom. Numbers of ballots are added bit by bit of the count
(all rankings with an odd count, then those whose count has a 2 in it, and so on), so that there is nothing to round.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from typing import Any, NamedTuple

from .ballots import BadBallot, Ballots

BATCH_RANKINGS = 32_768
MIN_RANKINGS = 50_000  # distinct rankings; below, plain Python is done before NumPy is loaded
NEWLINE, ZERO, EQUAL, ABOVE = b"\n0=>"
PAIRS = [digit + mark for digit in "0123456789" for mark in "\n=>"]  # in the order of the texts
MAX_PAIRS = 10  # of five bits each: what a number of 64 has room for, and what ten candidates need

Matrix = tuple[tuple[int, ...], ...]


def installed() -> bool:
    return find_spec("numpy") is not None


def pays(ballots: Ballots) -> bool:
    """Whether there is enough to count. Numbers that do not fit in 62 bits are left to plain Python."""
    return len(ballots.counts) >= MIN_RANKINGS and ballots.total < 1 << 62 and installed()


def matrices(ballots: Ballots) -> tuple[Matrix, Matrix, tuple[int, ...]]:
    """A, E and T as in tally/pairwise.py."""
    np: Any = import_module("numpy")
    size = len(ballots.candidates)
    sums = np.zeros((size, size), np.int64), np.zeros((size, size), np.int64), np.zeros(size, np.int64)
    texts, weights = _texts(np, ballots)
    ranks, ties = _ranks(np, texts, size)
    bit = 1
    while len(weights):
        odd, more = np.flatnonzero(weights & 1), np.flatnonzero(weights > 1)
        _add(np, sums, ranks.take(odd, axis=1), bit, ties)
        ranks, weights, bit = ranks.take(more, axis=1), weights[more] >> 1, bit << 1
    above, equal, ranked = sums
    rows = [tuple(tuple(row) for row in matrix.tolist()) for matrix in (above, equal + equal.T)]
    return rows[0], rows[1], tuple(ranked.tolist())


def arranged(ballots: Ballots) -> dict[str, int] | None:
    """How often each ranking was cast, sorted by the texts; `None` where plain Python has to do it.

    Of up to ten candidates a text is some digits, each with a mark after it, or with the end. Five bits hold such a
    pair of letters, so that the whole text is one number. Numbers sort faster, and the texts made anew from them lie in
    memory in the order in which they are read from now on, not wherever each ballot was first met.
    """
    if len(ballots.candidates) > MAX_PAIRS or not pays(ballots):
        return None
    np: Any = import_module("numpy")
    texts, weights = _texts(np, ballots)
    keys = [_keys(np, texts[at : at + BATCH_RANKINGS]) for at in range(0, len(texts), BATCH_RANKINGS)]
    if not texts or any(some is None for some in keys) or not weights.all():
        return None
    together = np.concatenate(keys)
    order = together.argsort()
    anew = _texts_of(np, together[order])
    blank = {"": ballots.blank} if ballots.blank else {}
    return dict(chain(blank.items(), zip(anew, weights[order].tolist(), strict=True)))


def _keys(np: Any, texts: list[str]) -> Any:
    """One number for each text, in the order of the texts; `None` if one of them is no ranking of so few."""
    text = "\n".join([*texts, ""]).encode()
    codes = _coded(np).take(np.frombuffer(text[: len(text) & ~1], "<u2"))
    ends = np.flatnonzero(np.frombuffer(text, np.uint8)[1::2] == NEWLINE)
    lengths = np.diff(ends, prepend=-1)
    if len(text) % 2 or len(ends) != len(texts) or not codes.all() or lengths.max() > MAX_PAIRS:
        return None
    starts = ends + 1 - lengths
    places = np.arange(len(codes)) - np.repeat(starts, lengths)
    return np.add.reduceat(codes.astype(np.int64) << 5 * (MAX_PAIRS - 1 - places), starts)


def _texts_of(np: Any, keys: Any) -> Iterator[str]:
    letters = np.frombuffer("".join(["  ", *PAIRS]).encode(), "<u2")
    for at in range(0, len(keys), BATCH_RANKINGS):
        codes = keys[at : at + BATCH_RANKINGS, None] >> 5 * np.arange(MAX_PAIRS)[::-1] & 31
        yield from letters.take(codes)[codes > 0].tobytes().decode().split("\n")[:-1]


def _coded(np: Any) -> Any:
    """What stands for each pair of letters, from 1 on; 0 for those that no ranking has."""
    codes = np.zeros(1 << 16, np.uint8)
    codes[np.frombuffer("".join(PAIRS).encode(), "<u2")] = range(1, 1 + len(PAIRS))
    return codes


def _texts(np: Any, ballots: Ballots) -> tuple[list[str], Any]:
    """The rankings that rank somebody, and how often each was cast."""
    texts, weights = list(ballots.counts), np.fromiter(ballots.counts.values(), np.int64, len(ballots.counts))
    if "" in ballots.counts:
        blank = texts.index("")
        del texts[blank]
        weights = np.delete(weights, blank)
    return texts, weights


# --- texts as numbers ---


class _Part(NamedTuple):
    """Some texts taken apart: the numbers of all of them in a row, after which of these `>` comes, and which are last
    in their texts."""

    numbers: Any
    above: Any
    ends: Any


def _parts(np: Any, texts: list[str], size: int) -> Iterator[_Part]:
    """A few thousand texts at a time, because taken apart they need many times their memory."""
    for at in range(0, len(texts), BATCH_RANKINGS):
        some = texts[at : at + BATCH_RANKINGS]
        numbers, marks = _numbers(np, "\n".join([*some, ""]).encode(), size)
        above, ends = marks == ABOVE, np.flatnonzero(marks == NEWLINE)
        known = len(ends) + np.count_nonzero(above) + np.count_nonzero(marks == EQUAL)
        if len(ends) != len(some) or known < len(marks) or numbers.max() >= size:
            raise BadBallot("A candidate is ranked who does not stand.")
        yield _Part(numbers, above, ends)


def _numbers(np: Any, text: bytes, size: int) -> tuple[Any, Any]:
    """Every number in the text, and the letter after it."""
    letters = np.frombuffer(text, np.uint8)
    digits = letters - ZERO  # whatever is no digit becomes more than 9
    if size <= 10:  # then a digit and a mark take turns
        return digits[: len(digits) - 1 : 2], letters[1::2]
    digit = digits < 10
    ends = np.flatnonzero(digit[:-1] & ~digit[1:])
    numbers, left, place = digits[ends].astype(np.int64), ends - 1, 1
    while (longer := digit[left]).any():
        numbers[longer] += digits[left[longer]].astype(np.int64) * 10**place
        left, place = np.where(longer, left - 1, -1), place + 1  # the last letter ends a line and is no digit
    return numbers, letters[ends + 1]


# --- ranks ---


def _ranks(np: Any, texts: list[str], size: int) -> tuple[Any, bool]:
    """Ranks by candidate and text, 0 the best and `size` who is unranked, and whether anybody is equal to another.

    All ranks together take at most half the memory of the texts.
    """
    small = np.int8 if size < 127 else np.int16 if size < 32_767 else np.int32
    ranks = np.empty((size, len(texts)), small)
    at, ties = 0, False
    for part in _parts(np, texts, size):
        some = _ranks_of(np, part, size, small)
        ranks[:, at : at + len(some)] = some.T
        at += len(some)
        ties = ties or len(part.numbers) > len(part.ends) + np.count_nonzero(part.above)
    return ranks, ties


def _ranks_of(np: Any, part: _Part, size: int, small: Any) -> Any:
    lines = len(part.ends)
    line = np.repeat(np.arange(lines), np.diff(part.ends, prepend=-1))
    steps = np.cumsum(part.above, dtype=np.int32)
    before = np.concatenate(([0], steps.take(part.ends[:-1])))  # in all texts before this one
    ranks = np.full((lines, size), size, small)
    ranks.reshape(-1)[line * size + part.numbers] = steps - part.above - before.take(line)
    return ranks


def _add(np: Any, sums: tuple[Any, Any, Any], high: Any, weight: int, ties: bool) -> None:
    """Count these rankings. The unranked lie past the last in one matrix, before the first in the other, so that
    comparing a row of the first with a row of the second never finds somebody unranked."""
    above, equal, ranked = sums
    count = np.count_nonzero
    everyone = range(len(high))
    low = high - (high == len(high)).astype(high.dtype) * high.dtype.type(len(high) + 1)
    for i in everyone:
        row = high[i]
        ranked[i] += weight * count(low[i] >= 0)
        for j in everyone:
            if i != j:
                above[i, j] += weight * count(row < low[j])
            if ties and i < j:
                equal[i, j] += weight * count(row == low[j])
