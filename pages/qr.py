"""An address as a picture for cameras."""

from __future__ import annotations

from functools import lru_cache

import segno
from django.utils.safestring import mark_safe


@lru_cache(maxsize=256)  # the same few addresses again and again, and drawing one takes as long as the rest of a page
def qr_picture(address: str) -> str:
    drawn = segno.make(address, error="m", micro=False).svg_inline(omitsize=True, light="#fff", svgclass=None)
    return mark_safe(drawn)  # noqa: S308 - lines and squares, made by us
