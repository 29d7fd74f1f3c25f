"""Suffixes that make names or addresses unique."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

MAX_NUMBERED_SUFFIX = 5  # each suffix costs a transaction
RANDOM_SUFFIXES = 3  # after that, so that the thousandth of a name costs no more than the sixth


def unique_suffixes() -> Iterator[str]:
    """First none, then a few numbers, which read well, then random ones, which are surely free."""
    yield ""
    yield from map(str, range(2, MAX_NUMBERED_SUFFIX + 1))
    yield from (secrets.token_hex(4) for _attempt in range(RANDOM_SUFFIXES))
