"""Comparing candidates on thousands of rankings at once, in plain Python: few long sums instead of many short ones.

Read one by one, every name on every ballot is a step of the interpreter. So rankings are laid abreast: each becomes a
row of bytes, one for each candidate, with the place it has there. The column of a candidate, from top to bottom, is one
long number, and one column taken from another compares two candidates on all rankings: a byte whose highest bit is set
keeps that bit if it is at least the other byte, and else has to give it up.

- A row is a table as `bytes.translate` uses it: "for the letter of this candidate, this place". Python makes such a
  table of a whole ranking in one step, and leaves the letters of those who are not on it as they are.
- Places follow from the signs between the names alone, so that all rankings of one shape (`0>0=0>0`) share them.
- The letters of up to ten candidates are their digits, just as they stand in the text; those of more are bytes that are
  larger than any place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from .ballots import BadBallot, groups_of

BATCH_RANKINGS = 4096  # rankings: their rows take up a megabyte, which a processor keeps near
DIGIT_CANDIDATES = 10
MAX_PARALLEL_CANDIDATES = 100  # candidates for whom there are letters and places; ballots of more are read one by one
MIN_ROWS_PER_CANDIDATE = 4  # times as long as they are many is what columns must be to be worth it,
COMPARISONS_PER_CHAR = 200  # and so many comparisons are made while one letter is read
HIGHEST_BYTE, LAST_BYTE = 0x80, 0x7F
SHAPE = re.compile(rb"(0([>=]0)*)?")

PairCounts = list[int]  # A, E and T as tally/pairwise.py calls them: row by row of both, and one row


def is_faster(rankings: Sequence[str], candidates: int) -> bool:
    """Whether columns are faster: not with too few rankings per candidate, nor if most candidates are unranked on most
    of them.
    """
    if len(rankings) < MIN_ROWS_PER_CANDIDATE * candidates or candidates > MAX_PARALLEL_CANDIDATES:
        return False
    return candidates**2 <= COMPARISONS_PER_CHAR or candidates**2 * len(rankings) <= COMPARISONS_PER_CHAR * sum(
        map(len, rankings)
    )


def count_in_batches(rankings: Sequence[str], candidates: int) -> Iterator[PairCounts]:
    """How every two compare on some thousands of these rankings, and on the next."""
    rows = _RankTable(candidates)
    for start in range(0, len(rankings), BATCH_RANKINGS):
        yield rows.counted(rankings[start : start + BATCH_RANKINGS])


def ranks_by_candidate(rankings: Sequence[str], candidates: int) -> Callable[[int], Sequence[int]]:
    """A function from a candidate to its group in each ranking, from 0 on; unranked is the number of candidates."""
    if candidates > MAX_PARALLEL_CANDIDATES:
        ranks = [{each: rank for rank, group in enumerate(groups_of(one)) for each in group} for one in rankings]
        return lambda candidate: [each.get(candidate, candidates) for each in ranks]
    rows = _RankTable(candidates)
    parts = (rankings[start : start + BATCH_RANKINGS] for start in range(0, len(rankings), BATCH_RANKINGS))
    columns = [rows.columns("\n".join(some), len(some)) for some in parts]
    ranked = bytes(place - 1 if 0 < place <= candidates else candidates for place in range(256))
    return lambda candidate: b"".join(some[candidate] for some in columns).translate(ranked)


class _RankTable:
    def __init__(self, candidates: int) -> None:
        self.candidates = candidates
        first = ord("0") if candidates <= DIGIT_CANDIDATES else HIGHEST_BYTE
        self.letters = range(first, first + candidates)
        self._places = _RanksByShape()
        self._shape = bytes.maketrans(bytes(self.letters), b"0" * candidates)
        # Of two who are compared, one who is not ranked is after the last, the other before the first: so neither is
        # ever found above the other. The highest bit is set in one of two columns.
        self._after = bytes((place if place < first else LAST_BYTE) | HIGHEST_BYTE for place in range(256))
        self._before = bytes(place if place < first else 0 for place in range(256))

    def counted(self, rankings: Sequence[str]) -> PairCounts:
        number, text = len(rankings), "\n".join(rankings)
        columns = self.columns(text, number)
        highest = _as_integer(bytes([HIGHEST_BYTE]) * number)
        after = [_as_integer(column.translate(self._after)) for column in columns]
        before = [_as_integer(column.translate(self._before)) for column in columns]
        above = [number - ((mine - theirs) & highest).bit_count() for mine in after for theirs in before]
        equal = self._equal(after, before, highest, above) if "=" in text else [0] * len(above)
        first = highest // HIGHEST_BYTE
        ranked = [((each | highest) - first & highest).bit_count() for each in before]
        return [*above, *equal, *ranked]

    def _equal(self, after: list[int], before: list[int], highest: int, above: list[int]) -> list[int]:
        """How often neither of two candidates is above the other."""
        equal = [0] * len(above)
        for i, mine in enumerate(after):
            for j in range(i):
                not_below = (((before[j] | highest) - (mine ^ highest)) & highest).bit_count()
                one, other = i * self.candidates + j, j * self.candidates + i
                equal[one] = equal[other] = not_below - above[one]
        return equal

    def columns(self, text: str, number: int) -> list[bytes]:
        """By candidate, a byte for each ranking: the place, or a letter if the candidate is unranked."""
        written = self._written(text.encode("ascii", "replace"))
        lines, shapes = written.split(b"\n"), written.translate(self._shape).split(b"\n")
        if len(lines) != number:
            raise BadBallot("A candidate is ranked who does not stand.")
        rows = b"".join(map(bytes.maketrans, lines, map(self._places.__getitem__, shapes)))
        return [rows[letter::256] for letter in self.letters]

    def _written(self, text: bytes) -> bytes:
        """Each ranking with a letter for each name."""
        return text if self.candidates <= DIGIT_CANDIDATES else _in_letters(text)


def _in_letters(text: bytes) -> bytes:
    """Numbers of up to two digits as one letter each, all at once.

    A byte of `numbers` has the digit at that place and ten times the one before it: at the last digit of each
    number that is the number. At a first digit that another follows, a hundred is added, and the byte is left out.
    """
    digits, is_digit, signs = (_as_integer(text.translate(table)) for table in (_DIGITS, _IS_DIGIT, _SIGNS))
    numbers = (digits + (digits * 10 << 8) + (is_digit >> 8) * 100) & is_digit * 255
    return (numbers | signs).to_bytes(len(text), "little").translate(_LETTERS, _FIRST_DIGITS)


def _table(new: Mapping[int, int], otherwise: int) -> bytes:
    return bytes(new.get(old, otherwise) for old in range(256))


_DIGITS = _table({ord(str(digit)): digit for digit in range(10)}, 0)
_IS_DIGIT = _table({ord(str(digit)): 1 for digit in range(10)}, 0)
_FIRST_DIGITS = bytes(range(101, 110))
_SIGN = {ord(sign): HIGHEST_BYTE + 100 + ord(sign) % 16 for sign in "\n=>"}
_SIGNS = _table(_SIGN | {ord(str(digit)): 0 for digit in range(10)}, 255)
_LETTERS = _table(
    {number: HIGHEST_BYTE + number for number in range(100)} | {new: old for old, new in _SIGN.items()}, 255
)


def _as_integer(column: bytes) -> int:
    return int.from_bytes(column, "little")


class _RanksByShape(dict[bytes, bytes]):
    """The rank of each letter in a ranking of this shape, from 1 on; values at separators are ignored."""

    def __missing__(self, shape: bytes) -> bytes:
        if not SHAPE.fullmatch(shape):
            raise BadBallot("A candidate is ranked who does not stand.")
        self[shape] = bytes(1 + shape.count(b">", 0, at) for at in range(len(shape)))
        return self[shape]
