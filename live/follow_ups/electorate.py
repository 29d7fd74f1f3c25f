"""Those present as voters of an election, and parsing of pasted addresses: “Anna Berg <anna@example.org>”."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from live.rules import MAX_PLAYERS
from pages.names import MAX_EMAIL_CHARS, MAX_NAME_CHARS, clean_email, clean_name
from store.keys import fold

WITH_ADDRESS = re.compile(r"([^<>]*)<([^<>]*)>\s*")
MAX_ADDRESSES_CHARS = MAX_PLAYERS * (MAX_NAME_CHARS + MAX_EMAIL_CHARS + 5)  # letters of all lines


@dataclass(frozen=True, slots=True)
class Electorate:
    """Who is present and can vote: how many, the accounts of those who have one, by name; and of those who checked in
    by a code the address that the roll has, if any."""

    present: int
    accounts: Mapping[str, str]
    coded: Mapping[str, str] = field(default_factory=dict)
    needed: int = 1  # for a quorum
    is_quorate: bool = True

    @property
    def addressed(self) -> dict[str, str]:
        return {name: address for name, address in self.coded.items() if address}

    @property
    def without(self) -> int:
        """How many can be on no roll of an election."""
        return self.present - len(self.accounts) - len(self.addressed)

    @property
    def lines(self) -> str:
        """Everybody who checked in by a code, a line each, for whoever adds what addresses are missing."""
        return "\n".join(f"{name} <{address}>" for name, address in self.coded.items())

    def with_addresses(self, typed: Mapping[str, str]) -> Electorate:
        """With what a host has typed in place of what the roll has."""
        return replace(self, coded={name: typed.get(name, "") for name in self.coded})


# --- addresses ---


def split_line(line: str) -> tuple[str, str]:
    """The name and the address of a line, as they were typed; most lines have no address."""
    found = WITH_ADDRESS.fullmatch(line)
    return (found[1].strip(), found[2].strip()) if found else (line.strip(), "")


def clean_line(line: str) -> tuple[str, str]:
    """Refused in a sentence if one of the two cannot be right."""
    name, address = split_line(line)
    return clean_name(name), clean_email(address) if address else ""


def join_line(name: str, address: str = "") -> str:
    return f"{name} <{address}>" if address else name


def read_addresses(text: str, names: Iterable[str]) -> dict[str, str]:
    """The addresses typed for some of these names; refused if one is of nobody, wrong, or of two people."""
    known, found = {fold(name): name for name in names}, dict[str, str]()
    for line in filter(None, map(str.strip, text.splitlines())):
        name, address = split_line(line)
        if fold(name) not in known:
            raise ValidationError(_("Nobody without an account has this name: %(line)s") % {"line": line[:100]})
        if address:
            found[known[fold(name)]] = _clean(address, line)
    if len({fold(each) for each in found.values()}) < len(found):
        raise ValidationError(_("An address appears twice. Everybody needs their own."))
    return found


def _clean(address: str, line: str) -> str:
    try:
        return clean_email(address)
    except ValidationError:
        raise ValidationError(_("Not an email address: %(line)s") % {"line": line[:100]}) from None
