"""An address as a picture for cameras: a QR code as ISO/IEC 18004 describes it, of bytes, with its level M of
correction (15 % of a picture may be lost).

Of the eight masks that may lie over a picture this is always the first: a camera reads any, and to look for the one
that suits it best means to draw and to judge all eight. What all pictures of a size have in common is worked out once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, reduce
from itertools import count, pairwise, product, repeat
from operator import itemgetter, xor

from django.utils.safestring import mark_safe

# Of each size, from the first on: how many words correct a block, and how many blocks there are.
CORRECTING = (10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, *[28] * 19)
BLOCKS = (
    *(1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16),
    *(17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49),
)
FORMAT = 0b101010000010010  # what a picture says of itself: level M, the first mask
BYTES = 0b0100  # and of what follows
MARGIN = 4  # modules of nothing around a picture
PADDING = b"\xec\x11"
OFTEN = 6  # the largest size that is: for addresses of 106 bytes, as receipts have them

Place = tuple[int, int]  # row and column of a module


class TooLong(ValueError):
    """More than the largest picture holds."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A picture of one size before anything is written on it. Modules are the bits of a number, 1 if dark: row by row,
    each row in whole bytes, of which the last may end with bits that are no modules."""

    version: int
    size: int
    blocks: int
    correcting: int  # words a block
    words: int  # of an address and what stands before it
    free: int  # modules that hold bits; a few at the end hold none
    length: int  # in how many bytes the length of an address is written
    blank: int  # what is drawn already, and the mask
    order: Callable[[str], Sequence[str]]  # the modules row by row, from the bits followed by a 0

    @property
    def room(self) -> int:
        return self.words - 1 - self.length

    @property
    def row(self) -> int:
        """Bytes."""
        return -(-self.size // 8)


def qr_picture(address: str) -> str:
    """Empty if the address fits no picture: pages show it without one, beside the address or the code itself."""
    content = address.encode()
    try:
        sheet = sheet_for(content)
    except TooLong:
        return ""
    size, side, modules = sheet.size, sheet.size + 2 * MARGIN, qr_modules(content, sheet)
    columns = [map(drawn.__getitem__, modules[at :: sheet.row]) for at, drawn in enumerate(_lines(size))]
    lines = f"m-{size} 1".join(map("".join, zip(*columns, strict=True)))
    path = f'<path stroke="#000" d="M{MARGIN} {MARGIN}.5{lines}"/>'
    return mark_safe(f'<svg viewBox="0 0 {side} {side}"><path fill="#fff" d="M0 0h{side}v{side}H0z"/>{path}</svg>')  # noqa: S308 - lines, made by us


@cache
def _lines(size: int) -> list[list[str]]:
    """For every byte of a row, from the first on, how each that it can be is drawn."""
    return [[_line(f"{byte:08b}"[: size - at]) for byte in range(256)] for at in range(0, size, 8)]


@cache  # of the few hundred there are
def _line(modules: str) -> str:
    """A part of a row drawn from where the part before it ended: along the dark modules, and across the light ones."""
    return re.sub("(1+)|0+", lambda run: f"h{len(run[0])}" if run[1] else f"m{len(run[0])} 0", modules)


def sheet_for(content: bytes) -> Sheet:
    sheet = next((sheet for sheet in map(_sheet, range(1, 41)) if len(content) <= sheet.room), None)
    if sheet is None:
        raise TooLong(f"{len(content)} bytes")
    return sheet


def qr_modules(content: bytes, sheet: Sheet) -> bytes:
    """The modules row by row. What each word does to a picture, with all that corrects it, lies over what the others
    do: of a size that is drawn often it is remembered, and to draw means to lay them over one another."""
    words = _words(content, sheet)
    if sheet.version > OFTEN:
        modules = sheet.blank ^ _written(words, sheet)
    else:
        modules = reduce(xor, map(_word, repeat(sheet.version), count(), words), sheet.blank)
    return modules.to_bytes(sheet.row * sheet.size)


@lru_cache(maxsize=10_000)  # of some hundred bytes each
def _word(version: int, place: int, word: int) -> int:
    return reduce(xor, (_bit(version, place, bit) for bit in range(8) if word >> bit & 1), 0)


@cache  # of the few thousand there are
def _bit(version: int, place: int, bit: int) -> int:
    """What one bit of a word does to an empty picture."""
    sheet = _sheet(version)
    return _written((1 << 8 * (sheet.words - 1 - place) + bit).to_bytes(sheet.words), sheet)


def _written(words: bytes, sheet: Sheet) -> int:
    laid = _interleaved(_blocks(words, sheet), sheet.correcting)
    bits = int.from_bytes(laid) << (sheet.free - 8 * len(laid))
    return int("".join(sheet.order(f"{bits:0{sheet.free}b}0")), 2)


# --- the words ---


def _words(content: bytes, sheet: Sheet) -> bytes:
    head = BYTES << 8 * sheet.length | len(content)
    written = ((head << 8 * len(content) | int.from_bytes(content)) << 4).to_bytes(1 + sheet.length + len(content))
    return (written + PADDING * sheet.words)[: sheet.words]


def _blocks(words: bytes, sheet: Sheet) -> list[bytes]:
    """The words in blocks of the same length; the last ones, as many as need be, have one more."""
    short, longer = divmod(len(words), sheet.blocks)
    starts = [number * short + max(0, number - (sheet.blocks - longer)) for number in range(sheet.blocks + 1)]
    return [words[start:end] for start, end in pairwise(starts)]


def _interleaved(blocks: list[bytes], correcting: int) -> bytes:
    """The first word of every block, the second of every block, and so on; then in the same way what corrects them."""
    corrections = [_correction(block, correcting) for block in blocks]
    short = len(blocks[0])
    return (
        _in_turn(blocks, short)
        + bytes(block[short] for block in blocks if len(block) > short)
        + _in_turn(corrections, correcting)
    )


def _in_turn(blocks: list[bytes], length: int) -> bytes:
    """The first words of every block, so many of each."""
    words = bytearray(length * len(blocks))
    for number, block in enumerate(blocks):
        words[number :: len(blocks)] = block[:length]
    return bytes(words)


def _correction(block: bytes, correcting: int) -> bytes:
    """What remains of the block divided by the generator, both read as polynomials over the 256 elements of a field."""
    multiples, top = _multiples(correcting), 8 * (correcting - 1)
    rest, below = 0, (1 << top) - 1
    for word in block:
        rest = (rest & below) << 8 ^ multiples[rest >> top ^ word]
    return rest.to_bytes(correcting)


@cache
def _multiples(correcting: int) -> tuple[int, ...]:
    """The generator, without its first coefficient, times every element: its roots are the first powers of 2."""
    generator, root = [1], 1
    for _ in range(correcting):
        above, below = [*generator, 0], [0, *generator]
        generator = [one ^ _times(root, other) for one, other in zip(above, below, strict=True)]
        root = _times(root, 2)
    return tuple(int.from_bytes(_times(factor, each) for each in generator[1:]) for factor in range(256))


def _times(one: int, other: int) -> int:
    result = 0
    while other:
        result ^= one * (other & 1)
        one = one << 1 ^ (one >> 7) * 0b100011101
        other >>= 1
    return result


# --- the sheet ---


@cache
def _sheet(version: int) -> Sheet:
    size = 17 + 4 * version
    drawn = _drawn_already(version, size)
    free = [place for place in _way(size) if place not in drawn]
    index = {place: number for number, place in enumerate(free)}
    places = [(row, column) for row in range(size) for column in range(-(-size // 8) * 8)]
    dark = {place for place, is_dark in drawn.items() if is_dark} | {place for place in free if sum(place) % 2 == 0}
    blank = int("".join("01"[place in dark] for place in places), 2)
    order = itemgetter(*(index.get(place, len(free)) for place in places))
    blocks, correcting = BLOCKS[version - 1], CORRECTING[version - 1]
    words = len(free) // 8 - blocks * correcting
    return Sheet(version, size, blocks, correcting, words, len(free), 1 if version < 10 else 2, blank, order)


def _way(size: int) -> Iterator[Place]:
    """In which order bits are laid down: in columns of two from the right, up and down by turns, past the column that
    has the marks of the rows."""
    rights = [*range(size - 1, 6, -2), *range(5, 0, -2)]
    for number, right in enumerate(rights):
        rows = range(size) if number % 2 else range(size - 1, -1, -1)
        yield from ((row, column) for row in rows for column in (right, right - 1))


def _drawn_already(version: int, size: int) -> dict[Place, bool]:
    """What is the same on every picture of a size, by which cameras find it; whether each module is dark."""
    last = size - 1
    drawn = {place: at % 2 == 0 for at in range(size) for place in ((6, at), (at, 6))}
    for row, column in _small_marks(version, last - 6):
        drawn |= _rings(row, column, 2, light=(1,))
    for row, column in ((3, 3), (3, last - 3), (last - 3, 3)):
        drawn |= _rings(row, column, 4, light=(2, 4))
    drawn |= _format(last) | (_version(version, last) if version >= 7 else {})
    return {place: dark for place, dark in drawn.items() if min(place) >= 0 and max(place) <= last}


def _rings(row: int, column: int, rings: int, light: tuple[int, ...]) -> dict[Place, bool]:
    steps = range(-rings, rings + 1)
    return {(row + y, column + x): max(abs(y), abs(x)) not in light for y, x in product(steps, repeat=2)}


def _small_marks(version: int, last: int) -> list[Place]:
    """As evenly as even steps allow, counted from the far end; where large marks are, there are no small ones."""
    if version == 1:
        return []
    gaps = version // 7 + 1
    step = 26 if version == 32 else (last - 6 + 2 * gaps - 1) // (2 * gaps) * 2
    along = [6, *range(last, 6, -step)][: gaps + 1]
    return [place for place in product(along, repeat=2) if place not in ((6, 6), (6, last), (last, 6))]


def _format(last: int) -> dict[Place, bool]:
    """What the picture says of itself, last bit first: beside the first mark, and once more beside the others."""
    rows, columns = [0, 1, 2, 3, 4, 5, 7, 8], [7, 5, 4, 3, 2, 1, 0]
    here = [*((row, 8) for row in rows), *((8, column) for column in columns)]
    there = [*((8, last - at) for at in range(8)), *((last - at, 8) for at in range(6, -1, -1))]
    return _bits(FORMAT, here) | _bits(FORMAT, there) | {(last - 7, 8): True}


def _version(version: int, last: int) -> dict[Place, bool]:
    """Which size it is, last bit first, beside two of the marks; with what corrects it."""
    rest = version << 12
    for bit in range(17, 11, -1):
        rest ^= (rest >> bit & 1) * (0b1111100100101 << bit - 12)
    places = [(at // 3, last - 10 + at % 3) for at in range(18)]
    number = version << 12 | rest
    return _bits(number, places) | _bits(number, [(column, row) for row, column in places])


def _bits(number: int, places: list[Place]) -> dict[Place, bool]:
    return {place: bool(number >> at & 1) for at, place in enumerate(places)}
