"""The part of a page that is made once and shown often, to whoever looks.

A process remembers such a part with all that it was made of, and shows it as long as that is what it would be made of
now; what stands around it is made for each reader. It is made without a request, so that nothing of one can get in.

Compressing a page takes longer than making what stands around such a part. So the part is compressed by itself, from
its first byte to its last and pointing at nothing before it; what stands around it is compressed for each page, and
one after the other they are one whole.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.middleware.gzip import re_accepts_gzip
from django.template.loader import render_to_string
from django.urls import get_script_prefix
from django.utils.cache import patch_vary_headers
from django.utils.safestring import mark_safe
from django.utils.translation import get_language

from store.memory import Memory

from .packing import pieces_of, well_deflated, whole

PLACE = mark_safe("<!-- kept -->")  # where it stands; what people write has no bracket that is not escaped

MOST_REMEMBERED = 16_000_000  # bytes
A_PART = 4_000  # bytes that one takes up besides its HTML


@dataclass(frozen=True, slots=True)
class Kept:
    """A part of a page, what else the page says of the same, and what both were made of."""

    html: bytes
    deflated: bytes
    tag: str  # which tells it from any other
    made_of: Any
    words: Mapping[str, str] = field(default_factory=dict)

    @property
    def weight(self) -> int:
        return A_PART + len(self.html) + len(self.deflated)


parts = Memory[Kept](MOST_REMEMBERED, lambda part: part.weight)


def place(*names: str) -> tuple[str, ...]:
    """Under what a part is remembered: what it is about, for readers of this language, who came to this address."""
    return *names, get_language() or "", get_script_prefix()


def known(at: tuple[str, ...], made_of: Any) -> Kept | None:
    """What is remembered, if it was made of just this."""
    part = parts.known(at)
    return part if part is not None and part.made_of == made_of else None


def made(template: str, context: Mapping[str, Any], made_of: Any, **words: str) -> Kept:
    content = render_to_string(template, dict(context)).strip().encode()
    packed = well_deflated(content)
    return Kept(content, packed, sha256(content).hexdigest()[:32], made_of, words)


def remembered(at: tuple[str, ...], template: str, make: Callable[[], Mapping[str, Any]], made_of: Any) -> Kept:
    """The part of a page; what it says is put together only if it is not known."""
    if (part := known(at, made_of)) is None:
        part = made(template, make(), made_of)
        parts.keep(at, part)
    return part


def page_with(
    request: HttpRequest, part: Kept, template: str, context: Mapping[str, Any], said: Mapping[str, Any] | None = None
) -> HttpResponse:
    """A page whose template says `{{ kept }}` where the part belongs; with what every page says, if that was asked."""
    context = {**(said or {}), **context, "kept": PLACE}
    page = render_to_string(template, context, request if said is None else None)
    before, _place, after = page.partition(PLACE)
    return _joined(request, HttpResponse(), before.encode(), part, after.encode())


def alone(request: HttpRequest, part: Kept) -> HttpResponse:
    """The part by itself, for a page that is open already."""
    return _joined(request, HttpResponse(), b"", part, b"")


def _joined(request: HttpRequest, page: HttpResponse, before: bytes, part: Kept, after: bytes) -> HttpResponse:
    patch_vary_headers(page, ["Accept-Encoding"])
    if re_accepts_gzip.search(request.META.get("HTTP_ACCEPT_ENCODING", "")):
        page.content = _gzipped(before, part, after)
        page["Content-Encoding"] = "gzip"
    else:
        page.content = before + part.html + after
    return page


def _gzipped(before: bytes, part: Kept, after: bytes) -> bytes:
    pieces = [*pieces_of(before), part.deflated, *pieces_of(after)]
    check = zlib.crc32(after, zlib.crc32(part.html, zlib.crc32(before)))
    return whole(pieces, check, len(before) + len(part.html) + len(after))
