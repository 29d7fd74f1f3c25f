"""Cleans typed text: one line, no invisible characters."""

from __future__ import annotations

import unicodedata

from store.keys import without_stray_invisible

JOINERS = "\u200c\u200d"  # needed by some scripts and emoji


def is_combining(character: str) -> bool:
    return unicodedata.category(character)[0] == "M" or character in JOINERS


def single_line(typed: str) -> str:
    """Collapse whitespace to one line and strip invisible characters."""
    return " ".join(without_stray_invisible("".join(map(_visible, typed))).split())


def _visible(character: str) -> str:
    if character.isspace() or unicodedata.category(character) == "Cc":
        return " "
    return "" if unicodedata.category(character) == "Cs" else character
