"""Export of personal data: what somebody asked organisers, and what they answered."""

from __future__ import annotations

from collections.abc import Iterator

from accounts.models import User
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.splitting import by_count
from foundation.store.table import Item

from .repository import request_of
from .rules import HelpRequest

BATCH_REQUESTS = 20  # read together: some are long


def _of(user: User) -> Iterator[HelpRequest]:
    """By account, and by address, which somebody else may have typed: it is about them all the same."""
    for asker in (user.name, user.email):
        for some in by_count(table().each(keys.requests_sent_by(asker)), BATCH_REQUESTS):
            found = table().get_many(keys.help_request(each["election_name"], each["request"]) for each in some)
            yield from map(request_of, found.values())


def requests(user: User) -> Iterator[Item]:
    for each in _of(user):
        answers = [{"at": reply.at, "what": reply.act, "text": reply.text, "by": reply.by} for reply in each.replies]
        sent_as = {"name": each.asker.name, "address": each.asker.address}
        about = {"election": each.election_name, "asked_at": each.asked_at}
        yield {**about, "sent_as": sent_as, "text": each.text, "answers": answers}


def requests_to_delete(user: User) -> tuple[int]:
    return (sum(1 for asker in (user.name, user.email) for _entry in table().each(keys.requests_sent_by(asker))),)
