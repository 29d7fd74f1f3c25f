"""Pictures of the demo: three places and a face, drawn from a few shapes."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO

from PIL import Image, ImageDraw

from . import child
from .changing import PictureChange, read
from .photos import new_id

SIZE = 640, 480
Drawing = Callable[[ImageDraw.ImageDraw], None]


def picture(name: str) -> PictureChange | None:
    """The demo picture of this name, if there is one. Trusted input needs no separate process."""
    if name not in DRAWN:
        return None
    alt, sky, drawing = DRAWN[name]
    image = Image.new("RGB", SIZE, sky)
    drawing(ImageDraw.Draw(image))
    file = BytesIO()
    image.save(file, "PNG", compress_level=1)
    return PictureChange(read(child.answer(file.getvalue()), alt, new_id()))


def _canal(draw: ImageDraw.ImageDraw) -> None:
    for number, colour in enumerate(("#b5532f", "#d9a441", "#8a3b2e", "#c98f5a", "#7d4a3a")):
        left, top = 20 + number * 122, 150 - number % 2 * 40
        draw.polygon(((left, top), (left + 55, top - 70), (left + 110, top)), fill=colour)
        draw.rectangle((left, top, left + 110, 330), fill=colour)
        for window in range(6):
            x, y = left + 18 + window % 2 * 48, top + 25 + window // 2 * 55
            draw.rectangle((x, y, x + 24, y + 34), fill="#f3e7c4")
    draw.rectangle((0, 330, *SIZE), fill="#2f6f8f")
    for number in range(5):
        draw.line((40 + number * 90, 360 + number % 3 * 35, 180 + number * 90, 360 + number % 3 * 35), "#8fbfd0", 4)


def _mountains(draw: ImageDraw.ImageDraw) -> None:
    draw.polygon(((0, 360), (150, 120), (290, 330), (430, 80), (640, 350), (640, 480), (0, 480)), fill="#5d7391")
    for top, y in ((150, 120), (430, 80)):
        draw.polygon(((top - 45, y + 72), (top, y), (top + 40, y + 50), (top + 5, y + 62)), fill="#f4f6f8")
    draw.ellipse((-120, 330, 380, 640), fill="#3f7a4e")
    draw.ellipse((260, 350, 820, 660), fill="#2f6340")


def _white_night(draw: ImageDraw.ImageDraw) -> None:
    draw.ellipse((250, 190, 390, 330), fill="#fbe9b0")
    draw.rectangle((0, 300, *SIZE), fill="#7c93a8")
    draw.rectangle((0, 380, *SIZE), fill="#5d7a5f")
    for left in range(30, 620, 95):
        draw.rectangle((left, 240, left + 8, 400), fill="#efeae0")
        draw.ellipse((left - 30, 170, left + 38, 290), fill="#6f9a6a")


def _face(draw: ImageDraw.ImageDraw) -> None:
    draw.ellipse((150, 300, 490, 700), fill="#5b3a76")
    draw.ellipse((205, 70, 435, 330), fill="#3a2418")
    draw.ellipse((240, 110, 400, 340), fill="#e3b48f")
    for left in (280, 340):
        draw.ellipse((left, 205, left + 20, 220), fill="#2c1b14")
    draw.arc((280, 230, 360, 290), 20, 160, "#8a3b3b", 5)


DRAWN: dict[str, tuple[str, str, Drawing]] = {
    "Ghent": ("Five houses with gables by a canal", "#bcd4e0", _canal),
    "Ljubljana": ("Green hills before two mountains with snow", "#cfe3f2", _mountains),
    "Tartu": ("A low sun behind a row of birches", "#e9dcc9", _white_night),
    "Ada Lovelace": ("A drawing of a woman with dark hair, smiling", "#efe3d2", _face),
}
