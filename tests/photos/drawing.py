"""Pictures to test with: drawn here, small, with everything in them that must not come out again."""

from __future__ import annotations

import struct
import zlib
from functools import cache
from io import BytesIO
from random import Random

from PIL import Image, ImageCms, ImageDraw, PngImagePlugin

from foundation.photos import changing, child, photos

SECRET = b"tell nobody"  # stands in all that comes with a picture, and in none that goes out
CORNERS = ((200, 30, 30), (30, 160, 30), (30, 30, 200), (220, 220, 220))  # of an upright picture, from the top left


def upright(wide: int = 120, high: int = 80) -> Image.Image:
    """Four corners of four colours, so that it can be told which way round it is."""
    image, (x, y) = Image.new("RGB", (wide, high)), (wide // 2, high // 2)
    for (left, top), colour in zip(((0, 0), (x, 0), (0, y), (x, y)), CORNERS, strict=True):
        image.paste(colour, (left, top, left + wide - x, top + high - y))
    return image


def encoded(image: Image.Image, kind: str = "JPEG", **options) -> bytes:
    file = BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def exif(orientation: int = 1) -> Image.Exif:
    """A camera's, with the place."""
    made = Image.Exif()
    made[0x0112] = orientation
    made[0x010E] = made[0x013B] = SECRET.decode()
    made.get_ifd(0x8825).update({1: "N", 2: (52.0, 30.0, 0.0), 3: "E", 4: (13.0, 24.0, 0.0), 29: SECRET.decode()})
    made.get_ifd(0x8769).update({0x9286: b"ASCII\0\0\0" + SECRET})
    return made


def profile() -> bytes:
    """A profile that says who made it."""
    made = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    return made + SECRET


XMP = b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><!-- ' + SECRET + b" --></x:xmpmeta>"


def text_chunks() -> PngImagePlugin.PngInfo:
    made = PngImagePlugin.PngInfo()
    made.add_text("Comment", SECRET.decode())
    made.add_itxt("XML:com.adobe.xmp", XMP.decode(), zip=False)
    made.add(b"prVt", SECRET)
    return made


def photograph(number: int) -> bytes:
    """One of many, each with all that its kind can carry."""
    chance = Random(number)
    image = upright(chance.randint(20, 400), chance.randint(20, 300))
    ImageDraw.Draw(image).ellipse((5, 5, chance.randint(6, 60), chance.randint(6, 60)), fill=number * 5000)
    along = {"exif": exif(chance.randint(1, 8)), "icc_profile": profile()}
    match number % 5:
        case 0:
            return encoded(image, "JPEG", comment=SECRET, xmp=XMP, **along) + SECRET
        case 1:
            return encoded(image, "PNG", pnginfo=text_chunks(), **along) + SECRET
        case 2:
            return encoded(image, "WEBP", xmp=XMP, **along) + SECRET
        case 3:
            image.putalpha(Image.linear_gradient("L").resize(image.size))
            return encoded(image, ("PNG", "WEBP")[number % 2], **along)
    modes = ("L", "P", "CMYK", "LA", "1")
    kind = "JPEG" if modes[number // 5 % 5] == "CMYK" else "PNG"
    return encoded(image.convert(modes[number // 5 % 5]), kind, exif=along["exif"])


# --- what no picture is to be made of ---


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(wide: int, high: int, data: bytes = b"", *before: bytes) -> bytes:
    """Whatever its head says."""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + b"".join(before) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def png_bomb(wide: int, high: int) -> bytes:
    """A few kilobytes that unpack to hundreds of megabytes."""
    packer, row = zlib.compressobj(9), bytes(1 + wide * 3)
    return png(wide, high, b"".join([*(packer.compress(row) for _ in range(high)), packer.flush()]))


@cache
def text_bomb() -> bytes:
    """A small picture with a comment that unpacks to a hundred megabytes."""
    packer, piece = zlib.compressobj(9), bytes(1 << 20)
    text = b"".join([*(packer.compress(piece) for _ in range(100)), packer.flush()])
    return png(2, 2, zlib.compress(bytes(2 * 7)), chunk(b"zTXt", b"Comment\0\0" + text))


def jpeg_head(wide: int, high: int) -> bytes:
    """A JPEG that says it is larger than it is."""
    raw = bytearray(encoded(upright(16, 16)))
    at = raw.index(b"\xff\xc0") + 5
    raw[at : at + 4] = struct.pack(">HH", high, wide)
    return bytes(raw)


def webp_head(wide: int, high: int) -> bytes:
    """A WebP that says it is larger than it is; of the kind whose reader makes room before it looks."""
    canvas = (wide - 1).to_bytes(3, "little") + (high - 1).to_bytes(3, "little")
    body = b"WEBP" + b"VP8X" + struct.pack("<I", 10) + b"\0\0\0\0" + canvas + encoded(upright(8, 8), "WEBP")[12:]
    return b"RIFF" + struct.pack("<I", len(body)) + body


def moving(kind: str) -> bytes:
    frames = [upright(), upright().transpose(Image.Transpose.ROTATE_180)]
    return encoded(frames[0], kind, save_all=True, append_images=frames[1:])


SVG = b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


def kept(alt: str = "Four colours", **size: int) -> photos.Encoded:
    """A picture that is ready to be kept, without the process that others are made in."""
    return changing.read(child.answer(encoded(upright(**size))), alt, photos.new_id())
