"""Item types of pictures. They have no events of their own: events of the things they belong to name them."""

from store import keys
from store.schema import ItemType

ITEMS = (
    ItemType("picture", keys.photo, "kind digest content:bytes"),
)  # fmt: skip
