"""Answers in fewer bytes: what is made for one reader is packed quickly, what is shown often as small as it can be.

Each answer is padded by chance, as Django's own `GZipMiddleware` does it, so that its length tells no secret: what
somebody makes a page repeat cannot be compared with what else stands in it.

A third of most pages is the frame that templates/base.html puts around all of them. Deflate lets pieces that point at
nothing before them follow one another: so what of the frame is the same for every reader is packed once, and
remembered by all of its bytes. Who reads, and what the page says, is not among it.
"""

from __future__ import annotations

import zlib
from secrets import randbelow
from typing import Any

from django.middleware.gzip import GZipMiddleware

from store.memory import Memory

WORTH_PACKING = 200  # bytes: less than that does not become smaller
NAMED = b"\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\xff"  # RFC 1952: deflated, at no time, with the name of a file
ENDED = b"\x03\x00"  # RFC 1951: a last piece, with nothing in it
LONGEST = 0xFFFF  # bytes that stand in one piece as they are
ONCE, OFTEN = 3, 6  # how hard zlib tries: the ballot page takes half the time, for a tenth more bytes
WINDOW, TABLES = 13, 7  # how far back it looks (8 KB), in tables of which size: larger ones take longer to lay out

# Where the frame of a page is cut: around its title, around the mark of a session, before who reads; and where it goes
# on, around the token of a form and the address that was asked for.
TITLE, DRAFTS, ACCOUNT = b"</title>", b'<meta name="drafts" content="', b'<div class="actions account'
FOOTER, TOKEN = b'<footer class="site-footer">', b'name="csrfmiddlewaretoken" value="'
LANGUAGES = b'<div class="segments" role="group"'

MOST_REMEMBERED = 4_000_000  # bytes
frames = Memory[bytes](MOST_REMEMBERED, lambda piece: 6 * len(piece))  # with what it was packed from


def gzipped(content: bytes) -> bytes:
    return whole(pieces_of(content), zlib.crc32(content), len(content))


def whole(pieces: list[bytes], check: int, length: int) -> bytes:
    """Packed pieces as one file: the checksum and the length are of what they were made of."""
    padding = b"a" * randbelow(GZipMiddleware.max_random_bytes) + b"\0"
    end = check.to_bytes(4, "little") + (length % 2**32).to_bytes(4, "little")
    return b"".join((NAMED, padding, *pieces, ENDED, end))


def pieces_of(content: bytes) -> list[bytes]:
    """A page, or the beginning or the end of one, packed: the frame from memory, if it has one, and the rest anew."""
    opening, content = _opening(content)
    own, closing = _closing(content)
    return [*opening, deflated(own) if len(own) > WORTH_PACKING else _as_it_is(own), *closing]


def _opening(content: bytes) -> tuple[list[bytes], bytes]:
    """What a page says before it says who reads it, and the rest."""
    try:
        title = content.index(TITLE)
        mark = content.index(DRAFTS, title) + len(DRAFTS)
        marked = content.index(b'"', mark)
        account = content.index(ACCOUNT, marked)
    except ValueError:
        return [], content
    named, whose = _as_it_is(content[:title]), _as_it_is(content[mark:marked])
    return [named, _remembered(content[title:mark]), whose, _remembered(content[marked:account])], content[account:]


def _closing(content: bytes) -> tuple[bytes, list[bytes]]:
    """What a page says before it comes to its end, and that."""
    footer = content.rfind(FOOTER)
    token = content.find(TOKEN, footer) + len(TOKEN)
    languages = content.find(LANGUAGES, token)
    if footer < 0 or token < footer or languages < 0:
        return content, []
    asked = _as_it_is(content[token:languages])
    return content[:footer], [_remembered(content[footer:token]), asked, _remembered(content[languages:])]


def _remembered(content: bytes) -> bytes:
    return frames.get(content, lambda: well_deflated(content))


def _as_it_is(content: bytes) -> bytes:
    """A few bytes that are not worth the time."""
    size = len(content)
    if size > LONGEST:
        return deflated(content)
    return b"\0" + size.to_bytes(2, "little") + (LONGEST - size).to_bytes(2, "little") + content


def deflated(content: bytes) -> bytes:
    """A piece that points at nothing before it, up to a whole byte, so that another can follow."""
    return _pressed(content, zlib.compressobj(ONCE, wbits=-WINDOW, memLevel=TABLES))


def well_deflated(content: bytes) -> bytes:
    """As `deflated`, of what is packed once and shown often."""
    return _pressed(content, zlib.compressobj(OFTEN, wbits=-zlib.MAX_WBITS))


def _pressed(content: bytes, press: Any) -> bytes:
    return press.compress(content) + press.flush(zlib.Z_SYNC_FLUSH)
