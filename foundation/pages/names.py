"""Normalising names and addresses that people type, for storage."""

from __future__ import annotations

import re
import unicodedata

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
    if not any(_is_visible(character) for character in name):
        raise ValidationError(_("A name needs at least one visible character."), code="empty")
    if len(name) > MAX_NAME_CHARS:
        raise ValidationError(
            _("A name can have at most %(most)d characters. This one has %(count)d."),
            code="long",
            params={"most": MAX_NAME_CHARS, "count": len(name)},
        )
    return name


def _is_visible(character: str) -> bool:
    return unicodedata.category(character)[0] not in "CZ"


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
