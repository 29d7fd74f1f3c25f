"""What pictures of results are made of: lines with a length and a number."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import ngettext

from .signs import Sign


@dataclass(frozen=True, slots=True)
class Bar:
    """A line of a picture: what it stands for, its length, and its number in words."""

    label: str
    length: str  # of the whole width, as "40%"
    number: str
    sign: Sign | None = None
    mark: str = ""  # "right", "elected", "leaving", "out"
    word: str = ""  # that says the mark
    own: bool = False
    option: int = 0
    since: str = "0"  # from where on the gain is drawn
    gain: str = ""  # what it gained, in words
    gained: str = "0"  # and how long that is


def others(count: int) -> str:
    """How many are not named."""
    return ngettext("and %(count)d other", "and %(count)d others", count) % {"count": count} if count > 0 else ""
