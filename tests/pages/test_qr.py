"""Pictures for cameras: module by module what another program draws of the same address."""

from __future__ import annotations

import random
import re

import pytest
import segno

from pages import qr
from pages.qr import TooLong, qr_modules, qr_picture, sheet_for
from tests.rows import every_row

ADDRESS = "https://vote.example.org/election/Board/follow/#K3F9-2Q7M-XW8P"
# In bytes, on pictures from the smallest to the largest.
LONGEST = (
    *(14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504, 560, 624, 666),
    *(711, 779, 857, 911, 997, 1059, 1125, 1190, 1264, 1370),
    *(1452, 1538, 1628, 1722, 1809, 1911, 1989, 2099, 2213, 2331),
)


def drawn_by_segno(content: bytes) -> list[str]:
    drawn = segno.make(content, mode="byte", error="m", mask=0, micro=False, boost_error=False)
    return ["".join(map(str, row)) for row in drawn.matrix]


def rows_of(content: bytes) -> list[str]:
    sheet = sheet_for(content)
    modules = qr_modules(content, sheet)
    rows = [modules[at : at + sheet.row] for at in range(0, len(modules), sheet.row)]
    return [f"{int.from_bytes(row):0{8 * sheet.row}b}"[: sheet.size] for row in rows]


def rows_on(picture: str) -> list[str]:
    """The modules that the lines of a picture pass over."""
    side, path = re.search(r'viewBox="0 0 (\d+) .*d="M4 4.5([^"]*)"', picture).groups()
    dark, row, column = set(), 0, 0
    for kind, across, down in re.findall(r"([hm])(-?\d+)(?: (\d+))?", path):
        if kind == "h":
            dark |= {(row, column + step) for step in range(int(across))}
        row, column = row + int(down or 0), column + int(across)
    size = int(side) - 8
    return ["".join("01"[(row, column) in dark] for column in range(size)) for row in range(size)]


@every_row("version", range(1, 41))
def test_the_longest_address_of_every_size_looks_as_another_program_draws_it(version):
    """Only what fills its picture: before the words that fill up the others it puts one that the standard does not."""
    content = random.Random(version).randbytes(LONGEST[version - 1])
    rows = rows_of(content)
    assert len(rows) == 17 + 4 * version
    assert rows == drawn_by_segno(content)


def test_what_an_address_leaves_free_is_filled_as_the_standard_says():
    words = qr._words(b"abc", qr._sheet(1))
    assert words.hex() == "40361626" + "30" + "ec11" * 5 + "ec"


def test_the_lines_of_a_picture_cover_its_dark_modules():
    assert rows_on(qr_picture(ADDRESS)) == rows_of(ADDRESS.encode())


def test_an_address_that_fits_no_picture_has_none():
    too_long = "a" * (LONGEST[-1] + 1)
    with pytest.raises(TooLong):
        sheet_for(too_long.encode())
    assert qr_picture(too_long) == ""
