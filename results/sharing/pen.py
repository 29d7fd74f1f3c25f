"""Drawing tools for preview images: size, colours, shapes, our logo and the site's name."""

from __future__ import annotations

import io
from hashlib import sha256

from PIL import Image, ImageDraw

from acts.branding import site_name

from .lettering import can_write, fit, font, lines, width

WIDTH_PX, HEIGHT_PX = 1200, 630  # what social networks ask for
FORMAT = 2  # of the drawing; another one has another address
OURS = "Plenum"
OVERSAMPLING = 2  # everything is drawn so many times larger, for smooth edges
INK, SOFT, GREY, PAPER = "#1c1a22", "#57525f", "#857d93", "#f6f5f3"  # as in static/css/tokens.css
ACCENT, PALE, SEAT = "#56278a", "#dcd0e9", "#cdc8d2"
LEFT_PX, RIGHT_PX = 72, WIDTH_PX - 72
SEATS = ((5, 22.5), (8.2, 14.7), (16, 11.5), (27, 22.5), (16, 22))  # as in static/img/mark.svg


def edition() -> str:
    """Changes whenever the same thing would be drawn differently: with the drawing code, or the site's name in it."""
    name = site_name()
    return str(FORMAT) if name == OURS else f"{FORMAT}-{sha256(name.encode()).hexdigest()[:8]}"


class Pen:
    """Draws on a sheet of its own, in the measures of the picture as it will be seen."""

    def __init__(self) -> None:
        self._image = Image.new("RGB", (WIDTH_PX * OVERSAMPLING, HEIGHT_PX * OVERSAMPLING), PAPER)
        self._draw = ImageDraw.Draw(self._image)
        self.box(0, 0, WIDTH_PX, 14, ACCENT, 0)

    def box(self, x: float, y: float, wide: float, high: float, colour: str, radius: float) -> None:
        edges = [OVERSAMPLING * each for each in (x, y, x + max(wide, 2 * radius), y + high)]
        self._draw.rounded_rectangle(edges, OVERSAMPLING * radius, colour)

    def dot(self, x: float, y: float, radius: float, colour: str) -> None:
        self._draw.ellipse([OVERSAMPLING * each for each in (x - radius, y - radius, x + radius, y + radius)], colour)

    def text(self, x: float, y: float, text: str, size: int, colour: str) -> None:
        self._draw.text((OVERSAMPLING * x, OVERSAMPLING * y), text, colour, font(OVERSAMPLING * size), anchor="ls")

    def text_at_right(self, x: float, y: float, text: str, size: int, colour: str) -> None:
        self.text(x - length(text, size), y, text, size, colour)

    def sign(self, y: float) -> None:
        """The site's name and our mark, at the right end of a line."""
        own = site_name()
        name = cut(own if can_write(own) else OURS, 32, 260)
        self.text_at_right(RIGHT_PX, y, name, 32, INK)
        self._mark(RIGHT_PX - length(name, 32) - 62, y - 36, 48)

    def _mark(self, x: float, y: float, side: float) -> None:
        """The seats of an assembly, and the one who has won."""
        unit = side / 32
        self.box(x, y, side, side, ACCENT, 6 * unit)
        for a, b in SEATS:
            self.dot(x + a * unit, y + b * unit, 2.6 * unit, "#c9b2e6")
        self.dot(x + 23.8 * unit, y + 14.7 * unit, 4 * unit, "#ffffff")

    def as_png(self) -> bytes:
        file = io.BytesIO()
        self._image.reduce(OVERSAMPLING).quantize(128, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
        return file.getvalue()


def length(text: str, size: int) -> float:
    return width(text, OVERSAMPLING * size) / OVERSAMPLING


def wrapped(text: str, size: int, room: float, most: int) -> list[str]:
    return lines(text, OVERSAMPLING * size, OVERSAMPLING * room, most)


def cut(text: str, size: int, room: float) -> str:
    return fit(text, OVERSAMPLING * size, OVERSAMPLING * room)
