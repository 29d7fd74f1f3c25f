"""Writing on a picture with the letters that Pillow brings along, and with accents that are drawn here.

Its font has the letters of English alone. An accent is a few strokes above or below a letter, and with these most
names of Europe can be written. What cannot be written is never drawn as an empty box: ask `can_write` first.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont

LETTERS = frozenset(map(chr, range(32, 127))) | frozenset("©«°±·»“”…™\u2018\u2019\u2039\u203a")
# Dashes and spaces of other lengths; and ss is how ß is spelt where there is no such letter.
DASHES, SPACES = "\u2010\u2011\u2013\u2014", "\u00a0\u202f"
SPELT = str.maketrans(dict.fromkeys(DASHES, "-") | dict.fromkeys(SPACES, " ") | {"ß": "ss", "ẞ": "SS"})
LONGEST = 300  # letters that are looked at; no room here is wide enough for more

# Strokes of each accent: lines in a square that is one wide and reaches from 0 at the top down to 1, dots as one point.
ABOVE: dict[str, tuple[tuple[tuple[float, float], ...], ...]] = {
    "\u0300": (((0.3, 0.1), (0.6, 0.9)),),  # grave
    "\u0301": (((0.7, 0.1), (0.4, 0.9)),),  # acute
    "\u0302": (((0.15, 0.9), (0.5, 0.2), (0.85, 0.9)),),  # circumflex
    "\u0303": (((-0.1, 0.7), (0.2, 0.3), (0.8, 0.7), (1.1, 0.3)),),  # tilde
    "\u0304": (((0.1, 0.5), (0.9, 0.5)),),  # macron
    "\u0306": (((0.1, 0.2), (0.3, 0.7), (0.7, 0.7), (0.9, 0.2)),),  # breve
    "\u0307": (((0.5, 0.5),),),  # dot
    "\u0308": (((0.15, 0.5),), ((0.85, 0.5),)),  # diaeresis
    "\u030a": (((0.5, 0.0), (0.8, 0.3), (0.8, 0.6), (0.5, 0.9), (0.2, 0.6), (0.2, 0.3), (0.5, 0.0)),),  # ring
    "\u030b": (((0.45, 0.1), (0.2, 0.9)), ((0.9, 0.1), (0.65, 0.9))),  # double acute
    "\u030c": (((0.15, 0.2), (0.5, 0.9), (0.85, 0.2)),),  # caron
}
BELOW: dict[str, tuple[tuple[tuple[float, float], ...], ...]] = {
    "\u0323": (((0.5, 0.5),),),  # dot
    "\u0326": (((0.55, 0.4), (0.4, 1.0)),),  # comma
    "\u0327": (((0.5, 0.0), (0.5, 0.3), (0.75, 0.5), (0.65, 0.85), (0.25, 0.9)),),  # cedilla
    "\u0328": (((0.65, 0.0), (0.45, 0.4), (0.5, 0.8), (0.8, 0.85)),),  # ogonek
}


# Letters that are others with a stroke through them, and its ends in the box of the other.
ACROSS: dict[str, tuple[str, tuple[tuple[float, float], ...]]] = {
    "ø": ("o", ((0.02, 1.02), (0.98, -0.02))),
    "Ø": ("O", ((0.06, 1.02), (0.94, -0.02))),
    "ł": ("l", ((-1.2, 0.62), (2.2, 0.38))),
    "Ł": ("L", ((-0.22, 0.62), (0.5, 0.36))),
    "đ": ("d", ((0.45, 0.17), (1.18, 0.17))),
    "Đ": ("D", ((-0.15, 0.5), (0.45, 0.5))),
}


class Letter(NamedTuple):
    base: str
    accents: str = ""  # or the letter itself, if it is its base with a stroke through it

    @property
    def text(self) -> str:
        return self.accents if self.accents in ACROSS else self.base + self.accents


def letters_of(text: str) -> Iterator[Letter]:
    """The text letter by letter, each with the accents that follow it when it is taken apart."""
    letter = None
    for sign in unicodedata.normalize("NFD", text.translate(SPELT)):
        if letter is not None and unicodedata.combining(sign):
            letter = letter._replace(accents=letter.accents + sign)
            continue
        if letter is not None:
            yield letter
        letter = Letter(ACROSS[sign][0], sign) if sign in ACROSS else Letter(sign)
    if letter is not None:
        yield letter


def can_write(text: str) -> bool:
    accents = {"", *ABOVE, *BELOW, *ACROSS}
    return all(letter.base in LETTERS and letter.accents in accents for letter in letters_of(text))


@lru_cache(maxsize=32)
def font(size: int) -> ImageFont.FreeTypeFont:
    found = ImageFont.load_default(size)
    assert isinstance(found, ImageFont.FreeTypeFont), "Pillow was built without FreeType"
    return found


@lru_cache(maxsize=256)
def ink(letter: str, size: int) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of what is black, from where the letter begins on its line."""
    sheet = Image.new("L", (3 * size, 3 * size))
    ImageDraw.Draw(sheet).text((size, 2 * size), letter, 255, font(size), anchor="ls")
    left, top, right, bottom = sheet.getbbox() or (size, 2 * size, size, 2 * size)
    return left - size, top - 2 * size, right - size, bottom - 2 * size


def width(text: str, size: int) -> float:
    return font(size).getlength("".join(letter.base for letter in letters_of(text)))


def fit(text: str, size: int, room: float) -> str:
    """The text, cut and ended with an ellipsis if it is wider than its room."""
    if len(text) <= LONGEST and width(text, size) <= room:
        return text
    letters = [letter.text for letter in letters_of(text[:LONGEST])]
    cuts = ["".join(letters[:kept]).rstrip() + "…" for kept in range(1, len(letters))]
    return cuts[max(0, bisect_right(cuts, room, key=lambda cut: width(cut, size)) - 1)]


def lines(text: str, size: int, room: float, most: int) -> list[str]:
    """The text on at most so many lines, broken at spaces; what does not fit is cut at the end of the last."""
    found: list[str] = []
    left = text[: LONGEST + 1].split()
    while left and len(found) < most - 1:
        taken = 1
        while taken < len(left) and width(" ".join(left[: taken + 1]), size) <= room:
            taken += 1
        found.append(fit(" ".join(left[:taken]), size, room))
        left = left[taken:]
    return [*found, fit(" ".join(left), size, room)] if left else found


def write(image: Image.Image, place: tuple[float, float], text: str, size: int, colour: str) -> None:
    """Write at a place, which is where the line begins and on what the letters stand."""
    letters, written = list(letters_of(text)), font(size)
    sheet = Image.new("L", (int(width(text, size)) + size, 2 * size))
    draw = ImageDraw.Draw(sheet)
    bases = "".join(letter.base for letter in letters)
    draw.text((0, 1.5 * size), bases, 255, written, anchor="ls")
    for at, letter in enumerate(letters):
        if letter.accents:
            end = written.getlength(bases[: at + 1])
            _accent(draw, letter, end - written.getlength(letter.base), size)
    image.paste(colour, (round(place[0]), round(place[1] - 1.5 * size)), sheet)


def _accent(draw: ImageDraw.ImageDraw, letter: Letter, x: float, size: int) -> None:
    """Draw the accent over the middle of the letter, or under it, or across; the dot of an i makes room for it."""
    left, top, right, bottom = ink(letter.base, size)
    line, side, thick = 1.5 * size, 0.26 * size, size / 13
    if letter.accents in ACROSS:
        ends = ACROSS[letter.accents][1]
        box = [(x + left + a * (right - left), line + top + b * (bottom - top)) for a, b in ends]
        return _stroke(draw, box, thick)
    if letter.base in "ij" and letter.accents in ABOVE:
        dotless = ink("x", size)[1]
        draw.rectangle((x + left, 0, x + right, line + dotless - 0.03 * size), 0)
        top = dotless
    corner = x + (left + right - side) / 2, line + (top - 1.1 * side if letter.accents in ABOVE else bottom)
    for stroke in (ABOVE | BELOW)[letter.accents]:
        _stroke(draw, [(corner[0] + a * side, corner[1] + b * side) for a, b in stroke], thick)
    return None


def _stroke(draw: ImageDraw.ImageDraw, points: list[tuple[float, float]], thick: float) -> None:
    draw.line(points, 255, round(thick), joint="curve")
    radius = thick * (0.75 if len(points) == 1 else 0.5)
    for a, b in (points[0], points[-1]):
        draw.ellipse((a - radius, b - radius, a + radius, b + radius), 255)
