"""Item types of pictures. They have no events of their own: events of the things they belong to name them."""

from foundation.store import keys
from foundation.store.schema import ItemType

ITEMS = (
    ItemType("picture", keys.photo, "kind digest content:bytes"),
)  # fmt: skip
