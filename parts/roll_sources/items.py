"""Item and event types of the sources that rolls follow."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from foundation.store import keys
from foundation.store.schema import EventType, ItemType

ITEMS = (
    ItemType("roll source", keys.roll_source, "election_name:election kind set_by:person due followed_at failed",
             "place account", lists=(keys.ROLL_SOURCES,)),
)  # fmt: skip

EVENTS = (
    EventType("RollSourceSet", "election_name kind nightly:bool",
              sentence=_("%(who)s chose a source that the roll follows.")),
    EventType("RollSourceDropped", "election_name", sentence=_("%(who)s stopped the roll from following a source.")),
)  # fmt: skip
