"""What people type as it is kept: in one line, and without what cannot be seen."""

from __future__ import annotations

import unicodedata

JOINERS = "\u200c\u200d"  # which letters of some scripts and some signs are made with; other hidden ones are dropped


def tidied(typed: str) -> str:
    """In one line and without what cannot be seen."""
    return " ".join("".join(map(_visible, typed)).split()).strip(JOINERS)


def _visible(character: str) -> str:
    if character.isspace() or unicodedata.category(character) == "Cc":
        return " "
    hidden = unicodedata.category(character) in ("Cf", "Cs") and character not in JOINERS
    return "" if hidden else character
