"""Names and numbers as parts of a key.

A name becomes part of a key only through `part`, which folds it (so that "Ada" and "ADA" are one person) and escapes it
(so that no name can forge a `#` or run into another's keys). Attributes keep the name as it was typed.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import lru_cache

from foundation.store.table import Invalid, Key

METADATA = "METADATA"
EVENT_NUMBER_DIGITS = 12
MAX_KEY_PART_BYTES = 800
MAX_DOMAIN_CHARS = 255
MAX_SORT_KEY_BYTES = 1024  # DynamoDB's limit
MAX_CACHED_NAME_CHARS = 300  # no real name is longer
_ESCAPED = re.compile(r"[#%\x00-\x1f\x7f-\x9f]")
_SPACE = re.compile(r"\s+")


def fold(name: str) -> str:
    """The form in which two spellings of a name are equal: white space collapsed, case folded, composed, without
    invisible characters; the domain of an email address as in the DNS."""
    if name.isascii():  # most names are, and then folding is lower case
        return " ".join(name.lower().split())
    visible = _SPACE.sub(" ", without_invisible(name)).strip()
    apart = unicodedata.normalize("NFD", _with_ascii_domain(visible))
    return unicodedata.normalize("NFC", apart.casefold())


def _with_ascii_domain(text: str) -> str:
    """An email address with its domain as in the DNS. By Python's own codec, because mails are addressed with it."""
    local, at, domain = text.rpartition("@")
    if not at or domain.isascii() or len(domain) > MAX_DOMAIN_CHARS or " " in text:
        return text
    try:
        return f"{local}@{domain.encode('idna').decode()}"
    except UnicodeError:  # not a domain
        return text


def escape(text: str) -> str:
    """The text with `#`, `%` and control characters as %XX, so that it can be put between two `#` of a key."""
    return _ESCAPED.sub(lambda found: f"%{ord(found[0]):02X}", text)


def part(name: str) -> str:
    """A name as part of a key. One too long for DynamoDB's sort key ends in its digest."""
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
    """A sort key with two names in it, shortened if it is too long."""
    raw = sort_key.encode()
    return sort_key if len(raw) <= MAX_SORT_KEY_BYTES else _shortened(raw, MAX_SORT_KEY_BYTES)


# A page or a cast asks for some fifteen parts, of the same few names. With letters beyond ASCII each takes as long as a
# hundredth of a page, so that this saves about a tenth.
_known_part = lru_cache(maxsize=4096)(_part)


def sequence(number: int) -> str:
    """A number as text that sorts as the numbers do."""
    if not 0 <= number < 10**EVENT_NUMBER_DIGITS:
        raise ValueError(f"Event numbers have at most {EVENT_NUMBER_DIGITS} digits.")
    return f"{number:0{EVENT_NUMBER_DIGITS}d}"


def by_date(moment: str, name: str) -> str:
    """The sort key of a thing in every list by date."""
    return f"{moment}#{part(name)}"


def id_by_date(moment: str, number: str) -> str:
    """As `by_date`, for what is known by an id instead of a name."""
    return f"{moment}#{escape(number)}"


def shard_of(text: str, shards: int) -> int:
    """Which of so many partitions the text belongs to, always the same one."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") % shards if shards > 1 else 0


def home(pk: str) -> str:
    """The main partition of the thing that this partition or shard belongs to."""
    return "#".join(pk.split("#", 2)[:2])


def first_shard(pk: str) -> str:
    """The first shard of the thing that this shard belongs to; an unsharded partition itself."""
    return pk if pk == home(pk) else f"{home(pk)}#00"


def sharded(pk: str, shard: int, shards: int) -> str:
    """One of so many partitions; a single one has no number."""
    return f"{pk}#{shard:02d}" if shards > 1 else pk


# --- questions of an election ---

HOME = "ELECTION#"  # how the partitions of elections begin
OF_QUESTION = re.compile(r"QUESTION#(\d{2,4})#(.*)", re.DOTALL)


def of_question(sort_key: str, question: int) -> str:
    """The first question has the keys of an election with one; those of the others begin with their number."""
    return sort_key if question == 1 else f"QUESTION#{question:02d}#{sort_key}"


def question_of(key: Key) -> tuple[int, Key]:
    """The number of the question of an election that an item belongs to, and its key if that were the first one."""
    if not (key.pk.startswith(HOME) and (found := OF_QUESTION.fullmatch(key.sk))):
        return 1, key
    return int(found[1]), Key(key.pk, found[2], key.table)


# --- invisible characters ---


ZWNJ, ZWJ = "\u200c", "\u200d"
OVERRIDES = "\u202d\u202e"  # they reverse visible letters, so dropping them would change what is seen
FLAG, TAG_END = "\U0001f3f4", "\U000e007f"  # the flags of England, Scotland and Wales differ only in tags
REGIONS = ("gbeng", "gbsct", "gbwls")

_TAGS = "|".join("".join(chr(0xE0000 + ord(letter)) for letter in region) for region in REGIONS)
_REGION = f"(?<={FLAG})(?:{_TAGS}){TAG_END}"
# Unicode's Default_Ignorable_Code_Point, the other format controls without a shape, and an empty note head.
_INVISIBLE = re.compile(
    f"(?P<region>{_REGION})|"
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\ufff0-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_BLANK = re.compile("[\u2800\u3164\uffa0]")  # a letter or a pattern to Unicode, white space to the eye
# Where joiners shape letters: Arabic, Syriac, N'Ko, Mandaic; the scripts of India and its neighbours; Mongolian.
_JOINING = re.compile(
    "[\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1700-\u18af\u1900-\u1cff\ua800-\uabff\ufb50-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U00010aff\U00010d00-\U00010fff\U00011000-\U00011fff\U0001e900-\U0001e95f]"
)


def without_invisible(text: str) -> str:
    """For comparing: without anything invisible, and with blank characters as spaces."""
    if text.isascii():
        return text
    return _INVISIBLE.sub(lambda found: found["region"] or "", _BLANK.sub(" ", text))


def without_stray_invisible(text: str) -> str:
    """For storing: with only those invisible characters that shape the text around them."""
    if text.isascii():
        return text
    spaced = _BLANK.sub(" ", text)
    return _INVISIBLE.sub(lambda found: found[0] if _belongs(found) else "", spaced)


def _belongs(found: re.Match[str]) -> bool:
    """Whether it shapes the character before it. Uniqueness does not depend on this, so it need not be exact."""
    sign, before, after = found[0], found.string[: found.start()][-1:], found.string[found.end() :][:1]
    if found["region"]:
        return True
    if not before:
        return False
    kind = unicodedata.category(before)
    if sign in (ZWNJ, ZWJ):
        shapes_letters = kind[0] in "LM" and _JOINING.match(before) is not None
        return shapes_letters or (sign == ZWJ and _is_pictorial(before) and _is_pictorial(after))
    if sign in ("\ufe0e", "\ufe0f"):  # as text, or as a picture
        return _is_pictorial(before) or (kind[0] in "PN" and (not before.isascii() or after == "\u20e3"))
    if "\u180b" <= sign <= "\u180f":
        return "\u1800" <= before <= "\u18af"
    return kind == "Lo" and (
        "\ufe00" <= sign <= "\ufe0d" or "\U000e0100" <= sign <= "\U000e01ef"
    )  # forms of ideographs


def _is_pictorial(character: str) -> bool:
    """An emoji or a part of one; those newer than Python's tables are in the same blocks."""
    if not character or character in "\ufe0f\u20e3" or "\U0001f000" <= character <= "\U0001faff":
        return bool(character)
    return character == TAG_END or unicodedata.category(character)[0] == "S"
