"""Names that look like another account's: Cyrillic letters in a Latin name, a capital I for a small l, rn for m.

Two names look alike if their skeletons (Unicode UTS 39) are equal. Only the name of an existing account can block a new
one, so names in any script are welcome. The confusables come from the package `confusable-homoglyphs`, which is pinned:
other data would produce other skeletons, see `people_index.VERSION`.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from foundation.store.keys import without_invisible

LEFT_TO_RIGHT = "\u200e"  # the package's data puts it around right-to-left letters


def skeleton(name: str) -> str:
    """What the name looks like. Case is folded last, because it is the capital I that looks like a small l."""
    text = unicodedata.normalize("NFD", without_invisible(name))
    for _ in range(2):  # a letter may look like several letters, which in turn look like others
        text = text.translate(_prototypes())
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())


@lru_cache(maxsize=1)
def _prototypes() -> dict[int, str]:
    """Maps every confusable character to its prototype. Loaded lazily: most processes never need it."""
    from confusable_homoglyphs.confusables import confusables_data  # type: ignore[import-untyped]

    alike: dict[str, set[str]] = {}
    for each, others in confusables_data.items():
        alike[_bare(each)] = {_bare(other["c"]) for other in others}
    return {ord(each): _prototype(each, alike) for each in alike if len(each) == 1}


def _bare(text: str) -> str:
    return text.strip(LEFT_TO_RIGHT)


def _prototype(each: str, alike: dict[str, set[str]]) -> str:
    """The one that the data lists with all its lookalikes; of two, the longer or plainer one."""
    return max((each, *alike[each]), key=lambda text: (len(alike[text]), len(text), text.isascii(), text))
