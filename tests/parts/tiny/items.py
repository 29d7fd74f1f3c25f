"""What is stored of bells, and logged."""

from foundation.store.schema import EventType, ItemType
from foundation.store.table import Key

BELL = Key("BELL", "METADATA")

ITEMS = (ItemType("bell", BELL, "rung:int"),)
EVENTS = (EventType("BellRung", "by:person"),)
