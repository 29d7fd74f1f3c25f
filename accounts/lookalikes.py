"""Names that look like another account's: Cyrillic letters in a Latin name, a capital I for a small l, rn for m.

Two names look alike if their skeletons, as Unicode defines them (UTS 39), are the same. Only a name that somebody here
has already stands in the way of one, so that names in any script are welcome. What is confusable with what comes from
the package `confusable-homoglyphs`, which is pinned: other data would make other skeletons, see `people_index.VERSION`.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from store.keys import without_invisible

LEFT_TO_RIGHT = "\u200e"  # the package's data have it around letters that are written from right to left


def skeleton(name: str) -> str:
    """What the name looks like. Case is folded last: it is a capital I that looks like a small l."""
    text = unicodedata.normalize("NFD", without_invisible(name))
    for _ in range(2):  # some letters look like several, which look like others
        text = text.translate(_prototypes())
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())


@lru_cache(maxsize=1)
def _prototypes() -> dict[int, str]:
    """For every confusable character, what stands for all that look like it. Read when it is first needed: most
    processes never make an account."""
    from confusable_homoglyphs.confusables import confusables_data  # type: ignore[import-untyped]

    alike: dict[str, set[str]] = {}
    for each, others in confusables_data.items():
        alike[_bare(each)] = {_bare(other["c"]) for other in others}
    return {ord(each): _prototype(each, alike) for each in alike if len(each) == 1}


def _bare(text: str) -> str:
    return text.strip(LEFT_TO_RIGHT)


def _prototype(each: str, alike: dict[str, set[str]]) -> str:
    """Of those that look alike, one has all the others beside it in the data; of two, it is the longer or plainer."""
    return max((each, *alike[each]), key=lambda text: (len(alike[text]), len(text), text.isascii(), text))
