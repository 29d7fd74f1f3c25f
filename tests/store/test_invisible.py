"""Names that differ in nothing anybody sees are one name; scripts and emoji keep what they are written with."""

from __future__ import annotations

import sys
import unicodedata
from functools import cache

import pytest
from django.core.exceptions import ValidationError

from foundation.pages.names import clean_email, clean_title
from foundation.store.keys import fold, without_stray_invisible
from results.exports import verify
from tests.rows import every_row

# Default_Ignorable_Code_Point of Unicode, from DerivedCoreProperties.txt.
IGNORABLE = (
    *(0xAD, 0x34F, 0x61C, 0x3164, 0xFEFF, 0xFFA0, *range(0x115F, 0x1161), *range(0x17B4, 0x17B6)),
    *(*range(0x180B, 0x1810), *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070)),
    *(*range(0xFE00, 0xFE10), *range(0xFFF0, 0xFFF9), *range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B)),
    *range(0xE0000, 0xE1000),
)
SHAPED = {0x600, 0x601, 0x602, 0x603, 0x604, 0x605, 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}  # are seen
ENGLAND, SCOTLAND = (
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(each)) for each in region) + "\U000e007f" for region in ("gbeng", "gbsct")
)
KEPT = [
    "می\u200cخواهم",  # Persian
    "علی\u200cرضا",
    "ക്\u200d",  # Malayalam, at the end of a word
    "क्\u200dष",  # Hindi
    "👨\u200d👩\u200d👧\u200d👦 Family",
    "❤\ufe0f\u200d🔥",
    "🏳\ufe0f\u200d🌈 🧑🏽\u200d💻",
    "1\ufe0f\u20e3 first",
    "葛\U000e0100城",  # a form of an ideograph, as Japanese names have it
    "ᠮ\u180b",  # Mongolian
    ENGLAND,
]


@cache
def of_format() -> set[int]:
    """Asked of a million characters: not where this file is only collected."""
    return {code for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) == "Cf"} - SHAPED


def is_seen(code: int) -> bool:
    return chr(code) not in "\u3164\uffa0"  # these two are blanks


def test_whatever_nobody_sees_makes_no_other_name():
    for code in {*IGNORABLE, *of_format()}:
        inside = f"Ada{chr(code)} Love{chr(code) if is_seen(code) else ''}lace{chr(code)}"
        assert fold(inside) == "ada lovelace", hex(code)
        assert verify.fold(inside) == "ada lovelace", hex(code)


def test_what_is_typed_is_kept_without_it():
    for code in {*IGNORABLE, *of_format()} - {0x202D, 0x202E}:
        assert clean_title(f"Ada{chr(code)} Lovelace") == "Ada Lovelace", hex(code)


@pytest.mark.parametrize("name", ["\u202eAda", "Ada \u202dLovelace"])
def test_what_would_look_otherwise_without_it_is_refused(name):
    with pytest.raises(ValidationError, match="reverse its letters"):
        clean_title(name)


@every_row("name", ["\u200b", "\u3164", "\u2800 \u2800", "\u115f\u1160", "\U000e0041", "\ufe0f"])
def test_a_name_of_nothing_is_none(name):
    with pytest.raises(ValidationError, match="visible"):
        clean_title(name)


@pytest.mark.parametrize("name", KEPT)
def test_scripts_and_emoji_keep_what_they_are_written_with(name):
    assert clean_title(name) == unicodedata.normalize("NFC", name)


def test_with_and_without_a_joiner_it_is_one_name():
    assert fold("علی\u200cرضا") == fold("علیرضا")
    assert fold("葛\U000e0100城") == fold("葛城")


def test_flags_that_differ_in_tags_alone_are_several():
    assert len({fold(flag) for flag in (ENGLAND, SCOTLAND, "\U0001f3f4")}) == 3
    made_up = f"\U0001f3f4{chr(0xE0061)}{chr(0xE0062)}\U000e007f"  # shown as the black flag
    assert fold(made_up) == fold("\U0001f3f4")
    assert without_stray_invisible(made_up) == "\U0001f3f4"


@every_row(
    ("typed", "kept"),
    [
        ("A\u200dda", "Ada"),  # where no script needs it
        ("Ada\u200d", "Ada"),
        ("ح\u200c\u200cس", "ح\u200cس"),
        ("Ada\ufe0f", "Ada"),
        ("1\ufe0f", "1"),
        ("Ada\u3164Lovelace", "Ada Lovelace"),
        ("Ada\u2800Lovelace", "Ada Lovelace"),
    ],
)
def test_elsewhere_they_are_dropped(typed, kept):
    assert clean_title(typed) == kept
    assert fold(typed) == fold(kept)


ORDINARY = [
    "Ada Lovelace",
    "  ADA  lovelace ",
    "Zoë",
    "Jürgen Straße",
    "Ελένη",
    "Анна",
    "محمد",
    "דוד",
    "山田太郎",
    "สมชาย",
]


@every_row("name", ORDINARY)
def test_ordinary_names_are_folded_as_ever(name):
    """Their keys are in stores that exist."""
    apart = unicodedata.normalize("NFD", " ".join(name.split()))
    assert fold(name) == verify.fold(name) == unicodedata.normalize("NFC", apart.casefold())


# --- addresses ---


@every_row(
    ("one", "other"),
    [
        ("a@bücher.example", "a@xn--bcher-kva.example"),
        ("A@BÜCHER.example", "a@XN--BCHER-KVA.EXAMPLE"),
        ("a@bu\u0308cher.example", "a@bücher.example"),
        ("a@b\u200bücher.example", "a@bücher.example"),
        ("a@例え。テスト", "a@例え.テスト"),
        ("a@例え.テスト", "a@xn--r8jz45g.xn--zckzah"),
    ],
)
def test_spellings_of_a_domain_are_one_mailbox(one, other):
    assert fold(one) == fold(other) == verify.fold(one) == verify.fold(other)


@every_row("text", ["Café @ Näh", "a@..ü", "x@" + "ü" * 300, "@ü", "ü@"])
def test_what_is_no_address_is_folded_as_any_name(text):
    assert fold(text) == verify.fold(text)
    assert fold(fold(text)) == fold(text)


def test_an_address_is_kept_as_it_was_typed_but_for_what_nobody_sees():
    assert clean_email(" Ada@b\u200bücher.example\u2060 ") == "Ada@bücher.example"
