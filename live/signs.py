"""How an option is known on every screen: a letter, a shape and a colour, so that no one of them is needed."""

from __future__ import annotations

from dataclasses import dataclass

# Drawn into a square of 24: triangle, diamond, disc, square, star, hexagon, cross, half disc, ring, arrow.
SHAPES = (
    "M12 2.5 23 21.5H1z",
    "M12 1 23 12 12 23 1 12z",
    "M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20z",
    "M3 3h18v18H3z",
    "M12 1.5 15.1 8.7 23 9.4 17 14.6 18.8 22.3 12 18.2 5.2 22.3 7 14.6 1 9.4 8.9 8.7z",
    "M12 1.5 21.5 7v10L12 22.5 2.5 17V7z",
    "M8.5 2h7v6.5H22v7h-6.5V22h-7v-6.5H2v-7h6.5z",
    "M1.5 17.5a10.5 10.5 0 0 1 21 0z",
    "M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20zm0 5.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9z",
    "M2 2h9l10 10-10 10H2l10-10z",
)


@dataclass(frozen=True, slots=True)
class Sign:
    number: int

    @property
    def letter(self) -> str:
        return chr(ord("A") + self.number)

    @property
    def shape(self) -> str:
        return SHAPES[self.number]


def sign(number: int) -> Sign | None:
    """None beyond the last of them, which no question reaches."""
    return Sign(number) if number < len(SHAPES) else None
