"""Names and numbers as they stand in a key.

A name becomes part of a key only through `part`, which folds it (so that "Ada" and "ADA" are one person) and escapes it
(so that no name can forge a `#` or run into another's keys). Attributes keep the name as it was typed.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import lru_cache

from ..table import Invalid

METADATA = "METADATA"
DIGITS = 12
LONGEST_PART = 800
LONGEST_KNOWN = 300  # letters of a name whose part of a key is remembered: no true name is longer
_ESCAPED = re.compile(r"[#%\x00-\x1f\x7f-\x9f]")
_SPACE = re.compile(r"\s+")


def fold(name: str) -> str:
    """The form under which two spellings of a name are the same: white space collapsed, case folded, composed."""
    if name.isascii():  # most names are, and then folding is lower case
        return " ".join(name.lower().split())
    apart = unicodedata.normalize("NFD", _SPACE.sub(" ", name).strip())
    return unicodedata.normalize("NFC", apart.casefold())


def escape(text: str) -> str:
    """The text with `#`, `%` and control characters written as %XX, so that it can stand between two `#` of a key."""
    return _ESCAPED.sub(lambda found: f"%{ord(found[0]):02X}", text)


def part(name: str) -> str:
    """A name as it stands in a key. One that would outgrow DynamoDB's sort key ends in its digest instead."""
    return _known_part(name) if len(name) <= LONGEST_KNOWN else _part(name)


def _part(name: str) -> str:
    text = escape(fold(name))
    try:
        raw = text.encode()
    except UnicodeEncodeError:
        raise Invalid("A name must be valid Unicode.") from None
    if len(raw) <= LONGEST_PART:
        return text
    return f"{raw[: LONGEST_PART - 66].decode(errors='ignore')}%~{hashlib.sha256(raw).hexdigest()}"


_known_part = lru_cache(maxsize=4096)(_part)  # one act names the same few elections and people again and again


def sequence(number: int) -> str:
    """A number so written that the order of the strings is the order of the numbers."""
    if not 0 <= number < 10**DIGITS:
        raise ValueError(f"Event numbers have at most {DIGITS} digits.")
    return f"{number:0{DIGITS}d}"


def shard_of(text: str, shards: int) -> int:
    """In which of so many partitions it lies; a text lies in the same one for good."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") % shards if shards > 1 else 0


def home(pk: str) -> str:
    """The partition of the thing itself whose partition, or one of whose shards, this is."""
    return "#".join(pk.split("#", 2)[:2])


def first_shard(pk: str) -> str:
    """The first of the shards of which this is one; what is in one place lies there."""
    return pk if pk == home(pk) else f"{home(pk)}#00"


def sharded(pk: str, shard: int, shards: int) -> str:
    """One of so many partitions; a single one is called as if there were no others."""
    return f"{pk}#{shard:02d}" if shards > 1 else pk
