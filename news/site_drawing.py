"""The picture of the demo's page: a yard with a workshop, a linden and two hives, drawn here so that it is ours."""

from __future__ import annotations

import io

from PIL import Image, ImageDraw

WIDE, HIGH, FINER = 1280, 960, 2
SKY, SUN, FAR, NEAR, YARD = "#dcebe6", "#f4c95d", "#a9c9b4", "#7fae8e", "#e7dcc6"
WALL, ROOF, DOOR, GLASS = "#b5533c", "#5e2d24", "#3d241d", "#f6e3b4"
TRUNK, CROWN, LIGHT, HIVE, LID = "#6b4a33", "#2f6b4a", "#438a61", "#e9b44c", "#8a6a2a"

Box = tuple[int, int, int, int]
ROUND: tuple[tuple[Box, str], ...] = (
    ((960, 90, 1100, 230), SUN),
    ((-300, 430, 800, 1100), FAR),
    ((500, 470, 1700, 1150), NEAR),
)
HOUSE: tuple[tuple[Box, str], ...] = (
    ((190, 430, 700, 720), WALL),
    ((390, 540, 500, 720), DOOR),
    ((240, 500, 340, 590), GLASS),
    ((550, 500, 650, 590), GLASS),
)
LEAVES: tuple[tuple[Box, str], ...] = (
    ((820, 250, 1140, 560), CROWN),
    ((770, 330, 980, 530), CROWN),
    ((990, 320, 1200, 530), CROWN),
    ((870, 280, 1030, 420), LIGHT),
    ((1010, 350, 1120, 450), LIGHT),
)


def picture() -> bytes:
    """As PNG."""
    image = Image.new("RGB", (WIDE * FINER, HIGH * FINER), SKY)
    pen = ImageDraw.Draw(image)
    for box, colour in ROUND:
        pen.ellipse(_finer(*box), colour)
    pen.rectangle(_finer(0, 700, WIDE, HIGH), YARD)
    for box, colour in HOUSE:
        pen.rectangle(_finer(*box), colour)
    pen.polygon(_finer(140, 440, 445, 270, 750, 440), ROOF)
    pen.rectangle(_finer(960, 520, 1010, 760), TRUNK)
    for box, colour in LEAVES:
        pen.ellipse(_finer(*box), colour)
    for left in (790, 1080):
        _hive(pen, left)
    file = io.BytesIO()
    image.resize((WIDE, HIGH), Image.Resampling.LANCZOS).save(file, "PNG")
    return file.getvalue()


def _hive(pen: ImageDraw.ImageDraw, left: int) -> None:
    pen.rectangle(_finer(left, 720, left + 110, 840), HIVE)
    pen.rectangle(_finer(left - 12, 700, left + 122, 726), LID)
    pen.rectangle(_finer(left + 30, 812, left + 80, 824), DOOR)


def _finer(*places: int) -> list[int]:
    """Drawn twice as large, and made smaller at the end: edges become smooth."""
    return [place * FINER for place in places]
