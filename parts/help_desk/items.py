"""Item and event types of requests to organisers."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from foundation.store import keys
from foundation.store.schema import EventType, Export, ItemType, Parting

from . import history, personal_data

ITEMS = (
    ItemType("request", keys.help_request, "id election_name:election state asked_at version:int",
             "asker:map text language replies:list", closed_lists=(keys.requests_in("", ""),),
             exports=(Export("requests", _("requests.json: what you asked the organisers of elections, and what they "
                                           "answered."), personal_data.requests),),
             partings=(Parting(personal_data.requests_to_delete, (ngettext_lazy(
                 "%(count)d request to organisers is deleted, with the answers.",
                 "%(count)d requests to organisers are deleted, with the answers.", "count"),)),)),
    ItemType("request's sender", keys.sent_request, hidden="election_name:election sender:person request",
             closed_lists=(keys.requests_sent_by(""),)),
    ItemType("help desk", keys.help_desk, "waiting:int strangers:int told_at"),
)  # fmt: skip

EVENTS = (
    EventType("RequestSent", "election_name request kind"),
    EventType("RequestAnswered", "election_name request kind outcome reason", sentence=history.request_answered),
)
