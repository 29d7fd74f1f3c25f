"""Sessions whose time is over after their end: all of their data goes, only their lines in the history stay."""

from __future__ import annotations

from acts.queues import take_each
from acts.recording import record, write
from acts.refusals import LostRace
from acts.site import SITE, now_text, table
from store import keys
from store.forgetting import to_forget
from store.log import Event
from store.table import Item

from .. import repository
from ..minutes.services import seal as seal_minutes


def is_due() -> bool:
    return bool(table().page(keys.games_kept(now_text()), limit=1).items)


def expire_all() -> int:
    """Answers of how many sessions the data goes."""
    return take_each(repository.expired(now_text()), _expire)


def _expire(line: Item) -> bool:
    found = repository.find(line["id"])
    try:
        if found is None:  # the store has removed it by itself
            write(repository.unlisting(line), to_forget())
        elif found[0].ended_at is None:  # it will be listed again at its end
            write(repository.unlisting(line))
        else:
            seal_minutes(line["id"])  # should whoever ended it have been cut off
            event = Event(SITE, "LiveSessionExpired", {"game_id": line["id"]})
            record(event, *repository.clearing(found[0], now_text()), repository.unlisting(line))
    except LostRace:  # its host has removed it
        return False
    return True
