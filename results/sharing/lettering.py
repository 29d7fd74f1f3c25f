"""Text on images, set in FiraGO: Latin with its accents, Greek, Cyrillic, Georgian, Hebrew, Arabic, Devanagari, Thai.

What the font cannot show is never drawn as empty boxes: ask `can_write` first.
"""

from __future__ import annotations

import io
import unicodedata
from bisect import bisect_right
from functools import lru_cache

import pymupdf_fonts
from PIL import ImageFont

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


def width(text: str, size: int) -> float:
    return font(size).getlength(text)


def fit(text: str, size: int, room: float) -> str:
    """The text, cut and ended with an ellipsis if it is wider than its room."""
    if len(text) <= MAX_MEASURED_CHARS and width(text, size) <= room:
        return text
    ends = (end for end in range(1, min(len(text), MAX_MEASURED_CHARS)) if unicodedata.category(text[end])[0] != "M")
    cuts = [text[:end].rstrip() + "…" for end in ends] or ["…"]
    return cuts[max(0, bisect_right(cuts, room, key=lambda cut: width(cut, size)) - 1)]


def lines(text: str, size: int, room: float, most: int) -> list[str]:
    """The text on at most this many lines, broken at spaces; the last one is truncated."""
    found: list[str] = []
    left = text[: MAX_MEASURED_CHARS + 1].split()
    while left and len(found) < most - 1:
        taken = 1
        while taken < len(left) and width(" ".join(left[: taken + 1]), size) <= room:
            taken += 1
        found.append(fit(" ".join(left[:taken]), size, room))
        left = left[taken:]
    return [*found, fit(" ".join(left), size, room)] if left else found
