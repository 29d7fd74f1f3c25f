"""What is made of a picture: nothing of what came with it, upright, in a few widths, none of them large; or a word why
not. In this process; that it is done in another is in test_encoding.py."""

from __future__ import annotations

import json
import struct
from io import BytesIO
from random import Random

import pytest
from PIL import Image, ImageCms

from foundation.photos import changing, child
from tests.rows import every_row

from . import drawing
from .drawing import CORNERS, SECRET, encoded, exif, photograph, upright


def made(raw: bytes) -> list[Image.Image]:
    return [Image.open(BytesIO(part)) for part in changing.read(child.answer(raw), "It", "id").parts]


def word(raw: bytes) -> str:
    return json.loads(child.answer(raw).partition(b"\n")[0]).get("refused", "")


# --- nothing of what came with it ---


def segments(part: bytes) -> list[bytes]:
    """What a JPEG is made of, by its markers, up to the picture itself; what is left after its end is there, too."""
    assert part.startswith(b"\xff\xd8")
    assert part.endswith(b"\xff\xd9")
    assert part.count(b"\xff\xd9") == 1
    found, at = [], 2
    while part[at + 1] != 0xDA:
        found.append(part[at : at + 2])
        at += 2 + struct.unpack(">H", part[at + 2 : at + 4])[0]
    return found


def riff_chunks(part: bytes) -> list[bytes]:
    assert (part[:4], part[8:12]) == (b"RIFF", b"WEBP")
    assert struct.unpack("<I", part[4:8])[0] + 8 == len(part)
    found, at = [], 12
    while at < len(part):
        found.append(part[at : at + 4])
        size = struct.unpack("<I", part[at + 4 : at + 8])[0]
        at += 8 + size + size % 2
    return found


JPEG_OWN = {b"\xff\xe0", b"\xff\xdb", b"\xff\xc2", b"\xff\xc4"}  # its name, and what it takes to unpack it
WEBP_OWN = {b"VP8 ", b"VP8L", b"VP8X", b"ALPH"}


@pytest.mark.seconds(3)
def test_no_byte_of_what_comes_with_fifty_photographs_goes_out_again():
    kinds = set()
    for number in range(50):
        raw = photograph(number)
        assert SECRET in raw
        found = changing.read(child.answer(raw), "It", "id")
        kinds.add(found.photo.kind)
        for part in found.parts:
            assert SECRET not in part
            own = set(segments(part)) - JPEG_OWN if found.photo.kind == "jpg" else set(riff_chunks(part)) - WEBP_OWN
            assert own == set(), number
            image = Image.open(BytesIO(part))
            assert (dict(image.getexif()), image.info.get("icc_profile"), image.info.get("comment")) == ({}, None, None)
            assert len(part) < child.MAX_PHOTO_BYTES
    assert kinds == {"jpg", "webp"}


@every_row("kind", ["JPEG", "PNG", "WEBP"])
@every_row("held", range(1, 9))
def test_whichever_way_the_camera_was_held_the_picture_is_upright(kind, held):
    """The camera wrote the picture as it was held, and which way that was."""
    as_written = {
        **{1: None, 2: "FLIP_LEFT_RIGHT", 3: "ROTATE_180", 4: "FLIP_TOP_BOTTOM"},
        **{5: "TRANSPOSE", 6: "ROTATE_90", 7: "TRANSVERSE", 8: "ROTATE_270"},
    }[held]
    seen = upright()
    raw = seen.transpose(Image.Transpose[as_written]) if as_written else seen
    (image,) = made(encoded(raw, kind, exif=exif(held)))
    assert image.size == (120, 80)
    corners = [image.getpixel(place) for place in ((10, 10), (110, 10), (10, 70), (110, 70))]
    assert all(
        abs(a - b) < 40 for seen, meant in zip(corners, CORNERS, strict=True) for a, b in zip(seen, meant, strict=True)
    )


def test_an_orientation_that_is_none_counts_as_upright():
    assert made(encoded(upright(), exif=exif(77)))[0].size == (120, 80)


# --- widths ---


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("size", "widths"),
    [
        ((2000, 1000), [(160, 80), (640, 320), (1280, 640)]),
        ((700, 700), [(160, 160), (640, 640), (700, 700)]),
        ((90, 60), [(90, 60)]),
        ((160, 100), [(160, 100)]),
        ((1, 1), [(1, 1)]),
        ((3000, 3), [(160, 1), (640, 1), (1280, 1)]),
        ((200, 2000), [(32, 320), (128, 1280), (200, 2000)]),
    ],
    ids=lambda value: "x".join(map(str, value)) if isinstance(value, tuple) else "",
)
def test_no_width_is_larger_than_the_picture_came_and_the_smallest_is_always_there(size, widths):
    assert [image.size for image in made(encoded(Image.new("RGB", size, "teal"), "PNG"))] == widths


@pytest.mark.deep
def test_what_hardly_can_be_made_small_is_made_small_enough_or_left_out(monkeypatch):
    noise = Image.frombytes("RGB", (700, 700), Random(1).randbytes(700 * 700 * 3))
    monkeypatch.setattr(child, "MAX_PHOTO_BYTES", 60_000)
    found = [len(data) for _size, data in child.written(child.pictures(encoded(noise, "PNG")))[1]]
    assert found
    assert max(found) < 60_000


def test_what_shines_through_still_does_and_what_does_not_is_a_jpeg():
    clear = upright()
    clear.putalpha(Image.linear_gradient("L").resize(clear.size))
    (image,) = made(encoded(clear, "PNG"))
    assert (image.format, image.mode) == ("WEBP", "RGBA")
    assert image.getpixel((60, 2))[3] < 30
    clear.putalpha(255)
    assert made(encoded(clear, "PNG"))[0].format == "JPEG"
    few = upright().quantize(4)
    assert made(encoded(few, "PNG", transparency=few.getpixel((0, 0))))[0].format == "WEBP"


def test_colours_of_another_profile_are_turned_into_those_every_screen_has():
    """In LAB's own profile all numbers mean something else; a profile that is none is dropped."""
    wide = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    same = made(encoded(Image.new("RGB", (8, 8), (200, 40, 40)), "PNG", icc_profile=wide))[0].getpixel((4, 4))
    assert abs(same[0] - 200) < 8
    assert word(encoded(upright(), "PNG", icc_profile=b"no profile at all")) == ""
    assert made(encoded(upright().convert("CMYK")))[0].mode == "RGB"


def test_sixteen_bits_of_grey_are_the_same_grey():
    raw = encoded(Image.new("I;16", (8, 8), 40_000), "PNG")
    assert abs(made(raw)[0].getpixel((4, 4))[0] - 40_000 // 256) < 4


def test_several_pictures_in_one_jpeg_are_a_telephones_and_the_first_is_meant():
    raw = drawing.moving("MPO")
    assert b"MPF\0" in raw
    assert made(raw)[0].size == (120, 80)


# --- what is none ---


def no_pictures() -> list[tuple[bytes, str]]:
    """And why each is none. Drawn where they are needed: every process of a run reads this file."""
    return [
        (b"", "unread"),
        (b"GIF89a" + bytes(100), "unread"),
        (drawing.moving("GIF"), "unread"),
        (drawing.SVG, "svg"),
        (b"<html><script>1</script>", "unread"),
        (b"%PDF-1.7", "unread"),
        (b"RIFF\0\0\0\0WAVEfmt ", "unread"),
        (drawing.moving("PNG"), "animated"),
        (drawing.moving("WEBP"), "animated"),
        (encoded(upright(900, 900), quality=95)[:4000], "broken"),
        (encoded(upright(900, 900), "PNG")[:1000], "broken"),
        (encoded(upright(900, 900), "WEBP")[:300], "broken"),
        (b"\xff\xd8\xff\xe0" + bytes(500), "broken"),
        (b"\x89PNG\r\n\x1a\n" + bytes(500), "broken"),
        (b"RIFF\0\0\0\0WEBP" + bytes(500), "broken"),
        (drawing.png(0, 0), "broken"),
        (drawing.png(10_000, 5_000), "pixels"),
        (drawing.png(2**31 - 1, 2**31 - 1), "pixels"),
        (drawing.jpeg_head(60_000, 60_000), "pixels"),
        (drawing.webp_head(16_000, 16_000), "pixels"),
        (drawing.text_bomb(), "broken"),
    ]


@pytest.mark.seconds(3)
@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
def test_what_is_no_picture_is_refused_with_a_word():
    said = [(raw[:30], why, word(raw)) for raw, why in no_pictures()]
    assert [row for row in said if row[1] != row[2]] == []


def test_a_picture_that_is_something_else_as_well_is_only_a_picture_afterwards():
    """A page, a program and an archive behind and inside a picture."""
    raw = encoded(upright(), comment=b"<script>alert(1)</script>") + b"<html>" + drawing.SVG + b"PK\x05\x06" + bytes(18)
    out = child.answer(raw)
    assert b"script" not in out
    assert b"PK\x05\x06" not in out


def test_whatever_is_cut_out_of_pictures_or_written_over_gets_an_answer():
    chance = Random(5)
    for number in range(60):
        raw = bytearray(photograph(number))
        for _change in range(chance.randint(1, 8)):
            raw[chance.randrange(len(raw))] = chance.randrange(256)
        said = json.loads(child.answer(bytes(raw[: chance.randint(10, len(raw))])).partition(b"\n")[0])
        assert "kind" in said or said["refused"] in {"broken", "unread", "pixels", "animated"}
