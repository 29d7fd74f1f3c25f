"""Item and event types of the owner's notices, and of the code that the site serves."""

from foundation.store import keys
from foundation.store.schema import EventType, ItemType

ITEMS = (
    ItemType("notice", keys.notice, "subject text text_html html_version:int changed_at version:int"),
    ItemType("served code", keys.SERVED_CODE, "edition since files:list"),
)  # fmt: skip

EVENTS = (
    EventType("NoticeEdited", "subject text changed_at"),
    EventType("CodeServed", "edition since files:list"),
)  # fmt: skip
