"""How every two candidates compare on a set of ballots: one pass over the distinct rankings serves every method.

The pass counts three things: A[i][j], the ballots that rank both and i above j; E[i][j], those that rank both as
equals; T[i], those that rank i at all. From these both rules for unranked candidates follow without another pass:
"below" (unranked candidates are below all ranked ones) and "no-opinion" (a ballot says nothing on pairs it does not
rank in full). Summaries can be added and subtracted, so a running count changes by one ballot at a time.

Thousands of rankings are compared at once, in plain Python: few long sums instead of many short ones. Read one by one,
every name on every ballot is a step of the interpreter. So rankings are laid abreast: each becomes a row of bytes, one
for each candidate, with the place it has there. The column of a candidate, from top to bottom, is one long number, and
one column taken from another compares two candidates on all rankings: a byte whose highest bit is set keeps that bit
if it is at least the other byte, and else has to give it up.

- A row is a table as `bytes.translate` uses it: "for the letter of this candidate, this place". Python makes such a
  table of a whole ranking in one step, and leaves the letters of those who are not on it as they are.
- Places follow from the signs between the names alone, so that all rankings of one shape (`0>0=0>0`) share them.
- The letters of up to ten candidates are their digits, just as they stand in the text; those of more are bytes that are
  larger than any place.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import add, sub

Matrix = tuple[tuple[int, ...], ...]
PairCounts = list[int]  # A and E row by row, then T

UNRANKED = ("below", "no-opinion")
VALUE = re.compile("@[0-9]+")


@dataclass(frozen=True)
class PairwiseSummary:
    """All that pairwise methods need to know of a set of ballots. Equal ballots give an equal summary."""

    candidates: tuple[str, ...]
    total: int
    blank: int
    above: Matrix
    equal: Matrix
    ranked: tuple[int, ...]

    @classmethod
    def of(cls, candidates: tuple[str, ...], counts: Mapping[str, int]) -> PairwiseSummary:
        """From how often each ranking was cast; of values, the ranking by them."""
        rankings = without_values(counts)
        return cls(candidates, sum(counts.values()), counts.get("", 0), *matrices(rankings, len(candidates)))

    @property
    def weight(self) -> int:
        """About how many bytes it takes up: two matrices of numbers, each an object and its place in a row."""
        return 72 * len(self.candidates) ** 2

    def __add__(self, other: PairwiseSummary) -> PairwiseSummary:
        return self._joined(other, add)

    def __sub__(self, other: PairwiseSummary) -> PairwiseSummary:
        left = self._joined(other, sub)
        numbers = (left.total, left.blank, *left.ranked, *(n for row in (*left.above, *left.equal) for n in row))
        if min(numbers) < 0:
            raise ValueError("More ballots are removed than were cast.")
        return left

    def _joined(self, other: PairwiseSummary, act: Callable[[int, int], int]) -> PairwiseSummary:
        if self.candidates != other.candidates:
            raise ValueError("These are ballots for different candidates.")
        return PairwiseSummary(
            self.candidates,
            act(self.total, other.total),
            act(self.blank, other.blank),
            tuple(tuple(map(act, mine, theirs)) for mine, theirs in zip(self.above, other.above, strict=True)),
            tuple(tuple(map(act, mine, theirs)) for mine, theirs in zip(self.equal, other.equal, strict=True)),
            tuple(map(act, self.ranked, other.ranked)),
        )

    def pairwise(self, unranked: str = "below") -> Matrix:
        """[i][j]: the ballots that put i above j, by this rule for unranked candidates."""
        if unranked not in UNRANKED:
            raise ValueError(f"An unranked candidate can be {' or '.join(UNRANKED)}, not {unranked!r}.")
        if unranked == "no-opinion":
            return self.above
        everyone = range(len(self.candidates))
        # Of the ballots that rank i, all but those that rank j above it or equal to it put i above j.
        return tuple(
            tuple(0 if i == j else self.ranked[i] - self.above[j][i] - self.equal[i][j] for j in everyone)
            for i in everyone
        )


def without_values(counts: Mapping[str, int]) -> Mapping[str, int]:
    """The rankings by value of ballots that give values (foundation/tally/ballots.py); rankings as they are."""
    if not any("@" in text for text in counts):
        return counts
    rankings: dict[str, int] = defaultdict(int)
    for text, count in counts.items():
        rankings[VALUE.sub("", text)] += count
    return rankings


def matrices(counts: Mapping[str, int], size: int) -> tuple[Matrix, Matrix, tuple[int, ...]]:
    """A, E and T: where many rankings were cast equally often, of thousands at once; of the others one by one."""
    by_count: dict[int, list[str]] = defaultdict(list)
    for ranking, count in counts.items():
        by_count[count].append(ranking)
    many = {count: rankings for count, rankings in by_count.items() if is_faster(rankings, size)}
    few = {count: rankings for count, rankings in by_count.items() if count not in many}
    counted = [(times, each) for times, rankings in many.items() for each in count_in_batches(rankings, size)]
    sums = [0] * (2 * size + 1) * size
    for times, found in [*counted, (1, count_one_by_one(few, size))]:
        sums = [total + times * more for total, more in zip(sums, found, strict=True)]
    *rows, ranked = (tuple(sums[start : start + size]) for start in range(0, len(sums), size)) if size else [()]
    return tuple(rows[:size]), tuple(rows[size:]), ranked


def count_one_by_one(by_count: Mapping[int, Sequence[str]], size: int) -> PairCounts:
    """A, E and T of rankings that are read one by one.

    A row of counters is one long integer with a field of bits for every candidate, wide enough for all ballots, so
    that one addition counts a group against everybody it is above. Walking up a ballot from its last group, `met`
    has a 1 in the field of everybody met so far, the group itself included: there its row counts how often it was
    cast, which is what E and T need. Rankings cast equally often are walked together and multiplied once.
    """
    width = sum(count * len(rankings) for count, rankings in by_count.items()).bit_length()
    fields = _Fields(size, width)
    rows: dict[str, int] = defaultdict(int)
    for count, rankings in by_count.items():
        part: dict[str, int] = defaultdict(int)
        for ranking in rankings:
            met = 0
            for group in reversed(ranking.split(">")):
                met += fields[group]
                part[group] += met
        for group, row in part.items():
            rows[group] += row * count
    return _unpack_rows(rows, size, width)


class _Fields(dict[str, int]):
    """A 1 in the field of each candidate of a group, worked out when the group is first met."""

    def __init__(self, candidates: int, width: int) -> None:
        self._units = {str(number): 1 << number * width for number in range(candidates)} | {"": 0}

    def __missing__(self, group: str) -> int:
        try:
            self[group] = sum(self._units[number] for number in group.split("="))
        except KeyError:
            raise ValueError("This ranks somebody who is not a candidate.") from None
        return self[group]


def _unpack_rows(rows: dict[str, int], candidates: int, width: int) -> PairCounts:
    """Unpack the long integers: a group's own fields give E and T, the rest A."""
    above, equal = ([[0] * candidates for _ in range(candidates)] for _ in range(2))
    ranked = [0] * candidates
    field = (1 << width) - 1
    for group, row in rows.items():
        members = {int(number) for number in group.split("=")} if group else set()
        numbers = [row >> number * width & field for number in range(candidates)]
        for i in members:
            ranked[i] += numbers[i]
            for j, number in enumerate(numbers):
                if j not in members:
                    above[i][j] += number
                elif j != i:
                    equal[i][j] += number
    return [number for row in (*above, *equal, ranked) for number in row]


# --- thousands of rankings at once ---

BATCH_RANKINGS = 4096  # rankings: their rows take up a megabyte, which a processor keeps near
DIGIT_CANDIDATES = 10
MAX_PARALLEL_CANDIDATES = 100  # candidates for whom there are letters and places; ballots of more are read one by one
MIN_ROWS_PER_CANDIDATE = 4  # times as long as they are many is what columns must be to be worth it,
COMPARISONS_PER_CHAR = 200  # and so many comparisons are made while one letter is read
HIGHEST_BYTE, LAST_BYTE = 0x80, 0x7F
SHAPE = re.compile(rb"(0([>=]0)*)?")


def is_faster(rankings: Sequence[str], candidates: int) -> bool:
    """Not with too few rankings per candidate, nor if most candidates are unranked on most of them."""
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
        written = text.encode("ascii", "replace")
        if self.candidates > DIGIT_CANDIDATES:
            written = _in_letters(written)
        lines, shapes = written.split(b"\n"), written.translate(self._shape).split(b"\n")
        if len(lines) != number:
            raise ValueError("This ranks somebody who is not a candidate.")
        rows = b"".join(map(bytes.maketrans, lines, map(self._places.__getitem__, shapes)))
        return [rows[letter::256] for letter in self.letters]


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
            raise ValueError("This ranks somebody who is not a candidate.")
        self[shape] = bytes(1 + shape.count(b">", 0, at) for at in range(len(shape)))
        return self[shape]
