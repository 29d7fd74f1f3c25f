"""Whether SECRET_KEY is still the one with which the open secret elections were opened.

Under another key, voting in them is impossible. The store has a fingerprint of the key, so that a running site need not
read every election: only if the fingerprint differs are the elections themselves checked.
"""

from __future__ import annotations

import hmac
import logging
from collections.abc import Iterator
from itertools import islice

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from ballots import secrecy
from elections.repository import list_of
from elections.rules import State
from store import keys
from store.table import Item, Put, Table

PURPOSE = b"plenum: fingerprint of the secret key"
UNKNOWN = bytes(8)  # in place of a missing fingerprint
BATCH_NAMES = 100

REPLACED = _(
    "SECRET_KEY was replaced while a secret election was open. Nobody can vote in it until the earlier key is back."
)

log = logging.getLogger("plenum.secret_key")


def fingerprint() -> bytes:
    """Reveals nothing about the key."""
    return hmac.digest(settings.SECRET_KEY.encode(), PURPOSE, "sha256")[: len(UNKNOWN)]


def differs(item: Item | None) -> bool:
    """Whether the fingerprint in the store is that of another key."""
    return item is not None and not hmac.compare_digest(item["fingerprint"], fingerprint())


def locked_election(table: Table) -> str | None:
    """An open secret election that does not match this key."""
    return next(_locked(table), None)


def _locked(table: Table) -> Iterator[str]:
    names = (item["name"] for item in table.each(list_of(State.OPEN)))
    while batch := list(islice(names, BATCH_NAMES)):
        elections = table.get_many([keys.election(name) for name in batch]).values()
        places = {keys.salts(each["name"], each.get("shards", 1))[0]: each["name"] for each in elections}
        yield from (places[place] for place, salt in table.get_many(list(places)).items() if not _fits(salt))


def _fits(salt: Item) -> bool:
    try:
        secrecy.check_secret(salt)
    except secrecy.SecretReplaced:
        return False
    return True


def record_at_start(table: Table) -> None:
    """Record the key used from now on. One that does not match an open election is reported and not recorded, so that
    later checks find the difference."""
    known = table.get(keys.SECRET_KEY)
    if known is not None and not differs(known):
        return
    if locked_election(table) is None:
        _store(table, fingerprint())
        if known is not None:
            log.warning("SECRET_KEY was replaced: links in mails sent before, and authenticator apps, no longer work.")
        return
    log.error(str(REPLACED))
    if known is None:
        _store(table, UNKNOWN)


def _store(table: Table, value: bytes) -> None:
    place = keys.SECRET_KEY
    table.write(Put({"PK": place.pk, "SK": place.sk, "fingerprint": value}))
