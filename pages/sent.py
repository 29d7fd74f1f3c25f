"""Forms as browsers send them, read at once where Django reads them letter by letter and field by field.

Both replace functions of Django's and answer what those would; a Django that has no such function any more fails at the
start.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import QueryDict
from django.middleware import csrf

_LETTERS = csrf.CSRF_ALLOWED_CHARS
_PLACES = bytes.maketrans(_LETTERS.encode(), bytes(range(len(_LETTERS))))
_BACK = bytes((len(_LETTERS) - place) % 256 for place in range(256))
_AROUND = bytes(ord(_LETTERS[place % len(_LETTERS)]) for place in range(256))
_field_by_field = QueryDict.__init__


def read_at_once() -> None:
    """From now on, in this process."""
    assert callable(csrf._mask_cipher_secret)
    assert callable(csrf._unmask_cipher_token)
    QueryDict.__init__ = _fields_at_once
    csrf._mask_cipher_secret = masked
    csrf._unmask_cipher_token = unmasked


def _fields_at_once(
    form: QueryDict, query_string: str | bytes | None = None, mutable: bool = False, encoding: str | None = None
) -> None:
    """Ballots and most other forms have nothing in them that is escaped; those that have are left to Django."""
    sent = query_string or b""
    if not is_plain(sent) or sent.count(_and(sent)) >= (settings.DATA_UPLOAD_MAX_NUMBER_FIELDS or 0):
        _field_by_field(form, query_string, mutable, encoding)
        return
    form._encoding = encoding or settings.DEFAULT_CHARSET
    fields: dict[str, list[str]] = {}
    for field in (sent.decode() if isinstance(sent, bytes) else sent).split("&"):
        name, equals, value = field.partition("=")
        if name or equals:
            fields.setdefault(name, []).append(value)
    dict.update(form, fields)
    form._mutable = mutable


def is_plain(sent: Any) -> bool:
    """Whether what was sent stands there as it is meant."""
    percent, plus = (b"%", b"+") if isinstance(sent, bytes) else ("%", "+")
    return sent.isascii() and percent not in sent and plus not in sent


def _and(sent: Any) -> Any:
    return b"&" if isinstance(sent, bytes) else "&"


def masked(secret: str) -> str:
    """The secret of a browser as a form has it: different each time, so that nobody learns it by looking often."""
    mask = csrf._get_new_csrf_string()
    return mask + _added(_places(secret), _places(mask))


def unmasked(token: str) -> str:
    mask, cipher = token[: csrf.CSRF_SECRET_LENGTH], token[csrf.CSRF_SECRET_LENGTH :]
    return _added(_places(cipher), _places(mask).translate(_BACK))


def _added(places: bytes, others: bytes) -> str:
    """The letters that stand so many places further on, from the last on to the first again. No sum of two places needs
    more than its byte, so that all can be added as two numbers."""
    both = int.from_bytes(places, "big") + int.from_bytes(others, "big")
    return both.to_bytes(len(places), "big").translate(_AROUND).decode()


def _places(letters: str) -> bytes:
    """Where each letter stands in the alphabet; whoever asks has seen that there are no others."""
    return letters.encode().translate(_PLACES)
