"""Keys of the pictures that people upload. Each belongs to one thing, which names it and goes with it.

The bytes are here and nowhere else, so that no list and no page drags them along.
"""

from __future__ import annotations

from ..table import Key
from .parts import escape


def photo(photo_id: str, width: int) -> Key:
    """A picture in one of its widths."""
    return Key(f"PHOTO#{escape(photo_id)}", f"WIDTH#{width:04d}")
