"""Codes that people read, compare and type."""

from __future__ import annotations

SYMBOLS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # no I, L, O, U: nothing that is easily misread
