"""Symbols of options: a letter, a shape and a colour, so that no single one is needed."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.safestring import SafeString
from django.utils.translation import ngettext
from jinja2 import Environment, pass_environment

from foundation.pages.fragments import cached_include

# Drawn into a square of 24: circle, square, triangle, diamond, pentagon, star, cross, hexagon, crescent, drop.
SHAPES = (
    "M12 1.5a10.5 10.5 0 1 0 0 21 10.5 10.5 0 0 0 0-21z",
    "M2.5 2.5h19v19h-19z",
    "M12 .8 23.3 22.2H.7z",
    "M12 .5 23.5 12 12 23.5.5 12z",
    "M12 .8 23.4 9.1 19 22.5H5L.6 9.1z",
    "M12 0l2.8 4.8 5.5-1.1-.5 5.5L24 12l-4.2 2.8.5 5.5-5.5-1.1L12 24l-2.8-4.8-5.5 1.1.5-5.5L0 12l4.2-2.8"
    "-.5-5.5 5.5 1.1z",
    "M7.5 1h9v6.5H23v9h-6.5V23h-9v-6.5H1v-9h6.5z",
    "M6.2 1.7h11.6L23.5 12l-5.7 10.3H6.2L.5 12z",
    "M15 .8a11.2 11.2 0 1 0 8.2 15.4A10.5 10.5 0 0 1 19 3.2 11 11 0 0 0 15 .8z",
    "M12 0c3.5 5 9 9 9 14.7a9 9 0 0 1-18 0C3 9 8.5 5 12 0z",
)


@dataclass(frozen=True, slots=True)
class Symbol:
    number: int

    @property
    def letter(self) -> str:
        return chr(ord("A") + self.number)

    @property
    def shape(self) -> str:
        return SHAPES[self.number]


def symbol(number: int) -> Symbol | None:
    """None beyond the last symbol; no question has that many options."""
    return Symbol(number) if number < len(SHAPES) else None


@pass_environment
def option_mark(environment: Environment, number: int) -> SafeString:
    """The letter on its coloured shape, for phones and projector."""
    return cached_include(environment, "live/parts/option_mark.html", sign=symbol(number))


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a chart: label, length, and its value as text."""

    label: str
    length: str  # of the whole width, as "40%"
    number: str
    sign: Symbol | None = None
    mark: str = ""  # "right", "elected", "leaving", "out"
    word: str = ""  # text for the mark
    own: bool = False
    option: int = 0
    since: str = "0"  # where the gain starts
    gain: str = ""  # as text
    gained: str = "0"  # length of the gain


def and_others(count: int) -> str:
    """Text for the number of people not named; empty if there are none."""
    return ngettext("and %(count)d other", "and %(count)d others", count) % {"count": count} if count > 0 else ""
