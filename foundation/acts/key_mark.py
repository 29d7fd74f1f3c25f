"""A mark of SECRET_KEY in the store, by which a server with another key notices it.

Sent links, printed letters and stored secrets depend on the key (docs/how-to/operations.md has the list) and die with
it without a word. The mark is a keyed digest of a constant, so it tells nothing about the key.
"""

from __future__ import annotations

from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _

from foundation.store import keys
from foundation.store.table import Condition, Item, Put


def marking(when: Condition | None = None) -> Put:
    """The key of this server is that of the site."""
    return Put({"PK": keys.KEY_MARK.pk, "SK": keys.KEY_MARK.sk, "digest": _digest()}, when=when)


def is_replaced(mark: Item | None) -> bool:
    return mark is not None and not constant_time_compare(mark["digest"], _digest())


def sentence() -> str:
    return _(
        "SECRET_KEY is not the key that this site was used with: voting links, letters and check-in cards made with "
        "that one no longer work."
    )


def _digest() -> str:
    return salted_hmac("acts.key_mark", "SECRET_KEY", algorithm="sha256").hexdigest()
