"""What is stored and logged about requests to organisers, and its export with personal data."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from accounts.models import User
from elections.event_sentences import EventContext
from foundation.acts.storage import table
from foundation.store import keys
from foundation.store.schema import EventType, Export, ItemType, RemovalEffect
from foundation.store.splitting import by_count
from foundation.store.table import Item

from .repository import request_of

BATCH_REQUESTS = 20  # read together: some are long


def request_answered(context: EventContext) -> str:
    if context.data.get("outcome") == "refused":
        return context.text(_("%(who)s refused a request to be put on the roll."))
    if context.data.get("outcome") == "dismissed":
        return context.text(_("%(who)s closed a request without an answer."))
    return context.text(_("%(who)s answered a request."))


def exported_requests(user: User) -> Iterator[Item]:
    """By account, and by address, which somebody else may have typed: it is about them all the same."""
    entries = (entry for asker in (user.name, user.email) for entry in table().each(keys.requests_sent_by(asker)))
    for some in by_count(entries, BATCH_REQUESTS):
        found = table().get_many(keys.help_request(each["election_name"], each["request"]) for each in some)
        for each in map(request_of, found.values()):
            answers = [
                {"at": reply.at, "what": reply.act, "text": reply.text, "by": reply.by} for reply in each.replies
            ]
            sent_as = {"name": each.asker.name, "address": each.asker.address}
            about = {"election": each.election_name, "asked_at": each.asked_at}
            yield {**about, "sent_as": sent_as, "text": each.text, "answers": answers}


def count_deleted_requests(user: User) -> tuple[int]:
    return (sum(1 for asker in (user.name, user.email) for _entry in table().each(keys.requests_sent_by(asker))),)


ITEMS = (
    ItemType("request", keys.help_request, "id election_name:election state asked_at version:int",
             "asker:map text language replies:list", closed_lists=(keys.requests_in("", ""),),
             exports=(Export("requests", _("requests.json: what you asked the organisers of elections, and what they "
                                           "answered."), exported_requests),),
             removal_effects=(RemovalEffect(count_deleted_requests, (ngettext_lazy(
                 "%(count)d request to organisers is deleted, with the answers.",
                 "%(count)d requests to organisers are deleted, with the answers.", "count"),)),)),
    ItemType("request's sender", keys.sent_request, hidden="election_name:election sender:person request",
             closed_lists=(keys.requests_sent_by(""),)),
    ItemType("help desk", keys.help_desk, "waiting:int strangers:int told_at"),
)  # fmt: skip

EVENTS = (
    EventType("RequestSent", "election_name request kind"),
    EventType("RequestAnswered", "election_name request kind outcome reason", sentence=request_answered),
)
