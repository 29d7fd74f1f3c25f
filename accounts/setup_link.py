"""The setup link for the first owner: printed where the server starts, never shown on a page.

Only a digest of the token is stored. This module needs only Django's settings, because gunicorn's master process calls
it before the site is loaded.
"""

from __future__ import annotations

import hashlib
import secrets
import sys
import time

from django.conf import settings

from foundation.acts.storage import table, try_write
from foundation.acts.tokens import SECONDS_PER_DAY
from foundation.store import keys
from foundation.store.connect import BadStoreUrl
from foundation.store.table import Check, Delete, Equals, Missing, Put, StoreError


def new_link(now: float | None = None) -> str | None:
    """A new link, which replaces any earlier one; `None` if the site has its owner."""
    token = secrets.token_urlsafe(32)
    ends = int(time.time() if now is None else now) + SECONDS_PER_DAY
    stored = Put({**keys.SETUP.item, "digest": digest(token), "ttl": ends})
    is_stored = try_write(stored, Check(keys.OWNER, Missing()))
    return f"{settings.SITE_URL}/setup/{token}/" if is_stored else None


def print_link() -> None:
    """Print a link where the server was started, if the site has no owner. Store errors are reported elsewhere."""
    try:
        link = new_link() if table().get(keys.OWNER) is None else None
        table().close()
    except (StoreError, BadStoreUrl):
        return
    if link:
        sentence = "This site has no owner yet. The first person to use this link within 24 hours becomes the owner:"
        print(f"\n  {sentence}\n  {link}\n", file=sys.stderr, flush=True)


def is_valid(token: str) -> bool:
    """Whether it is the newest link, has not expired, and there is no owner yet."""
    found = table().get_many([keys.SETUP, keys.OWNER])
    return keys.OWNER not in found and found.get(keys.SETUP, {}).get("digest") == digest(token)


def spending(token: str) -> Delete:
    """Refused if it was spent, or a newer one exists."""
    return Delete(keys.SETUP, when=Equals("digest", digest(token)))


def digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
