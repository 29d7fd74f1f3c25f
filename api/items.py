"""Item types of the API."""

from store import keys
from store.schema import ItemType

ITEMS = (
    ItemType("API request", keys.api_request, hidden="digest ttl:int",
             replay="Which request an Idempotency-Key was used for; it expires after a day."),
)  # fmt: skip
