"""Endings that tell names or addresses apart that would otherwise be the same."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

MAX_NUMBERED_SUFFIX = 5  # the last number that is tried, each in a transaction of its own
RANDOM_SUFFIXES = 3  # endings that are drawn after that: the thousandth of a name costs no more than the sixth


def unique_suffixes() -> Iterator[str]:
    """None at first, then a few numbers, which read well, then random endings, which are free whatever is taken."""
    yield ""
    yield from map(str, range(2, MAX_NUMBERED_SUFFIX + 1))
    yield from (secrets.token_hex(4) for _attempt in range(RANDOM_SUFFIXES))
