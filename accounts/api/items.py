"""Item types of the API."""

from foundation.store import keys
from foundation.store.schema import ItemType

ITEMS = (
    ItemType("API request", keys.api_request, hidden="digest ttl:int"),
)  # fmt: skip
