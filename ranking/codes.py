"""Codes that people read, compare and type."""

from __future__ import annotations

SYMBOLS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # no I, L, O, U: nothing that is easily misread
MISREAD = str.maketrans("OIL", "011")


def as_meant(typed: str) -> str:
    """A code, or a piece of one, however somebody typed what they read."""
    return typed.upper().translate(MISREAD)
