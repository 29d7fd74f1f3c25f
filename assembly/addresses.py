"""Addresses beside names, as people paste them: “Anna Berg <anna@example.org>”, one a line."""

from __future__ import annotations

import re
from collections.abc import Iterable

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from pages.names import clean_email, clean_name
from store.keys import fold

WITH_ADDRESS = re.compile(r"([^<>]*)<([^<>]*)>\s*")


def parted(line: str) -> tuple[str, str]:
    """The name and the address of a line, as they were typed; most lines have no address."""
    found = WITH_ADDRESS.fullmatch(line)
    return (found[1].strip(), found[2].strip()) if found else (line.strip(), "")


def cleaned(line: str) -> tuple[str, str]:
    """Refused in a sentence if one of the two cannot be right."""
    name, address = parted(line)
    return clean_name(name), clean_email(address) if address else ""


def joined(name: str, address: str = "") -> str:
    return f"{name} <{address}>" if address else name


def read(text: str, names: Iterable[str]) -> dict[str, str]:
    """The addresses typed for some of these names; refused if one is of nobody, wrong, or of two people."""
    known, found = {fold(name): name for name in names}, dict[str, str]()
    for line in filter(None, map(str.strip, text.splitlines())):
        name, address = parted(line)
        if fold(name) not in known:
            raise ValidationError(_("Nobody of this name is here without an account: %(line)s") % {"line": line[:100]})
        if address:
            found[known[fold(name)]] = _clean(address, line)
    if len({fold(each) for each in found.values()}) < len(found):
        raise ValidationError(_("An address stands there twice: everybody needs one of their own."))
    return found


def _clean(address: str, line: str) -> str:
    try:
        return clean_email(address)
    except ValidationError:
        raise ValidationError(_("This is no email address: %(line)s") % {"line": line[:100]}) from None
