"""Sealing, and some quarters of an hour that pass at once; and a site as it was before there were either."""

from __future__ import annotations

from store import keys
from store.log import EventLog, utc_now
from store.log.publish import QUARTER, Publisher
from store.log.seal import Sealer
from store.table import LOG, Delete, Item, Key, Table


def seal_publicly(table: Table, quarters: int = 1) -> Item:
    """Seal, and publish as one would so many quarters later; answers the newest public checkpoint."""
    Sealer(table).seal()
    publisher = Publisher(table, lambda: utc_now() + quarters * QUARTER)
    publisher.publish()
    return publisher.log.newest_public()


def without_nonces(monkeypatch) -> None:
    """From now on, events are written as they were before there were nonces."""
    event = EventLog._event

    def old(self, *arguments):
        return {name: value for name, value in event(self, *arguments).items() if name != "nonce"}

    monkeypatch.setattr(EventLog, "_event", old)


def forget_what_is_public(table: Table) -> None:
    """As if nobody had published anything yet."""
    table.write(Delete(keys.publishing()))
    for each in list(table.each(keys.public_checkpoints())):
        table.write(Delete(Key(each["PK"], each["SK"], LOG)))
