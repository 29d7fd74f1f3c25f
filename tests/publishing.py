"""Sealing, and some quarters of an hour that pass at once; and events without nonces, which can be guessed."""

from __future__ import annotations

from datetime import timedelta

from foundation.store.log import utc_now
from foundation.store.log.publish import QUARTER_HOUR, Publisher
from foundation.store.log.seal import Sealer
from foundation.store.table import Item, Table

TOMORROW = utc_now() + timedelta(days=1)  # when all is sealed: so no quarter of an hour ends in between


def seal(table: Table) -> None:
    Sealer(table, clock=lambda: TOMORROW).seal()


def seal_publicly(table: Table, quarters: int = 1) -> Item:
    """Seal, and publish as one would so many quarters later; answers the newest public checkpoint."""
    seal(table)
    publisher = Publisher(table, lambda: TOMORROW + quarters * QUARTER_HOUR)
    publisher.publish()
    return publisher.log.newest_public()
