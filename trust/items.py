"""Item types of the owner's notices, and of the code that the site serves."""

from elections.items import HTML
from store import keys
from store.replay import Exempt
from store.schema import ItemType

ITEMS = (
    ItemType("notice", keys.notice, "subject text text_html html_version:int changed_at version:int",
             replay=(Exempt(HTML, "text_html html_version"),)),
    ItemType("served code", keys.SERVED_CODE, "edition since files:list"),
)  # fmt: skip
