"""Natural sort order for names: 1, 2, 10; É next to E. Lists paged by the store keep its order."""

from __future__ import annotations

import re
import unicodedata

NUMBERS = re.compile(r"(\d+)")
BESIDE = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "\u0131": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d"})


def natural_sort_key(name: str) -> tuple[tuple[str | int, ...], str]:
    """Sorts by appearance: ignoring accents and case, with numbers by value."""
    letters = unicodedata.normalize("NFKD", name.casefold()).translate(BESIDE)
    plain = "".join(each for each in letters if not unicodedata.combining(each))
    parts = NUMBERS.split(plain)  # words at even positions, numbers at odd ones
    return tuple(int(part) if place % 2 else part for place, part in enumerate(parts)), name
