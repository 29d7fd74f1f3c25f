"""Random codes for people to read, compare and type."""

from __future__ import annotations

import secrets
import unicodedata
from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

SYMBOLS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # no I, L, O, U: nothing that is easily misread
GROUP_SYMBOLS = 4  # symbols, of five bits each
MISREAD = str.maketrans("OIL", "011")
MIN_VOTES_PER_PREFIX = 500  # votes, at least, that share what is sent of a code


def normalise_code(typed: str) -> str:
    """A code, or part of one, however it was typed: also in the wide letters and digits of East Asian keyboards."""
    return unicodedata.normalize("NFKC", typed).upper().translate(MISREAD)


def code_symbols(typed: str) -> str:
    """The symbols of a code, without spaces, hyphens and whatever else was typed between them."""
    return "".join(sign for sign in normalise_code(typed) if sign in SYMBOLS)


def new_code(groups: int) -> str:
    """Twenty random bits a group, such as K7QM-2XHD, in groups that are easily compared."""
    return code_of(secrets.token_bytes(groups * GROUP_SYMBOLS), groups)


def code_of(random_bytes: bytes, groups: int) -> str:
    """256 is 8 times 32, so every symbol is equally likely."""
    symbols = [SYMBOLS[byte % len(SYMBOLS)] for byte in random_bytes[: groups * GROUP_SYMBOLS]]
    return "-".join("".join(symbols[at : at + GROUP_SYMBOLS]) for at in range(0, len(symbols), GROUP_SYMBOLS))


# --- finding a code by its beginning ---


def prefix_length(votes: int) -> int:
    """How many characters of a code may be sent to find a vote among this many."""
    letters = 0
    while votes // len(SYMBOLS) ** (letters + 1) >= MIN_VOTES_PER_PREFIX:
        letters += 1
    return letters


class CodePrefixForm(forms.Form):
    """Finds your own vote in a published list by a short prefix of its code, so that the server cannot tell which one
    you wanted. Hundreds of codes share each prefix; in a short list none may be sent, and you page through it."""

    code = forms.CharField(required=False, max_length=200)

    def __init__(self, *arguments: Any, label: str | Promise, letters: int, **options: Any):
        super().__init__(*arguments, **options)
        self.letters = letters
        field = self.fields["code"]
        field.label, field.help_text = label, self._at_most(_("Keep the rest to yourself."))
        field.widget.attrs |= {"maxlength": letters, "autocomplete": "off", "autocapitalize": "characters"}

    def _at_most(self, more: str) -> str:
        text = ngettext("Only the first character.", "Only the first %(count)d characters.", self.letters)
        return f"{text % {'count': self.letters}} {more}"

    def clean_code(self) -> str:
        code = normalise_code(self.cleaned_data["code"])
        if len(code) > self.letters:
            raise forms.ValidationError(self._at_most(_("Nobody but you needs to know the rest.")))
        if set(code) - set(SYMBOLS):
            raise forms.ValidationError(_("A code consists of digits and capital letters."))
        return code


def code_prefix_form(asked: Any, votes: int, label: str | Promise) -> CodePrefixForm | None:
    """None for a list so short that even one character would reveal too much."""
    letters = prefix_length(votes)
    return CodePrefixForm(asked, label=label, letters=letters) if letters else None
