"""Re-encodes pictures in a separate process: untrusted bytes come in, clean pictures go out.

It runs on its own (`python -I foundation/photos/child.py`) and knows nothing of the site: neither Django, nor settings,
nor the store. Its limits are set before the first byte is read. It writes a line of JSON and then the pictures; a
refusal is a single word, which `foundation.photos.photos` turns into a sentence.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
from contextlib import suppress
from io import BytesIO
from typing import Any

from PIL import Image, ImageCms, ImageFile, JpegImagePlugin, MpoImagePlugin, PngImagePlugin, WebPImagePlugin

MAX_UPLOAD_BYTES = 8 * 1024**2  # of the input
MAX_PIXELS = 40_000_000
WIDTHS = (160, 640, 1280)
MAX_ASPECT_RATIO = 2  # maximum height relative to width: taller pictures become narrower
MAX_PHOTO_BYTES = 300_000  # upper limit for each width: an item holds 400 KB
QUALITIES = (85, 75, 65, 50, 35, 20)

MAX_MEMORY_MB = 1024  # 40 million pixels take 160 MB, and the WebP decoder holds them four times
MAX_CPU_SECONDS = 10
MAX_SECONDS = 20  # wall-clock time

Image.preinit()  # loads everything Pillow would import later, before files become inaccessible:
READERS = (JpegImagePlugin, MpoImagePlugin, PngImagePlugin, WebPImagePlugin)
FORMATS = ("JPEG", "PNG", "WEBP")
ORIENTATION_TAG = 0x0112
TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
LYING = (5, 6, 7, 8)


class Refused(Exception):
    """The file was rejected; the word says why."""

    def __init__(self, word: str):
        self.word = word


# --- reading ---


def opened(raw: bytes) -> Image.Image:
    """Reads only the header: nothing is decoded before its size is known."""
    _check_kind(raw)
    _check_webp(raw)
    try:
        image = Image.open(BytesIO(raw), formats=FORMATS)
    except Image.DecompressionBombError:
        raise Refused("pixels") from None
    _check_size(*image.size)
    if image.format in ("PNG", "WEBP") and getattr(image, "is_animated", False):
        raise Refused("animated")  # multi-picture JPEGs are allowed: phones append others to the first
    return image


def _check_size(wide: int, high: int) -> None:
    if wide * high > MAX_PIXELS:
        raise Refused("pixels")


def _check_kind(raw: bytes) -> None:
    if raw.startswith((b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n")) or (raw[:4], raw[8:12]) == (b"RIFF", b"WEBP"):
        return
    raise Refused("svg" if b"<svg" in raw[:2000].lower() else "unread")


def _check_webp(raw: bytes) -> None:
    """Checks the header ourselves, because the WebP decoder allocates the whole picture as soon as it is opened."""
    if raw[:4] != b"RIFF" or len(raw) < 30:
        return
    kind = raw[12:16]
    if kind == b"VP8X":
        wide, high = (int.from_bytes(raw[at : at + 3], "little") + 1 for at in (24, 27))
    elif kind == b"VP8L":
        bits = int.from_bytes(raw[21:25], "little")
        wide, high = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    else:
        wide, high = (int.from_bytes(raw[at : at + 2], "little") & 0x3FFF for at in (26, 28))
    _check_size(wide, high)


def orientation(image: Image.Image) -> int:
    """EXIF orientation; upright if it cannot be read."""
    with suppress(Exception):
        return int(image.getexif().get(ORIENTATION_TAG, 1))
    return 1


# --- encoding ---


def pictures(raw: bytes) -> list[Image.Image]:
    """Upright, in sRGB, in all widths, smallest first."""
    image = opened(raw)
    turn = orientation(image)
    box = _box(image.size, WIDTHS[-1], lies=turn in LYING)
    with suppress(ValueError):
        image.draft(None, (box[0] * 2, box[1] * 2))  # JPEG decoders can scale down by two or four
    largest = _coloured(_workable(image).resize(box, Image.Resampling.LANCZOS), image.info.get("icc_profile"))
    if turn in TURNS:
        largest = largest.transpose(TURNS[turn])
    sizes = sorted({_box(largest.size, width) for width in WIDTHS})
    return [_clean(largest.resize(size, Image.Resampling.LANCZOS)) for size in sizes]


def _box(size: tuple[int, int], width: int, lies: bool = False) -> tuple[int, int]:
    """Size of a picture of this width, never enlarged; `lies` if it will be rotated afterwards."""
    wide, high = (size[1], size[0]) if lies else size
    part = min(1.0, width / wide, width * MAX_ASPECT_RATIO / high)
    box = max(1, round(wide * part)), max(1, round(high * part))
    return (box[1], box[0]) if lies else box


def _workable(image: Image.Image) -> Image.Image:
    """Decoded, in one of the few modes that can be resized."""
    image.load()
    if image.mode.startswith(("I", "F")):  # 16-bit greyscale
        image = image.convert("I").point(lambda grey: grey / 256).convert("L")
    if "transparency" in image.info or image.mode in ("LA", "PA", "La"):
        return image.convert("RGBA")
    return image if image.mode in ("RGB", "RGBA", "L", "CMYK") else image.convert("RGB")


def _coloured(image: Image.Image, profile: bytes | None) -> Image.Image:
    """Converts to sRGB; drops a profile that cannot be read."""
    mode = "RGBA" if image.mode == "RGBA" else "RGB"
    if profile:
        with suppress(Exception):
            own, srgb = ImageCms.ImageCmsProfile(BytesIO(profile)), ImageCms.createProfile("sRGB")
            if (converted := ImageCms.profileToProfile(image, own, srgb, outputMode=mode)) is not None:
                return converted
    return image.convert(mode)


def _clean(image: Image.Image) -> Image.Image:
    """Copies only the pixels, without any metadata."""
    if image.mode == "RGBA" and image.getchannel("A").getextrema()[0] == 255:
        image = image.convert("RGB")
    return Image.frombytes(image.mode, image.size, image.tobytes())


# --- writing ---


def written(images: list[Image.Image]) -> tuple[str, list[tuple[tuple[int, int], bytes]]]:
    """WebP if there is transparency, otherwise JPEG. A width that cannot be made small enough is left out."""
    kind = "webp" if images[-1].mode == "RGBA" else "jpg"
    if kind == "jpg":
        images = [image.convert("RGB") for image in images]
    made = [(image.size, data) for image in images if (data := _small_enough(image, kind))]
    if not made:
        raise Refused("broken")
    return kind, made


def _small_enough(image: Image.Image, kind: str) -> bytes | None:
    options: dict[str, Any] = {"method": 4} if kind == "webp" else {"optimize": True, "progressive": True}
    for quality in QUALITIES:
        file = BytesIO()
        image.save(file, "WEBP" if kind == "webp" else "JPEG", quality=quality, **options)
        if file.tell() < MAX_PHOTO_BYTES:
            return file.getvalue()
    return None


def answer(raw: bytes) -> bytes:
    """A JSON line followed by the pictures, or a JSON line with the reason for refusal."""
    try:
        kind, made = written(pictures(raw))
    except Refused as refusal:
        return _line({"refused": refusal.word})
    except MemoryError:
        return _line({"refused": "memory"})
    except Exception:  # whatever a decoder raises for a malformed file
        return _line({"refused": "broken"})
    sizes = [{"wide": size[0], "high": size[1], "bytes": len(data)} for size, data in made]
    return _line({"kind": kind, "pictures": sizes}) + b"".join(data for _size, data in made)


def _line(header: dict[str, Any]) -> bytes:
    return json.dumps(header).encode() + b"\n"


# --- the process ---


def limit() -> None:
    """Limits memory, time and file access, leaves no traces, and makes the process end with its parent."""
    Image.MAX_IMAGE_PIXELS = MAX_PIXELS
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    _die_with_parent()
    _die_first()
    signal.alarm(MAX_SECONDS)
    for what, most in (
        (resource.RLIMIT_AS, MAX_MEMORY_MB * 1024**2),
        (resource.RLIMIT_CPU, MAX_CPU_SECONDS),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_NOFILE, 3),  # no new ones
    ):
        resource.setrlimit(what, (most, most))


def _die_with_parent() -> None:
    """Only Linux supports this; elsewhere the alarm or the broken pipe ends the process soon enough."""
    with suppress(Exception):
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def _die_first() -> None:
    """If memory runs out, the kernel kills this process before the site."""
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")


def main() -> None:
    limit()
    sys.stdout.buffer.write(answer(sys.stdin.buffer.read(MAX_UPLOAD_BYTES + 1)))
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
