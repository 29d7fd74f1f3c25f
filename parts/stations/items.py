"""Item and event types of polling stations."""

from django.utils.translation import gettext_lazy as _

from foundation.store import keys
from foundation.store.schema import EventType, ItemType

ITEMS = (
    ItemType("station", keys.station, "election_name:election id name opened_at",
             "turn:int paired:int device visit visitor since picked:bool"),
    ItemType("station code", keys.station_code, hidden="election_name:election station_id ttl:int"),
)  # fmt: skip

EVENTS = (
    EventType("StationOpened", "election_name station name",
              sentence=_("%(who)s opened the polling station “%(name)s”.")),
    EventType("StationClosed", "election_name station name",
              sentence=_("%(who)s closed the polling station “%(name)s”.")),
)  # fmt: skip
