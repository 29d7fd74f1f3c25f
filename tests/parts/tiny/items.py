"""What is stored of bells, and logged."""

from foundation.store.keys.declared import single
from foundation.store.schema import EventType, ItemType

BELL = single("BELL", "BELL", "METADATA", "How often it was rung.")

ITEMS = (ItemType("bell", BELL, "rung:int"),)
EVENTS = (EventType("BellRung", "by:person"),)
