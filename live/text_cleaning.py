"""Cleans typed text: one line, no invisible characters."""

from __future__ import annotations

import unicodedata

from store.keys import without_stray_invisible

JOINERS = "\u200c\u200d"  # which letters of some scripts and some signs are made with


def is_combining(character: str) -> bool:
    return unicodedata.category(character)[0] == "M" or character in JOINERS


def single_line(typed: str) -> str:
    """In one line and without what cannot be seen."""
    return " ".join(without_stray_invisible("".join(map(_visible, typed))).split())


def _visible(character: str) -> str:
    if character.isspace() or unicodedata.category(character) == "Cc":
        return " "
    return "" if unicodedata.category(character) == "Cs" else character
