"""Mail that was waiting when a backup was made, in a store restored from it: it may have been sent since.

That cannot be known, so none of it is sent automatically. Waiting mails become "unknown", and a person may send each
again; the button that retries all failed mails leaves them alone. Mailings under way stop: people they have not reached
can be invited or written to again. Reminders to voters and mails to subscribers about a post are skipped if their time
has passed.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from elections import repository as elections
from elections.rules import State
from foundation.acts.background import TYPES
from foundation.acts.storage import table
from foundation.mail import outbox
from foundation.store import keys
from foundation.store.table import Item, Key

WAITING = (outbox.QUEUED, outbox.SENDING)
MAIL = keys.mail("").pk


class Holding:
    """Collects these from every item of a backup as it is restored, because an index may lag behind the writes."""

    def __init__(self) -> None:
        self.mails: list[Key] = []
        self.tasks: list[tuple[Callable[[str], bool], str]] = []  # what holds each back, and its subject

    def notice(self, item: Item) -> None:
        if item["PK"].startswith(MAIL) and item.get("state") in WAITING:
            self.mails.append(Key(item["PK"], item["SK"]))
        elif (kind := TYPES.get(item.get("type", ""))) and kind.hold:
            self.tasks.append((kind.hold, item["subject"]))

    def put_aside(self) -> tuple[int, int]:
        """Returns how many mails and mailings. Idempotent, in case it was interrupted."""
        held = sum(map(_hold, self.mails)), sum(hold(subject) for hold, subject in self.tasks)
        names = [item["name"] for item in table().each(keys.elections())]
        for election in filter(None, map(elections.find, names)):
            if election.remind_before and election.stored_state in (State.EDITABLE, State.OPEN):
                table().write(elections.reminders_from_now(election))
        return held


def _hold(place: Key) -> bool:
    item = table().get(place)
    if item is None or item["state"] not in WAITING:
        return False
    until = int(time.time()) + outbox.RETENTION_SECONDS
    return outbox.move(outbox.mail_of(item), item["state"], outbox.UNKNOWN, reason="restored", detail="", ttl=until)
