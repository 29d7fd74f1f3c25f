"""Names, addresses and lines that people type: normalised for storage, shortened for pages, and sorted naturally."""

from __future__ import annotations

import re
import unicodedata
from itertools import groupby

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.template.defaultfilters import truncatechars
from django.utils.translation import gettext_lazy as _

from foundation.store.keys import OVERRIDES, without_invisible, without_stray_invisible

MAX_NAME_CHARS = 200
MAX_EMAIL_CHARS = 254


def clean_name(typed: str) -> str:
    """A user name, normalised for storage. It has no @."""
    name = clean_title(typed)
    if "@" in name:
        raise ValidationError(_("A name cannot contain @, so that it is not mistaken for an email address."), code="at")
    return name


def clean_title(typed: str) -> str:
    """Any name, normalised for storage: trimmed, inner white space collapsed, composed, and without invisible
    characters unless a script or an emoji needs them.
    """
    if any(character in OVERRIDES for character in typed):
        raise ValidationError(_("A name cannot contain characters that reverse its letters."), code="direction")
    if any(unicodedata.category(character) in ("Cc", "Cs") and not character.isspace() for character in typed):
        raise ValidationError(_("A name cannot contain control characters."), code="control")
    name = unicodedata.normalize("NFC", re.sub(r"\s+", " ", without_stray_invisible(typed)).strip())
    if all(unicodedata.category(character)[0] in "CZ" for character in name):
        raise ValidationError(_("A name needs at least one visible character."), code="empty")
    if len(name) > MAX_NAME_CHARS:
        raise ValidationError(
            _("A name can have at most %(most)d characters. This one has %(count)d."),
            code="long",
            params={"most": MAX_NAME_CHARS, "count": len(name)},
        )
    return name


def clean_email(typed: str) -> str:
    """An email address, normalised for storage: trimmed and valid, with the case and the domain's spelling as typed."""
    email = without_invisible(typed).strip()
    if len(email) > MAX_EMAIL_CHARS:
        raise ValidationError(
            _("An email address can have at most %(most)d characters."), params={"most": MAX_EMAIL_CHARS}
        )
    validate_email(email)
    return email


def shortened(name: str, length: int) -> str:
    """Like `truncatechars`, which is slow: a short name in plain letters is returned unchanged."""
    return name if len(name) <= length and name.isascii() else truncatechars(name, length)


def initials(name: str) -> str:
    """Of the first and the last word."""
    words = name.split()
    return "".join(word[0] for word in (words[:1] + words[1:][-1:])).upper()


# --- texts of one line ---

JOINERS = "\u200c\u200d"  # needed by some scripts and emoji
MAX_STACKED_ACCENTS = 4  # more would overlap neighbouring lines


def is_combining(character: str) -> bool:
    return unicodedata.category(character)[0] == "M" or character in JOINERS


def is_too_tall(text: str) -> bool:
    """Whether a letter carries more than `MAX_STACKED_ACCENTS`."""
    stacks = (len(list(marks)) for is_mark, marks in groupby(text, key=is_combining) if is_mark)
    return max(stacks, default=0) > MAX_STACKED_ACCENTS


def single_line(typed: str) -> str:
    """Collapse whitespace to one line and strip invisible characters."""
    return " ".join(without_stray_invisible("".join(map(_visible, typed))).split())


def _visible(character: str) -> str:
    if character.isspace() or unicodedata.category(character) == "Cc":
        return " "
    return "" if unicodedata.category(character) == "Cs" else character


# --- sorting; lists paged by the store keep its order ---

NUMBERS = re.compile(r"(\d+)")
BESIDE = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "\u0131": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d"})


def natural_sort_key(name: str) -> tuple[tuple[str | int, ...], str]:
    """Sorts by appearance: ignoring accents and case, with numbers by value."""
    letters = unicodedata.normalize("NFKD", name.casefold()).translate(BESIDE)
    plain = "".join(each for each in letters if not unicodedata.combining(each))
    parts = NUMBERS.split(plain)  # words at even positions, numbers at odd ones
    return tuple(int(part) if place % 2 else part for place, part in enumerate(parts)), name
