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
from .invisible import without_invisible

METADATA = "METADATA"
EVENT_NUMBER_DIGITS = 12
MAX_KEY_PART_BYTES = 800
MAX_DOMAIN_CHARS = 255
MAX_SORT_KEY_BYTES = 1024  # bytes, as DynamoDB has it
MAX_CACHED_NAME_CHARS = 300  # letters of a name whose part of a key is remembered: no true name is longer
_ESCAPED = re.compile(r"[#%\x00-\x1f\x7f-\x9f]")
_SPACE = re.compile(r"\s+")


def fold(name: str) -> str:
    """The form under which two spellings of a name are the same: white space collapsed, case folded, composed, without
    what nobody sees; and of an email address, the domain as mail servers know it."""
    if name.isascii():  # most names are, and then folding is lower case
        return " ".join(name.lower().split())
    seen = _SPACE.sub(" ", without_invisible(name)).strip()
    apart = unicodedata.normalize("NFD", _with_ascii_domain(seen))
    return unicodedata.normalize("NFC", apart.casefold())


def _with_ascii_domain(text: str) -> str:
    """An address whose domain is spelt as in the DNS. It is Python's own codec because mails are addressed by it."""
    local, at, domain = text.rpartition("@")
    if not at or domain.isascii() or len(domain) > MAX_DOMAIN_CHARS or " " in text:
        return text
    try:
        return f"{local}@{domain.encode('idna').decode()}"
    except UnicodeError:  # no domain at all
        return text


def escape(text: str) -> str:
    """The text with `#`, `%` and control characters written as %XX, so that it can stand between two `#` of a key."""
    return _ESCAPED.sub(lambda found: f"%{ord(found[0]):02X}", text)


def part(name: str) -> str:
    """A name as it stands in a key. One that would outgrow DynamoDB's sort key ends in its digest instead."""
    return _known_part(name) if len(name) <= MAX_CACHED_NAME_CHARS else _part(name)


def _part(name: str) -> str:
    text = escape(fold(name))
    try:
        raw = text.encode()
    except UnicodeEncodeError:
        raise Invalid("A name must be valid Unicode.") from None
    return text if len(raw) <= MAX_KEY_PART_BYTES else _shortened(raw, MAX_KEY_PART_BYTES)


def _shortened(raw: bytes, most: int) -> str:
    """With a digest in place of its end."""
    return f"{raw[: most - 66].decode(errors='ignore')}%~{hashlib.sha256(raw).hexdigest()}"


def fitted(sort_key: str) -> str:
    """A sort key that has two names in it, and would be too long if both are."""
    raw = sort_key.encode()
    return sort_key if len(raw) <= MAX_SORT_KEY_BYTES else _shortened(raw, MAX_SORT_KEY_BYTES)


_known_part = lru_cache(maxsize=4096)(_part)  # one act names the same few elections and people again and again


def sequence(number: int) -> str:
    """A number so written that the order of the strings is the order of the numbers."""
    if not 0 <= number < 10**EVENT_NUMBER_DIGITS:
        raise ValueError(f"Event numbers have at most {EVENT_NUMBER_DIGITS} digits.")
    return f"{number:0{EVENT_NUMBER_DIGITS}d}"


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
