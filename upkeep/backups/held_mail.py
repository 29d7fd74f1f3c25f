"""What was about to be mailed when a backup was made, in a store filled from it: it may have gone out since.

Nobody can know, so nothing of it is sent by itself. Mails that waited are of unknown fate, and a person may send each
again; the button that tries all failed ones leaves them alone. Mailings under way stop where they were: who was not
reached by then can be invited or written to anew. A moment at which voters were to be reminded, and which has passed by
now, is let pass; and so is one at which subscribers were to be mailed about a post.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from acts.storage import table
from elections import repository as elections
from elections.invitations import mailing as invitations
from elections.rules import State
from mail import outbox
from news import mailing
from news import repository as posts
from store import keys
from store.table import Delete, Item, Key

WAITING = (outbox.QUEUED, outbox.SENDING)
MAIL = keys.mail("").pk


@dataclass(frozen=True, slots=True)
class Held:
    mails: int
    mailings: int

    def __bool__(self) -> bool:
        return bool(self.mails or self.mailings)


class Holding:
    """Is shown every item of a backup on its way: an index may not know yet what was written a moment ago."""

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

    def put_aside(self) -> Held:
        """May be done again, should it have been cut short."""
        held = Held(sum(map(_hold, self.mails)), len(self.mailings) + sum(map(mailing.skip_if_due, self.posts)))
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
