"""Item types of the API."""

from store import keys
from store.schema import ItemType

ITEMS = (
    ItemType("API request", keys.api_request, hidden="digest ttl:int"),
)  # fmt: skip
