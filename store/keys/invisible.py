"""Characters that nobody sees, and which of them a name may keep.

Two names that differ only in such characters look the same, so `fold` ignores them. In what people type they are
dropped, except where a script or an emoji is written with them. The one rule for both stands here.
"""

from __future__ import annotations

import re
import unicodedata

ZWNJ, ZWJ = "\u200c", "\u200d"
OVERRIDES = "\u202d\u202e"  # they turn visible letters around, so dropping them would change what is seen
FLAG, TAG_END = "\U0001f3f4", "\U000e007f"  # the flags of England, Scotland and Wales differ in nothing but tags
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
    """For comparing: nothing invisible is left, and white space in disguise is a space."""
    if text.isascii():
        return text
    return _INVISIBLE.sub(lambda found: found["region"] or "", _BLANK.sub(" ", text))


def without_stray_invisible(text: str) -> str:
    """For keeping: as it is seen, with the invisible characters only that belong where they are."""
    if text.isascii():
        return text
    spaced = _BLANK.sub(" ", text)
    return _INVISIBLE.sub(lambda found: found[0] if _belongs(found) else "", spaced)


def _belongs(found: re.Match[str]) -> bool:
    """Whether it shapes the character before it. Uniqueness does not hang on it, so it need not be exact."""
    sign, before, after = found[0], found.string[: found.start()][-1:], found.string[found.end() :][:1]
    if found["region"]:
        return True
    if not before:
        return False
    kind = unicodedata.category(before)
    if sign in (ZWNJ, ZWJ):
        return _shapes_letters(before, kind) or (sign == ZWJ and _is_pictorial(before) and _is_pictorial(after))
    if sign in ("\ufe0e", "\ufe0f"):  # as text, or as a picture
        return _is_pictorial(before) or (kind[0] in "PN" and (not before.isascii() or after == "\u20e3"))
    if "\u180b" <= sign <= "\u180f":
        return "\u1800" <= before <= "\u18af"
    return kind == "Lo" and (
        "\ufe00" <= sign <= "\ufe0d" or "\U000e0100" <= sign <= "\U000e01ef"
    )  # forms of ideographs


def _shapes_letters(before: str, kind: str) -> bool:
    return kind[0] in "LM" and _JOINING.match(before) is not None


def _is_pictorial(character: str) -> bool:
    """An emoji or a part of one; newer ones than Python's tables know lie in the same blocks."""
    if not character or character in "\ufe0f\u20e3" or "\U0001f000" <= character <= "\U0001faff":
        return bool(character)
    return character == TAG_END or unicodedata.category(character)[0] == "S"
