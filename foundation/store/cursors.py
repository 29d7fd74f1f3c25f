"""Where a page ended, as text for a link; decoded strictly, because links are untrusted input."""

from __future__ import annotations

import base64
import binascii

import orjson

from . import limits
from .table import BadCursor, Item, Span


def encode(span: Span, last: Item) -> str:
    """The cursor that continues after this item."""
    place = orjson.dumps([last[name] for name in span.key_names])
    return base64.urlsafe_b64encode(place).decode().rstrip("=")


def decode(span: Span, cursor: str) -> dict[str, str]:
    """The key attributes encoded in a cursor, if it belongs to this span."""
    try:
        place = orjson.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError):
        raise BadCursor("This is not a cursor.") from None
    names = span.key_names
    if type(place) is not list or len(place) != len(names) or not all(type(each) is str and each for each in place):
        raise BadCursor("This cursor is of another kind.")
    if place[0] != span.pk or not span.holds(place[1]):
        raise BadCursor("This cursor belongs to another list.")
    if any(len(text.encode()) > limits.KEY_BYTES[name] for name, text in zip(names, place, strict=True)):
        raise BadCursor("This cursor is none that a page ended with.")
    return dict(zip(names, place, strict=True))
