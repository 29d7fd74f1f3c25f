"""The secret of a ballot: 128 bits that the voter has, and nobody else.

A secret ballot lies under a hash of its secret. The roll records that its voter has voted, and nothing in the store
leads from one to the other. With the secret a ballot can be seen, changed and withdrawn; without it, it cannot. The
site has it only while it answers a form that brings it. For voters by link, the link is the secret.

Hashes include the election and the question, so that what a voter says to several questions has nothing in common.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from difflib import get_close_matches
from functools import cache

from django.utils.translation import gettext as _
from mnemonic import Mnemonic

from foundation.acts.refusals import Refusal
from foundation.ranking.codes import code_of
from foundation.store.keys import fold

SECRET_BYTES = 16
WORDS = 12  # the secret, with a checksum of four bits
CODE_GROUPS = 4
SECRET = re.compile(r"[0-9a-f]{32}")
HALVES = re.compile(r"(?:[0-9a-f]{32}){1,2}")


class WrongWords(Refusal):
    """What was typed cannot be the words of any ballot."""


def new_secret() -> str:
    return secrets.token_hex(SECRET_BYTES)


def is_secret(text: str) -> bool:
    return SECRET.fullmatch(text) is not None


def joined(servers: str, browsers: str) -> str:
    """The secret of a form: the server drew one half, and the browser the other if it could."""
    if not is_secret(servers):
        return ""
    return _hash("halves", servers, browsers)[:SECRET_BYTES].hex() if is_secret(browsers) else servers


def whole(text: str) -> str:
    """The secret as browsers remember it: by itself or, from before the ballot was cast, as its two halves."""
    return joined(text[: 2 * SECRET_BYTES], text[2 * SECRET_BYTES :]) if HALVES.fullmatch(text) else ""


def of_link(link_secret: str) -> str:
    """The secret of the ballots that are cast with a link; the roll has a different hash of the link."""
    return _hash("link", link_secret)[:SECRET_BYTES].hex()


def ballot_id(secret: str, election_name: str, question: int = 1) -> str:
    """Under which the ballot is stored."""
    return _hash("ballot", secret, fold(election_name), *_about(question)).hex()


def code(secret: str, election_name: str, question: int = 1) -> str:
    """Eighty bits by which the published ballot is found, such as K7QM-2XHD-94TP-WB3N."""
    return code_of(_hash("code", secret, fold(election_name), *_about(question)), CODE_GROUPS)


def _about(question: int) -> tuple[str, ...]:
    return () if question == 1 else (str(question),)


def _hash(purpose: str, *parts: str) -> bytes:
    return hashlib.sha256("\n".join((f"plenum: {purpose} of a ballot's secret", *parts)).encode()).digest()


# --- as words ---


@cache
def _mnemonic() -> Mnemonic:
    return Mnemonic("english")


def as_words(secret: str) -> list[str]:
    return _mnemonic().to_mnemonic(bytes.fromhex(secret)).split()


def from_words(typed: str) -> str:
    """The secret, however its words were typed: with numbers, capitals, commas or line breaks, or cut after four
    letters, which is where no two are alike. Raises `WrongWords`."""
    known = _mnemonic().wordlist
    words = [_mnemonic().expand_word(word) if len(word) >= 4 else word for word in re.findall(r"[a-z]+", typed.lower())]
    for word in words:
        if word not in known:
            near = get_close_matches(word, known, 1, 0.7)
            hint = _("Did you mean “%(word)s”?") % {"word": near[0]} if near else ""
            raise WrongWords(" ".join((_("“%(word)s” is not one of the words we use.") % {"word": word}, hint)).strip())
    if len(words) != WORDS:
        raise WrongWords(
            _("A ballot has %(needed)d words; you entered %(count)d.") % {"needed": WORDS, "count": len(words)}
        )
    if not _mnemonic().check(" ".join(words)):
        raise WrongWords(_("All are words we use, but not together: one is wrong, or two have changed places."))
    return bytes(_mnemonic().to_entropy(words)).hex()
