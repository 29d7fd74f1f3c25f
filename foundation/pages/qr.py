"""QR codes as SVG, drawn by segno."""

from __future__ import annotations

import io
from functools import lru_cache

import segno
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

MAX_QR_BYTES = 2331  # bytes that the largest QR code holds at error correction level M (ISO/IEC 18004, table 7)


def fits_qr(text: str) -> bool:
    return len(text.encode()) <= MAX_QR_BYTES


def qr_svg(text: str) -> SafeString:
    """Empty if the text is too long: pages also show it as text."""
    if not fits_qr(text):
        return SafeString()
    # One fixed mask: scanners read any of the eight, and evaluating all of them takes four times as long.
    code = segno.make_qr(text.encode(), error="m", mask=0, boost_error=False)
    file = io.BytesIO()
    code.save(file, kind="svg", xmldecl=False, omitsize=True, light="#fff", svgclass=None, lineclass=None, nl=False)
    return mark_safe(file.getvalue().decode())  # noqa: S308 - numbers only, the text is not in it


shared_qr_svg = lru_cache(maxsize=256)(qr_svg)  # for links that many people see; never for one person's secrets


def qr_image(text: str, address: str) -> SafeString:
    """The QR code of a text as an image loaded from its own URL, for pages that should not wait for it, loaded when it
    is to be seen."""
    return format_html('<img src="{}" alt="" loading="lazy">', address) if fits_qr(text) else SafeString()
