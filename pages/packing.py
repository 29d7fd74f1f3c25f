"""Answers in fewer bytes: what is made for one reader is packed quickly, what is shown often as small as it can be.

Each answer is padded by chance, as Django's own `GZipMiddleware` does it, so that its length tells no secret: what
somebody makes a page repeat cannot be compared with what else stands in it.
"""

from __future__ import annotations

import zlib
from secrets import randbelow

from django.middleware.gzip import GZipMiddleware

NAMED = b"\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\xff"  # RFC 1952: deflated, at no time, with the name of a file
ONCE, OFTEN = 3, 6  # how hard zlib tries: the ballot page takes half the time, for a tenth more bytes


def gzipped(content: bytes) -> bytes:
    return whole([deflated(content, zlib.Z_FINISH)], zlib.crc32(content), len(content))


def whole(pieces: list[bytes], check: int, length: int) -> bytes:
    """Deflated pieces as one file: the checksum and the length are of what they were made of."""
    padding = b"a" * randbelow(GZipMiddleware.max_random_bytes) + b"\0"
    end = check.to_bytes(4, "little") + (length % 2**32).to_bytes(4, "little")
    return b"".join((NAMED, padding, *pieces, end))


def deflated(content: bytes, ending: int, level: int = ONCE) -> bytes:
    """Up to a whole byte, so that another piece can follow."""
    press = zlib.compressobj(level, wbits=-zlib.MAX_WBITS)
    return press.compress(content) + press.flush(ending)
