"""Sealing, and some quarters of an hour that pass at once; and events without nonces, which can be guessed."""

from __future__ import annotations

from foundation.store.log import utc_now
from foundation.store.log.publish import QUARTER_HOUR, Publisher
from foundation.store.log.seal import Sealer
from foundation.store.table import Item, Table


def seal_publicly(table: Table, quarters: int = 1) -> Item:
    """Seal, and publish as one would so many quarters later; answers the newest public checkpoint."""
    Sealer(table).seal()
    publisher = Publisher(table, lambda: utc_now() + quarters * QUARTER_HOUR)
    publisher.publish()
    return publisher.log.newest_public()
