"""Cleans typed text: one line, no invisible characters."""

from __future__ import annotations

import unicodedata
from itertools import groupby

from foundation.store.keys import without_stray_invisible

JOINERS = "\u200c\u200d"  # needed by some scripts and emoji
MAX_STACKED_ACCENTS = 4  # more would overlap neighbouring lines


def is_combining(character: str) -> bool:
    return unicodedata.category(character)[0] == "M" or character in JOINERS


def is_too_tall(text: str) -> bool:
    """Whether a letter carries more than `MAX_STACKED_ACCENTS`."""
    stacks = (len(list(marks)) for is_mark, marks in groupby(text, key=is_combining) if is_mark)
    return max(stacks, default=0) > MAX_STACKED_ACCENTS


def single_line(typed: str) -> str:
    """Collapse whitespace to one line and strip invisible characters."""
    return " ".join(without_stray_invisible("".join(map(_visible, typed))).split())


def _visible(character: str) -> str:
    if character.isspace() or unicodedata.category(character) == "Cc":
        return " "
    return "" if unicodedata.category(character) == "Cs" else character
