"""An address as a picture for cameras: a QR code as ISO/IEC 18004 describes it, of bytes, with its level M of
correction (15 % of a picture may be lost).

Of the eight masks that may lie over a picture this is always the first: a camera reads any, and to look for the one
that suits it best means to draw and to judge all eight. What all pictures of a size have in common is worked out once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, product
from operator import itemgetter

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

Place = tuple[int, int]  # row and column of a module


class TooLong(ValueError):
    """More than the largest picture holds."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A picture of one size before anything is written on it."""

    size: int
    blocks: int
    correcting: int  # words a block
    words: int  # of an address and what stands before it
    free: int  # modules that hold bits; a few at the end hold none
    length: int  # in how many bytes the length of an address is written
    mask: int
    drawn: Callable[[str], Sequence[str]]  # the modules row by row, from the bits followed by a 0 and a 1

    @property
    def room(self) -> int:
        return self.words - 1 - self.length


def qr_picture(address: str) -> str:
    modules, size = qr_modules(address.encode())
    side = size + 2 * MARGIN
    drawn = map(_line, _in_eights(size)(modules))
    lines = f"m-{size} 1".join(map("".join, zip(*[drawn] * -(-size // 8), strict=True)))
    path = f'<path stroke="#000" d="M{MARGIN} {MARGIN}.5{lines}"/>'
    return mark_safe(f'<svg viewBox="0 0 {side} {side}"><path fill="#fff" d="M0 0h{side}v{side}H0z"/>{path}</svg>')  # noqa: S308 - lines, made by us


@cache
def _in_eights(size: int) -> Callable[[str], Sequence[str]]:
    """Cuts the modules into rows, and every row into parts of eight; the last part of a row may have fewer."""
    rows, parts = range(0, size * size, size), range(0, size, 8)
    return itemgetter(*(slice(row + part, row + min(part + 8, size)) for row in rows for part in parts))


@cache  # of the few hundred there are
def _line(modules: str) -> str:
    """A part of a row drawn from where the part before it ended: along the dark modules, and across the light ones."""
    return re.sub("(1+)|0+", lambda run: f"h{len(run[0])}" if run[1] else f"m{len(run[0])} 0", modules)


def qr_modules(content: bytes) -> tuple[str, int]:
    """The modules row by row, 1 if dark, and how many a row has."""
    sheet = next((sheet for sheet in map(_sheet, range(1, 41)) if len(content) <= sheet.room), None)
    if sheet is None:
        raise TooLong(f"{len(content)} bytes")
    words = _interleaved(_blocks(_words(content, sheet), sheet), sheet.correcting)
    bits = int.from_bytes(words) << (sheet.free - 8 * len(words)) ^ sheet.mask
    return "".join(sheet.drawn(f"{bits:0{sheet.free}b}01")), sheet.size


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
    index |= {place: len(free) + is_dark for place, is_dark in drawn.items()}
    mask = int("".join("10"[(row + column) % 2] for row, column in free), 2)
    blocks, correcting = BLOCKS[version - 1], CORRECTING[version - 1]
    modules = itemgetter(*(index[row, column] for row in range(size) for column in range(size)))
    words = len(free) // 8 - blocks * correcting
    return Sheet(size, blocks, correcting, words, len(free), 1 if version < 10 else 2, mask, modules)


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
