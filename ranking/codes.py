"""Random codes for people to read, compare and type."""

from __future__ import annotations

import secrets

SYMBOLS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # no I, L, O, U: nothing that is easily misread
GROUP_SYMBOLS = 4  # symbols, of five bits each
MISREAD = str.maketrans("OIL", "011")


def normalise_code(typed: str) -> str:
    """A code, or part of one, however it was typed."""
    return typed.upper().translate(MISREAD)


def new_code(groups: int) -> str:
    """Twenty random bits a group, such as K7QM-2XHD, in groups that are easily compared."""
    # 256 is 8 times 32
    symbols = [SYMBOLS[byte % len(SYMBOLS)] for byte in secrets.token_bytes(groups * GROUP_SYMBOLS)]
    return "-".join("".join(symbols[at : at + GROUP_SYMBOLS]) for at in range(0, len(symbols), GROUP_SYMBOLS))
