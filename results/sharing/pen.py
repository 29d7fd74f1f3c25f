"""Drawing tools for preview images: size, colours, shapes, our logo and the site's name; and text in FiraGO: Latin with
its accents, Greek, Cyrillic, Georgian, Hebrew, Arabic, Devanagari, Thai.

What the font cannot show is never drawn as empty boxes: ask `can_write` first.
"""

from __future__ import annotations

import io
import unicodedata
from bisect import bisect_right
from functools import lru_cache
from hashlib import sha256

import pymupdf_fonts
from PIL import Image, ImageDraw, ImageFont

from acts.branding import site_name

WIDTH_PX, HEIGHT_PX = 1200, 630  # what social networks ask for
FORMAT = 2  # of the drawing; another one has another address
OURS = "Plenum"
OVERSAMPLING = 2  # everything is drawn so many times larger, for smooth edges
INK, SOFT, GREY, PAPER = "#1c1a22", "#57525f", "#857d93", "#f6f5f3"  # as in static/css/tokens.css
ACCENT, PALE, SEAT = "#56278a", "#dcd0e9", "#cdc8d2"
LEFT_PX, RIGHT_PX = 72, WIDTH_PX - 72
SEATS = ((5, 22.5), (8.2, 14.7), (16, 11.5), (27, 22.5), (16, 22))  # as in static/img/mark.svg


def edition() -> str:
    """Changes whenever the same thing would be drawn differently: with the drawing code, or the site's name in it."""
    name = site_name()
    return str(FORMAT) if name == OURS else f"{FORMAT}-{sha256(name.encode()).hexdigest()[:8]}"


class Pen:
    """Draws on a sheet of its own, in the measures of the picture as it will be seen."""

    def __init__(self) -> None:
        self._image = Image.new("RGB", (WIDTH_PX * OVERSAMPLING, HEIGHT_PX * OVERSAMPLING), PAPER)
        self._draw = ImageDraw.Draw(self._image)
        self.box(0, 0, WIDTH_PX, 14, ACCENT, 0)

    def box(self, x: float, y: float, wide: float, high: float, colour: str, radius: float) -> None:
        edges = [OVERSAMPLING * each for each in (x, y, x + max(wide, 2 * radius), y + high)]
        self._draw.rounded_rectangle(edges, OVERSAMPLING * radius, colour)

    def dot(self, x: float, y: float, radius: float, colour: str) -> None:
        self._draw.ellipse([OVERSAMPLING * each for each in (x - radius, y - radius, x + radius, y + radius)], colour)

    def text(self, x: float, y: float, text: str, size: int, colour: str) -> None:
        self._draw.text((OVERSAMPLING * x, OVERSAMPLING * y), text, colour, font(OVERSAMPLING * size), anchor="ls")

    def text_at_right(self, x: float, y: float, text: str, size: int, colour: str) -> None:
        self.text(x - length(text, size), y, text, size, colour)

    def sign(self, y: float) -> None:
        """The site's name and our mark, at the right end of a line."""
        own = site_name()
        name = cut(own if can_write(own) else OURS, 32, 260)
        self.text_at_right(RIGHT_PX, y, name, 32, INK)
        self._mark(RIGHT_PX - length(name, 32) - 62, y - 36, 48)

    def _mark(self, x: float, y: float, side: float) -> None:
        """The seats of an assembly, and the one who has won."""
        unit = side / 32
        self.box(x, y, side, side, ACCENT, 6 * unit)
        for a, b in SEATS:
            self.dot(x + a * unit, y + b * unit, 2.6 * unit, "#c9b2e6")
        self.dot(x + 23.8 * unit, y + 14.7 * unit, 4 * unit, "#ffffff")

    def as_png(self) -> bytes:
        file = io.BytesIO()
        self._image.reduce(OVERSAMPLING).quantize(128, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
        return file.getvalue()


# --- text ---

MAX_MEASURED_CHARS = 300  # characters that are measured; no line is wide enough for more
MISSING = "\U0010ffff"  # not a character, so drawn as the glyph for everything that the font lacks
JOINERS = "\u200c\u200d"  # the only controls that belong to spelling; others could turn the text around
RUNS_LEFT = ("R", "AL", "AN")
SAMPLE_PX = 20  # size at which glyphs are compared


@lru_cache(maxsize=16)
def font(size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(io.BytesIO(pymupdf_fonts.myfont("figo")), size)


def can_write(text: str) -> bool:
    return all(map(_has_glyph, text))


@lru_cache(maxsize=4096)
def _has_glyph(character: str) -> bool:
    used = font(SAMPLE_PX)
    is_control = unicodedata.category(character)[0] == "C" and character not in JOINERS
    if is_control or (used.layout_engine != ImageFont.Layout.RAQM and _needs_shaping(character)):
        return False
    return bytes(used.getmask(character)) != bytes(used.getmask(MISSING))


def _needs_shaping(character: str) -> bool:
    """Whether it runs from right to left or changes with its neighbours, which Pillow can do where the system has the
    FriBiDi library."""
    runs_left, is_mark = unicodedata.bidirectional(character) in RUNS_LEFT, unicodedata.category(character)[0] == "M"
    return runs_left or is_mark


def length(text: str, size: int) -> float:
    return font(OVERSAMPLING * size).getlength(text) / OVERSAMPLING


def cut(text: str, size: int, room: float) -> str:
    """The text, cut and ended with an ellipsis if it is wider than its room."""
    if len(text) <= MAX_MEASURED_CHARS and length(text, size) <= room:
        return text
    ends = (end for end in range(1, min(len(text), MAX_MEASURED_CHARS)) if unicodedata.category(text[end])[0] != "M")
    shortened = [text[:end].rstrip() + "…" for end in ends] or ["…"]
    return shortened[max(0, bisect_right(shortened, room, key=lambda each: length(each, size)) - 1)]


def wrapped(text: str, size: int, room: float, most: int) -> list[str]:
    """The text on at most this many lines, broken at spaces; the last one is truncated."""
    found: list[str] = []
    left = text[: MAX_MEASURED_CHARS + 1].split()
    while left and len(found) < most - 1:
        count = 1
        while count < len(left) and length(" ".join(left[: count + 1]), size) <= room:
            count += 1
        found.append(cut(" ".join(left[:count]), size, room))
        left = left[count:]
    return [*found, cut(" ".join(left), size, room)] if left else found
