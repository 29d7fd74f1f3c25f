"""Mail that was waiting when a backup was made, in a store restored from it: it may have been sent since.

That cannot be known, so none of it is sent automatically. Waiting mails become "unknown", and a person may send each
again; the button that retries all failed mails leaves them alone. Mailings under way stop: people they have not reached
can be invited or written to again. Reminders to voters and mails to subscribers about a post are skipped if their time
has passed.
"""

from __future__ import annotations

import time

from elections import repository as elections
from elections.invitations import mailing as invitations
from elections.rules import State
from foundation.acts.storage import table
from foundation.mail import outbox
from foundation.store import keys
from foundation.store.table import Delete, Item, Key
from parts.news import mailing
from parts.news import repository as posts

WAITING = (outbox.QUEUED, outbox.SENDING)
MAIL = keys.mail("").pk


class Holding:
    """Collects these from every item of a backup as it is restored, because an index may lag behind the writes."""

    def __init__(self) -> None:
        self.mails: list[Key] = []
        self.mailings: list[Key] = []
        self.posts: list[str] = []

    def notice(self, item: Item) -> None:
        if item["PK"].startswith(MAIL) and item.get("state") in WAITING:
            self.mails.append(Key(item["PK"], item["SK"]))
        elif item.get("type") == invitations.MAILING.name:
            self.mailings.append(Key(item["PK"], item["SK"]))
        elif item.get("type") == posts.MAILING.name:
            self.posts.append(item["subject"])

    def put_aside(self) -> tuple[int, int]:
        """Returns how many mails and mailings. Idempotent, in case it was interrupted."""
        held = sum(map(_hold, self.mails)), len(self.mailings) + sum(map(mailing.skip_if_due, self.posts))
        for place in self.mailings:
            table().write(Delete(place))
        _let_moments_pass()
        return held


def _hold(place: Key) -> bool:
    item = table().get(place)
    if item is None or item["state"] not in WAITING:
        return False
    until = int(time.time()) + outbox.RETENTION_SECONDS
    return outbox.move(outbox.mail_of(item), item["state"], outbox.UNKNOWN, reason="restored", detail="", ttl=until)


def _let_moments_pass() -> None:
    names = [item["name"] for item in table().each(keys.elections())]
    for election in filter(None, map(elections.find, names)):
        if election.remind_before and election.stored_state in (State.EDITABLE, State.OPEN):
            table().write(elections.reminders_from_now(election))
