"""An address as a picture for cameras."""

from __future__ import annotations

import segno
from django.utils.safestring import mark_safe


def qr_picture(address: str) -> str:
    drawn = segno.make(address, error="m", micro=False).svg_inline(omitsize=True, light="#fff", svgclass=None)
    return mark_safe(drawn)  # noqa: S308 - lines and squares, made by us
